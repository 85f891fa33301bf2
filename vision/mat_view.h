// An Image as OpenCV sees it, without OpenCV's headers. Internal to the .cpp files of vision.
#pragma once

#include "vision/image.h"

namespace cv {
class Mat;
}

namespace saccade {

// A [height, width] 8UC3 matrix over the image's own pixels, in RGB order (OpenCV's is BGR).
cv::Mat mat_view(Image& image);
cv::Mat mat_view(const Image& image);  // not to be written through

// Makes OpenCV compute on the calling thread alone and keep its messages to itself: parallelism is
// core/parallel's, messages are ours. Cheap when repeated.
void quiet_opencv();

}  // namespace saccade
