// Reports of small untrained models, which a browser opens.
#pragma once

#include <string>

#include "core/base/real.h"
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

// A wide photo or a tall one, seen by a transformer that pads it to a square and by a soft
// captioner that crops it. The transformer has 2 layers of 2 heads.
class PhotoReport {
 public:
  PhotoReport(Index height, Index width);
  std::filesystem::path page() const { return folder_ / "report.html"; }
  std::filesystem::path run(int model) const { return folder_ / (model == 0 ? "pad" : "crop"); }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"photo-report"};
};
struct WideReport : PhotoReport {
  WideReport() : PhotoReport(48, 96) {}
};
struct TallReport : PhotoReport {
  TallReport() : PhotoReport(96, 48) {}
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
