#include "vision/encoders/features/photo_arrays.h"

#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

std::string place_of(const ArrayFile& file, const std::string& name) {
  return name.empty() ? file.source() : str(file.source(), ": array '", name, "'");
}

namespace {

// The number in an array of one.
std::optional<Index> one_number(const ArrayFile& file, const std::string& name) {
  if (!file.has(name)) return std::nullopt;
  const ArrayInfo info = file.info(name);
  const std::vector<double> numbers =
      info.count() == 1 ? file.doubles(info) : std::vector<double>();
  if (numbers.empty() || !(numbers[0] >= 1) || numbers[0] > 1e6)
    throw DataError(
        str(place_of(file, name), " is ", info.text(), ", and not one number of 1 or more"));
  return static_cast<Index>(numbers[0]);
}

}  // namespace

std::optional<std::string> features_name(const ArrayFile& file, const std::string& wanted) {
  if (file.names().size() == 1 && file.names()[0].empty()) return "";
  if (!wanted.empty()) return file.has(wanted) ? std::optional(wanted) : std::nullopt;
  for (const char* known : {"features", "feat", "z", "x", "feature"})
    if (file.has(known)) return known;
  return std::nullopt;
}

bool is_torch(const ArrayFile& file) {
  return file.source().ends_with(".pth") || file.source().ends_with(".pt");
}

std::vector<float> finite_floats(const ArrayFile& file, const ArrayInfo& array, const char* what,
                                 Index photo) {
  std::vector<float> numbers = photo < 0 ? file.floats(array) : file.floats(array, photo, 1);
  std::string place = place_of(file, array.name);
  if (photo >= 0) place += str(", row ", photo);
  check_finite(place, what, numbers);
  return numbers;
}

void check_features(const ArrayFile& file, const ArrayInfo& array,
                    const std::vector<Index>& shape) {
  // 134 MB: ten hours of sound in mel bands. A small file may claim, or hold compressed, far more.
  constexpr Index kMost = Index{1} << 25;
  const std::string where = place_of(file, array.name);
  Index count = 1;
  for (const Index extent : shape) count = count > kMost ? count : count * extent;
  if (shape.size() > 3 || count == 0)
    throw DataError(str(where, " is ", array.text(),
                        ", and features are [regions, D] or a grid [rows, columns, D]"));
  if (array.type[0] != 'F' && array.type != "BF16")
    throw DataError(str(where, " is ", array.text(), ", and features are floats"));
  if (count > kMost)
    throw DataError(str(where, " is ", array.text(), ", and at most ", kMost,
                        " numbers are read of one photo"));
}

StoredFeatures features_of(const ArrayFile& file, const ArrayInfo& array) {
  StoredFeatures out{.where = place_of(file, array.name), .shape = region_shape(array.shape)};
  check_features(file, array, out.shape);
  out.torch = is_torch(file);
  out.values = finite_floats(file, array, "feature");
  return out;
}

void take_boxes(const ArrayFile& file, const ArrayInfo& array, StoredFeatures& into) {
  if (array.shape.size() != 2 || array.shape[1] != 4 || array.shape[0] != into.shape[0])
    throw DataError(str(place_of(file, array.name), " is ", array.text(), ", and ", into.where,
                        " has ", into.shape[0], " regions; boxes are [", into.shape[0], ", 4]"));
  into.boxes = boxes_of(finite_floats(file, array, "box"));
}

void take_times(const ArrayFile& file, const ArrayInfo& array, StoredFeatures& into) {
  if (array.shape.size() != 1 || array.shape[0] != into.shape[0])
    throw DataError(str(place_of(file, array.name), " is ", array.text(), ", and ", into.where,
                        " has ", into.shape[0], " frames; their times are [", into.shape[0], "]"));
  into.times = finite_floats(file, array, "time");
  check_rising(place_of(file, array.name), into.times);
}

std::vector<float> pooled_vector(const ArrayFile& file, const ArrayInfo& array) {
  const std::vector<Index> shape = region_shape(array.shape);
  if (shape.size() != 2 || shape[0] != 1)
    throw DataError(str(place_of(file, array.name), " is ", array.text(),
                        ", and the vector of a photo is [D]"));
  return finite_floats(file, array, "pooled");
}

namespace {

std::string name_in(const ArrayFile& file, const std::string& wanted) {
  if (const auto name = features_name(file, wanted)) return *name;
  if (file.names().size() == 1 && wanted.empty()) return file.names()[0];
  throw DataError(str(
      file.source(), ": ",
      wanted.empty() ? "none of its arrays is named features, feat or z"
                     : str("it has no array '", wanted, "'"),
      "; name the one with the features as encoder.features.array: ", first_names(file.names())));
}

}  // namespace

FeatureOutline outline_of_photo(const ArrayFile& file, const std::string& wanted) {
  const ArrayInfo array = file.info(name_in(file, wanted));
  const std::vector<Index> shape = region_shape(array.shape);
  check_features(file, array, shape);
  return {.shape = shape,
          .torch = is_torch(file),
          .boxes = file.has("boxes"),
          .times = file.has("times")};
}

StoredFeatures photo_of(const ArrayFile& file, const FeatureSourceOptions& options) {
  StoredFeatures out = features_of(file, file.info(name_in(file, options.array)));
  if (file.has("boxes")) {
    if (const auto announced = one_number(file, "num_boxes");
        announced && *announced != out.shape[0])
      throw DataError(
          str(out.where, " has ", out.shape[0], " regions, and num_boxes says ", *announced));
    take_boxes(file, file.info("boxes"), out);
  }
  if (file.has("times")) take_times(file, file.info("times"), out);
  const auto height = one_number(file, "image_h"), width = one_number(file, "image_w");
  if (height && width) out.size = {.height = *height, .width = *width};
  if (!options.pooled.empty() && file.has(options.pooled))
    out.pooled = pooled_vector(file, file.info(options.pooled));
  return out;
}

}  // namespace saccade
