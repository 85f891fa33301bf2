// Decodes JPEG with libjpeg, whose complaints become values: OpenCV's decoder lets libjpeg print
// them on stderr. Internal to vision/images/image.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vision/images/image.h"

namespace cv {
class Mat;
}

namespace saccade {

// libjpeg's word for data that end within the picture.
inline constexpr std::string_view kJpegEnds = "Premature end of JPEG file";

// The stored picture, to the bit as cv::imdecode gives it with IMREAD_UNCHANGED: one channel of
// grey, or BGR (CMYK is converted); empty where the file cannot be decoded, is not of `size`, or
// goes over its pixels more than a hundred times. `complaint` is then the first thing that libjpeg
// says against it; it may also be set for a picture that was decoded: "Corrupt JPEG data: 69
// extraneous bytes before marker 0xd9". Throws std::bad_alloc.
cv::Mat decode_jpeg(std::span<const std::uint8_t> bytes, const ImageSize& size,
                    std::optional<std::string>& complaint);

}  // namespace saccade
