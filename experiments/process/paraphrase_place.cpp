#include "experiments/process/paraphrase_place.h"

#include <algorithm>
#include <vector>

namespace saccade {

namespace {

namespace fs = std::filesystem;

PythonPlaces& python_places() {
  static PythonPlaces places;
  return places;
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

std::vector<fs::path> paraphrase_places() {
  std::vector<fs::path> out;
  const std::string list = python_places().packages;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) out.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  std::vector<fs::path> roots;
  for (const std::string& root : python_places().roots)
    if (!root.empty()) roots.emplace_back(root);
  if (const std::string& home = python_places().home; !home.empty())
    roots.push_back(fs::path(home) / ".local");
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  for (const fs::path& root : roots)
    for (fs::path& folder : package_folders(root)) out.push_back(std::move(folder));
  return out;
}

}  // namespace

void set_python_places(const PythonPlaces& places) { python_places() = places; }

fs::path paraphrase_table(const std::string& option) {
  const std::string chosen = option.empty() ? python_places().table : option;
  if (chosen == "none") return {};
  if (!chosen.empty()) return chosen;
  for (const fs::path& folder : paraphrase_places()) {
    fs::path table = folder / "pycocoevalcap" / "meteor" / "data" / "paraphrase-en.gz";
    std::error_code error;
    if (fs::is_regular_file(table, error)) return table;
  }
  return {};
}

}  // namespace saccade
