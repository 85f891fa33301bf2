// Configs of any struct that describes its fields: load, override, print, compare, document. All
// mistakes are reported at once, in one UsageError with one line per mistake, such as
// `exp.yaml:14:9: unknown key 'hiden' in decoder`.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/config/fields.h"

namespace saccade {

// Records where each value comes from.
class Origins {
 public:
  // `exp.yaml:14`, `base common.yaml:3`, `command line` or `default`.
  std::string of(const std::string& path) const;
  void set(const std::string& path, std::string origin) {
    origins_[path] = {std::move(origin), newest_};
  }
  void forget(const std::string& path) { origins_.erase(path); }

  // Values that are set together form a layer: a base, the file above it, the command line, or an
  // arm. Layers are numbered in the order in which they were set; 0 stands for the defaults.
  void begin_layer() { ++newest_; }
  int layer(const std::string& path) const;
  int newest_layer() const { return newest_; }

 private:
  struct Origin {
    std::string text;
    int layer;
  };
  std::map<std::string, Origin> origins_;
  int newest_ = 0;
};

template <class T>
struct Loaded {
  T config;
  Origins origins;
};

// A value in which two configs differ, with both values as YAML.
struct Difference {
  std::string path, first, second;
};

// One row of the documentation of a config. For a section, only `path` and `doc` are filled in.
struct FieldInfo {
  std::string path, type, default_value, constraint, doc;
  std::vector<ReadRule> rules;
  std::vector<TraitRule> traits;
  std::vector<ChoiceInfo> choices;  // of an enumeration
};

// The same functions without the type of the struct; callers use the templates below.
namespace config_detail {
void load(Section& into, const std::filesystem::path& file, Origins& origins, Mistakes& mistakes);
void parse(Section& into, const std::string& text, const std::string& source, Origins& origins,
           Mistakes& mistakes);
void override_value(Section& into, const std::string& assignment, const std::string& source,
                    Origins& origins, Mistakes& mistakes);
std::string print(const Section& section, const Origins* origins);
std::vector<Difference> differences(const Section& first, const Section& second);
std::vector<FieldInfo> describe(const Section& section);
std::string outdated(const Section& section, const std::string& path);

template <class T>
void override_all(Loaded<T>& loaded, std::span<const std::string> overrides,
                  const std::string& source, Mistakes& mistakes) {
  Section section = bind(loaded.config);
  loaded.origins.begin_layer();
  for (const std::string& assignment : overrides) {
    override_value(section, assignment, source, loaded.origins, mistakes);
  }
}
}  // namespace config_detail

// What overrides come from where their caller does not say otherwise.
inline constexpr const char* kCommandLine = "command line";

// Reads a YAML file over `start`, after the files that it names by `base:`, and then applies
// overrides of the form `key.path=value`. `start` has the defaults, and may know choices that the
// program added. `overrider` stands before what is wrong with an override, and becomes its origin.
// Throws UsageError.
template <class T>
Loaded<T> load_config(const std::filesystem::path& file,
                      std::span<const std::string> overrides = {}, const T& start = {},
                      const std::string& overrider = kCommandLine) {
  Loaded<T> loaded{.config = start, .origins = {}};
  Mistakes mistakes;
  Section section = bind(loaded.config);
  config_detail::load(section, file, loaded.origins, mistakes);
  config_detail::override_all(loaded, overrides, overrider, mistakes);
  mistakes.throw_if_any();
  return loaded;
}

// The same from a text in memory (the config in a checkpoint), which must not contain `base:`.
template <class T>
Loaded<T> parse_config(const std::string& text, const std::string& source,
                       std::span<const std::string> overrides = {}, const T& start = {},
                       const std::string& overrider = kCommandLine) {
  Loaded<T> loaded{.config = start, .origins = {}};
  Mistakes mistakes;
  Section section = bind(loaded.config);
  config_detail::parse(section, text, source, loaded.origins, mistakes);
  config_detail::override_all(loaded, overrides, overrider, mistakes);
  mistakes.throw_if_any();
  return loaded;
}

// Applies `key.path=value` with the same types as in a file. `source` starts the error text and
// becomes the origin. Throws UsageError and leaves the config as it was.
template <class T>
void apply_override(Loaded<T>& loaded, const std::string& assignment,
                    const std::string& source = kCommandLine) {
  Loaded<T> changed = loaded;
  Mistakes mistakes;
  Section section = bind(changed.config);
  config_detail::override_value(section, assignment, source, changed.origins, mistakes);
  mistakes.throw_if_any();
  loaded = std::move(changed);
}

// The whole config as YAML. With origins, a comment on each line names the origin of its value.
// Reading the text back gives an equal config.
template <class T>
std::string print_config(const T& config, const Origins* origins = nullptr) {
  T copy = config;
  return config_detail::print(bind(copy), origins);
}
template <class T>
std::string print_config(const Loaded<T>& loaded) {
  return print_config(loaded.config, &loaded.origins);
}

// The values in which two configs differ, in the order of their declaration.
template <class T>
std::vector<Difference> config_differences(const T& first, const T& second) {
  T a = first, b = second;
  return config_detail::differences(bind(a), bind(b));
}

// All sections and values of T, with type, default, constraint and documentation.
template <class T>
std::vector<FieldInfo> describe_config() {
  T defaults;
  return config_detail::describe(bind(defaults));
}

// What became of a key that was renamed or removed: "decoder.cell is called decoder.type now" or
// "objective.type was removed"; "" for every other path. Values that such names give are still
// read, but what is about keys themselves, such as the axes of a comparison, needs names that stand
// for a value.
template <class T>
std::string outdated(const std::string& path) {
  T defaults;
  return config_detail::outdated(bind(defaults), path);
}

}  // namespace saccade
