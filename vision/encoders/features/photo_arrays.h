// The arrays that a file has of one photo. Private to vision/encoders/features.
#pragma once

#include "core/io/array_file.h"
#include "vision/encoders/features/feature_source.h"

namespace saccade {

// The name of the array with a photo's features: `wanted`, or one that is in use for them, or that
// of a file with a single array without a name; none: the file has no such array.
std::optional<std::string> features_name(const ArrayFile& file, const std::string& wanted);
// Whether torch wrote the file, with channels before rows and columns.
bool is_torch(const ArrayFile& file);
// "FILE: array 'name'".
std::string place_of(const ArrayFile& file, const std::string& name);
// The numbers of an array, or those of one photo in it, which have to be finite.
std::vector<float> finite_floats(const ArrayFile& file, const ArrayInfo& array, const char* what,
                                 Index photo = -1);
// Throws DataError where an array holds no features that `shape` could be of one photo: [regions,
// D] or [rows, columns, D], of floats, and not more than anybody has of a photo.
void check_features(const ArrayFile& file, const ArrayInfo& array, const std::vector<Index>& shape);
StoredFeatures features_of(const ArrayFile& file, const ArrayInfo& array);
// Reads boxes [n, 4].
void take_boxes(const ArrayFile& file, const ArrayInfo& array, StoredFeatures& into);
// Reads the times [n] of frames.
void take_times(const ArrayFile& file, const ArrayInfo& array, StoredFeatures& into);
// A vector of the photo as a whole.
std::vector<float> pooled_vector(const ArrayFile& file, const ArrayInfo& array);

// The same of a file of one photo: with what stands in it beside the features (boxes, times,
// image_h, image_w).
FeatureOutline outline_of_photo(const ArrayFile& file, const std::string& wanted);
StoredFeatures photo_of(const ArrayFile& file, const FeatureSourceOptions& options);

}  // namespace saccade
