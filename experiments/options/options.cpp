#include "experiments/options/options.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace saccade {

namespace {

// Replaces CLI11's own range check, whose error shows the largest floating-point number. A text
// that is not a number passes: CLI11 refuses it.
CLI::Validator at_least(Index smallest) {
  const auto check = [smallest](const std::string& text) -> std::string {
    Index number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc() && number < smallest)
      return "must be " + std::to_string(smallest) + " or more, not " + text;
    return {};
  };
  return {check, ""};
}

}  // namespace

void Options::argument(const char* name, Text& value, const Text& help, const char* type,
                       Need need) {
  app_->add_option(name, value, help)->type_name(type)->required(need == Need::kRequired);
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
      ->allow_extra_args(false);
}

void Options::count(const char* name, Index& value, const Text& help, Index smallest) {
  app_->add_option(name, value, help)->type_name("N")->check(at_least(smallest));
}

void Options::count(const char* name, std::optional<Index>& value, const Text& help,
                    Index smallest) {
  app_->add_option(name, value, help)->type_name("N")->check(at_least(smallest));
}

void Options::number(const char* name, double& value, const Text& help, const char* type) {
  app_->add_option(name, value, help)->type_name(type);
}

void Options::number(const char* name, std::optional<double>& value, const Text& help,
                     const char* type) {
  app_->add_option(name, value, help)->type_name(type);
}

void Options::flag(const char* name, bool& value, const Text& help) {
  app_->add_flag(name, value, help);
}

bool Options::given(const char* name) const { return app_->count(name) > 0; }

}  // namespace saccade
