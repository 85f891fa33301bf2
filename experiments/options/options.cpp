#include "experiments/options/options.h"

#include <CLI/CLI.hpp>

#include "core/base/read_number.h"

namespace saccade {

namespace {

// Replace CLI11's own reading, which takes 0x10, 010 (for 8) and nan, and its range check, whose
// error shows the largest floating-point number.
CLI::Validator whole_number(Index smallest, Index largest = std::numeric_limits<Index>::max()) {
  const auto check = [smallest, largest](const std::string& text) -> std::string {
    const ReadCount read = read_count(text);
    if (!read.wrong.empty()) return "'" + text + "' " + read.wrong;
    if (read.value < smallest)
      return "must be " + std::to_string(smallest) + " or more, not " + text;
    if (read.value > largest) return "must be " + std::to_string(largest) + " or less, not " + text;
    return {};
  };
  return {check, ""};
}

// An empty value is most often a shell variable without one.
CLI::Validator some_text() {
  return {[](const std::string& text) -> std::string {
            return text.empty() ? "needs a value, and got an empty text" : "";
          },
          ""};
}

CLI::Validator finite_number() {
  const auto check = [](const std::string& text) -> std::string {
    const ReadNumber read = read_number(text);
    return read.wrong.empty() ? "" : "'" + text + "' " + read.wrong;
  };
  return {check, ""};
}

}  // namespace

void Options::argument(const char* name, Text& value, const Text& help, const char* type,
                       Need need) {
  app_->add_option(name, value, help)
      ->type_name(type)
      ->required(need == Need::kRequired)
      ->check(some_text());
}

void Options::arguments(const char* name, std::vector<Text>& values, const Text& help,
                        const char* type, Need need) {
  app_->add_option(name, values, help)->type_name(type)->required(need == Need::kRequired);
}

void Options::text(const char* name, Text& value, const Text& help, const char* type, Need need) {
  argument(name, value, help, type, need);
}

void Options::text(const char* name, std::optional<Text>& value, const Text& help,
                   const char* type) {
  app_->add_option(name, value, help)->type_name(type);
}

void Options::repeatable(const char* name, std::vector<Text>& values, const Text& help,
                         const char* type) {
  app_->add_option(name, values, help + "; may be given several times")
      ->type_name(type)
      ->expected(1)  // each time; without it, help says that several may follow
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void Options::count(const char* name, Index& value, const Text& help, Index smallest,
                    Index largest) {
  app_->add_option(name, value, help)->type_name("N")->check(whole_number(smallest, largest));
}

void Options::count(const char* name, std::optional<Index>& value, const Text& help,
                    Index smallest) {
  app_->add_option(name, value, help)->type_name("N")->check(whole_number(smallest));
}

void Options::number(const char* name, double& value, const Text& help, const char* type) {
  app_->add_option(name, value, help)->type_name(type)->check(finite_number());
}

void Options::number(const char* name, std::optional<double>& value, const Text& help,
                     const char* type) {
  app_->add_option(name, value, help)->type_name(type)->check(finite_number());
}

void Options::flag(const char* name, bool& value, const Text& help) {
  app_->add_flag(name, value, help);
}

bool Options::given(const char* name) const { return app_->count(name) > 0; }

}  // namespace saccade
