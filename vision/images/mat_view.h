// An Image as OpenCV sees it, without OpenCV's headers. Internal to the .cpp files of vision.
#pragma once

#include "vision/images/image.h"

namespace cv {
class Mat;
}

namespace saccade {

// A [height, width] 8UC3 matrix over the image's own pixels, in RGB order (OpenCV's is BGR).
cv::Mat mat_view(Image& image);
cv::Mat mat_view(const Image& image);  // the matrix must not be written to

// Makes OpenCV compute on the calling thread alone, and silences its log: parallelism belongs to
// core/parallel, and messages are written by saccade. Where OpenCV has no memory, it throws
// std::bad_alloc. Repeated calls are cheap.
void quiet_opencv();

}  // namespace saccade
