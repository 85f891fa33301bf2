// Captions of many images, decoded in parallel: what evaluation, validation and the program's
// commands share.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "captioning/model/decoding/ensemble.h"
#include "core/parallel/parallel.h"

namespace saccade {

// Called with the number of images that are done, from any thread, but never twice at once.
using DecodeProgress = std::function<void(Index done, Index total)>;

// Writes the input of a member for the image at `position` (from 0, below count) to out, which has
// its input_shape(), and returns where in it the picture is. It is called from many threads.
using LoadInput =
    parallel::FunctionRef<PictureArea(Index position, std::size_t member, std::span<float> out)>;

struct DecodeRequest {
  Index count = 0;
  LoadInput load;
  SearchOptions search{};  // search.must.of_images is by position, or empty
  // What the classifier sees in the image at `position`, where the search names objects; called
  // from many threads.
  std::function<std::vector<SeenClass>(Index position)> seen{};
  // A caption, as ids, that is decoded for every image (EncodedPictures::force_decode); empty:
  // captions are searched.
  std::span<const int> given{};
  Index first_image = 0;  // the number of the first image, part of the key of its draws
  DecodeProgress progress{};
};

// Captions of some images, in order: one per image, or search.samples that are drawn. Images are
// decoded in groups of at most 8, whose size follows from the number of images, so that any number
// of threads gives the same bits. A group by itself is no task, so that its kernels can be cut
// (kernel_parts.h). Over ranks, each rank decodes some of the groups and gets the captions of all.
std::vector<DecodedCaption> decode(const Ensemble& models, const DecodeRequest& request);

// Captions of images of a data set, numbered by their place in `images`. search.must.of_images is
// by image of the data set, or empty. Throws ShapeError for an image that is bad or was not loaded.
std::vector<DecodedCaption> decode_images(const Ensemble& models, const EnsembleInputs& inputs,
                                          std::span<const Index> images,
                                          const SearchOptions& search,
                                          const DecodeProgress& progress);

}  // namespace saccade
