// Reads and writes JPEG with libjpeg, whose complaints become values: nothing is printed on stderr.
// Internal to vision/images.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// The bytes of a JPEG file of the image, to the bit as cv::imencode writes it: baseline, with
// chroma of half the size. `quality` is 1 to 100. Throws DataError where a side has more than 65500
// pixels, and std::bad_alloc.
std::vector<std::uint8_t> encode_jpeg(const Image& image, int quality);

}  // namespace saccade
