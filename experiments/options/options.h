// The options of one command, read by CLI11. Only options.cpp and cli.cpp include CLI11's header,
// because it adds seconds to the compilation of every file that includes it.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace CLI {
class App;
}

namespace saccade {

enum class Need { kOptional, kRequired };

// Declares options that write to the given variables when the command line is read. `type` is the
// name that --help shows for the value.
class Options {
 public:
  using Text = std::string;

  explicit Options(CLI::App& app) : app_(&app) {}

  // Words without dashes, in the order of declaration; `arguments` takes all words that are left.
  void argument(const char* name, Text& value, const Text& help, const char* type,
                Need need = Need::kRequired);
  void arguments(const char* name, std::vector<Text>& values, const Text& help, const char* type,
                 Need need = Need::kOptional);

  void text(const char* name, Text& value, const Text& help, const char* type,
            Need need = Need::kOptional);
  void text(const char* name, std::optional<Text>& value, const Text& help, const char* type);
  void repeatable(const char* name, std::vector<Text>& values, const Text& help, const char* type);
  // A whole number from `smallest` to `largest`.
  void count(const char* name, Index& value, const Text& help, Index smallest,
             Index largest = std::numeric_limits<Index>::max());
  void count(const char* name, std::optional<Index>& value, const Text& help, Index smallest);
  // A finite decimal number.
  void number(const char* name, double& value, const Text& help, const char* type);
  void number(const char* name, std::optional<double>& value, const Text& help, const char* type);
  void flag(const char* name, bool& value, const Text& help);

  // Whether the option was on the command line; known once the command line is read.
  bool given(const char* name) const;

 private:
  CLI::App* app_;
};

}  // namespace saccade
