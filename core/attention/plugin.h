// Plugins: shared libraries with scores and mechanisms, which a program adds to the choices of its
// configs and checkpoints at run time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/attention/attention_registry.h"

namespace saccade {

// What a plugin says of itself in its symbol `saccade_plugin`, which SACCADE_PLUGIN defines.
struct Plugin {
  const char* headers;  // SACCADE_HEADERS of the library that it was compiled for
  const char* name;     // lower-case letters, digits and '_'
  // Adds what the plugin has.
  void (*add)(AttentionRegistry& registry);
};

// A plugin of this process.
struct LoadedPlugin {
  std::string name;            // as it calls itself
  std::filesystem::path file;  // absolute
};

// Loads the plugin of a file for the whole process and returns its name. What it adds as `tanh` is
// then the choice `name.tanh` of attention.score or attention.mechanism wherever a config or a
// checkpoint is read; a registry that is made later has it, too. A file that is loaded already
// changes nothing. Throws DataError where there is no such file, it is no plugin or it was built
// for other headers; UsageError where another plugin has its name, or it adds nothing or what
// AttentionRegistry refuses.
std::string load_plugin(const std::filesystem::path& file);

// The plugins of the process in the order in which they were loaded.
std::vector<LoadedPlugin> loaded_plugins();

}  // namespace saccade

// The version of saccade and a digest of its headers: a plugin fits the library whose headers it
// was compiled with. Only the installed header has them.
#define SACCADE_HEADERS "the source tree"

// Makes a shared library a plugin: SACCADE_PLUGIN(mine, registry) { registry.scores.add(...); }
// calls it `mine`, and the block adds what it has.
#define SACCADE_PLUGIN(plugin, registry)                                                 \
  static void saccade_plugin_add(::saccade::AttentionRegistry&);                         \
  extern "C" {                                                                           \
  [[gnu::visibility("default")]] extern const ::saccade::Plugin saccade_plugin;          \
  const ::saccade::Plugin saccade_plugin{SACCADE_HEADERS, #plugin, &saccade_plugin_add}; \
  }                                                                                      \
  static void saccade_plugin_add(::saccade::AttentionRegistry& registry)
