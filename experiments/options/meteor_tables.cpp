#include "experiments/options/meteor_tables.h"

#include <algorithm>

#include "experiments/process/log.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

MeteorPlaces& places() {
  static MeteorPlaces instance;
  return instance;
}

// The folders of Python's packages below `root`, newest version first.
std::vector<fs::path> package_folders(const fs::path& root) {
  std::vector<fs::path> out;
  std::error_code error;
  fs::directory_iterator entry(root / "lib", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("python3")) continue;
    out.push_back(entry->path() / "site-packages");
    out.push_back(entry->path() / "dist-packages");
  }
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) { return a > b; });
  return out;
}

// The folders of Python's packages, in the order in which they are searched.
std::vector<fs::path> python_folders() {
  std::vector<fs::path> out;
  const std::string list = places().packages;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) out.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  std::vector<fs::path> roots;
  for (const std::string& root : places().roots)
    if (!root.empty()) roots.emplace_back(root);
  if (const std::string& home = places().home; !home.empty())
    roots.push_back(fs::path(home) / ".local");
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  for (const fs::path& root : roots)
    for (fs::path& folder : package_folders(root)) out.push_back(std::move(folder));
  return out;
}

// saccade's folder of the user's cache; "" where the environment names no such place.
fs::path own_cache() {
  const fs::path caches = places().caches;
  if (caches.is_absolute()) return caches / "saccade";
  return places().home.empty() ? fs::path() : fs::path(places().home) / ".cache" / "saccade";
}

// The first table among the usual places; "" where there is none.
fs::path found_table(const fs::path& cache) {
  constexpr const char* kName = "paraphrase-en.gz";
  std::vector<fs::path> tables;
  if (!cache.empty()) tables.push_back(cache / kName);
  for (const fs::path& folder : python_folders())
    tables.push_back(folder / "pycocoevalcap" / "meteor" / "data" / kName);
  std::error_code error;
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const fs::path& table) {
    return fs::is_regular_file(table, error);
  });
  return found == tables.end() ? fs::path() : *found;
}

}  // namespace

void set_meteor_places(const MeteorPlaces& now) { places() = now; }

void add_paraphrases_option(Options& options, std::string& paraphrases) {
  options.text("--paraphrases", paraphrases,
               "METEOR's table of paraphrases (paraphrase-en.gz), or none; without this, "
               "SACCADE_PARAPHRASES names it, or it is in ~/.cache/saccade or in an installed "
               "pycocoevalcap",
               "FILE");
}

MeteorOptions meteor_options(const std::string& option) {
  const fs::path cache = own_cache();
  const std::string chosen = option.empty() ? places().table : option;
  return {.paraphrases = chosen.empty()     ? found_table(cache)
                         : chosen == "none" ? fs::path()
                                            : fs::path(chosen),
          .cache = cache,
          .listener = log::show};
}

}  // namespace saccade
