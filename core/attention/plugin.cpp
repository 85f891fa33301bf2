#include "core/attention/plugin.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <string_view>

#include "core/attention/axes.h"
#include "core/attention/headers_digest.h"
#include "core/base/error.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

// What dlopen() says, without the file that stands before it.
std::string reason(const fs::path& file) {
  const char* text = dlerror();
  const std::string all = text != nullptr ? text : "the system gives no reason";
  const std::string place = file.string() + ": ";
  return all.starts_with(place) ? all.substr(place.size()) : all;
}

// Lets plugins see the names of the library that holds this code, wherever it is a part of a module
// that was loaded for itself alone, as those of Python are. A program exports them.
void show_own_names() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&load_plugin), &own) != 0 && own.dli_fname != nullptr)
    dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  dlerror();
}

// Opens a plugin and throws where it does not fit. Another version may lack functions that it
// needs; it is then opened without them, to ask for its headers.
Library open_plugin(const fs::path& file, const std::string& shown) {
  const std::string again =
      str("; build it as a shared library with the headers of this saccade (", kHeadersDigest, ")");
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw DataError(shown + ": there is no such file; name the shared library of a plugin");
  show_own_names();
  Library library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  std::string failure;
  if (!library) {
    failure = str(shown, ": cannot be loaded as a plugin: ", reason(file), again);
    library.reset(dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL));
    if (!library) throw DataError(failure);
  }
  const auto* plugin = static_cast<const Plugin*>(dlsym(library.get(), "saccade_plugin"));
  if (plugin == nullptr || plugin->headers == nullptr)
    throw DataError(failure.empty() ? shown +
                                          ": is a library and no plugin of saccade, because it has "
                                          "no SACCADE_PLUGIN; name another file"
                                    : failure);
  if (plugin->headers != std::string_view(kHeadersDigest))
    throw DataError(str(shown, ": the plugin was built for ", plugin->headers, again));
  if (!failure.empty()) throw DataError(failure);
  return library;
}

struct Plugins {
  std::mutex mutex;
  std::vector<LoadedPlugin> all;
};
Plugins& plugins() {
  static Plugins instance;
  return instance;
}

}  // namespace

std::string load_plugin(const fs::path& file) {
  const std::string shown = file.string();
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(file, error), error);
  const std::lock_guard lock(plugins().mutex);
  for (const LoadedPlugin& one : plugins().all)
    if (one.file == real) return one.name;
  Library library = open_plugin(real, shown);
  const auto& plugin = *static_cast<const Plugin*>(dlsym(library.get(), "saccade_plugin"));
  for (const LoadedPlugin& one : plugins().all)
    if (one.name == plugin.name)
      throw UsageError(str(shown, ": the plugin '", one.name, "' is loaded already, from ",
                           one.file.string(), "; leave one of the two out"));
  try {
    AttentionRegistry added;
    plugin.add(added);
    add_plugin_choices(plugin.name, added);
  } catch (const Error& refused) {
    throw UsageError(str(shown, ": the plugin '", plugin.name, "': ", refused.what()));
  }
  plugins().all.push_back({.name = plugin.name, .file = real});
  static_cast<void>(library.release());  // its functions are used until the process ends
  return plugin.name;
}

std::vector<LoadedPlugin> loaded_plugins() {
  const std::lock_guard lock(plugins().mutex);
  return plugins().all;
}

}  // namespace saccade
