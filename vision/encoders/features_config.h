// The section `encoder.features`: features that another program computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class FeatureLayout { kAuto, kGrid, kRegions, kTime };
constexpr auto enum_table(FeatureLayout) {
  using enum FeatureLayout;
  return enum_rows<FeatureLayout>({
      {kAuto, "auto",
       "time where there are times; regions where there are boxes or photos have different numbers "
       "of them; otherwise a grid"},
      {kGrid, "grid", "the cells of a grid, row by row from the top left"},
      {kRegions, "regions", "any parts of the photo, in no order"},
      {kTime, "time",
       "frames [T, D] of a film or a sound, one after the other; their seconds, where they are "
       "known, are in an array times [T]"},
  });
}

enum class ClassTokenPlace { kAuto, kNone, kFirst };
constexpr auto enum_table(ClassTokenPlace) {
  using enum ClassTokenPlace;
  return enum_rows<ClassTokenPlace>({
      {kAuto, "auto", "first where all photos have one vector more than a square grid"},
      {kNone, "none", "every vector is a region"},
      {kFirst, "first", "the first vector is the class token and no region"},
  });
}

struct FeaturesConfig {
  std::string path, array, pooled;
  FeatureLayout layout = FeatureLayout::kAuto;
  ClassTokenPlace class_token = ClassTokenPlace::kAuto;
  std::int64_t regions = 0;
  std::vector<std::int64_t> size;

  void fields(Section& v);
};

}  // namespace saccade
