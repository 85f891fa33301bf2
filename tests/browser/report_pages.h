// Reports of small untrained models, which a browser opens.
#pragma once

#include <string>

#include "tests/support/temp_folder.h"

namespace saccade::test {

// Run directories of a soft and a hard captioner and of one made of transformers, all on drawn
// scenes, and their report. The network's pictures and grids are not squares.
class SceneReport {
 public:
  SceneReport();
  std::filesystem::path page() const { return folder_ / "report.html"; }
  std::filesystem::path run(const std::string& name) const { return folder_ / name; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"scene-report"};
};

// The same scenes, seen by models that pad them to a wide input and to a tall one.
class PaddedReport {
 public:
  PaddedReport();
  std::filesystem::path page() const { return folder_ / "report.html"; }
  std::filesystem::path run(const std::string& name) const { return folder_ / name; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"padded-report"};
};

// Photos whose captions and ids are markup, in a run whose name is markup.
class HostileReport {
 public:
  HostileReport();
  std::filesystem::path page() const { return folder_ / "report.html"; }

 private:
  TempFolder folder_{"hostile-report"};
};

inline constexpr const char* kHostileCaption =
    "a </script><script>window.hacked = 1</script> <img src=x onerror='window.hacked = 2'> dog";

}  // namespace saccade::test
