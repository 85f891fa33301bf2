#include "captioning/data/dataset.h"

#include "core/base/digest.h"

namespace saccade {

namespace {

void digest_captions(const CaptionedImage& image, Digest& digest) {
  digest.add(split_name(image.split));
  digest.add(std::to_string(image.captions.size()));
  for (const std::string& caption : image.captions) digest.add(caption);
}

}  // namespace

std::vector<Index> images_of(const Dataset& dataset, Split split) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < dataset.images.size(); ++i) {
    if (dataset.images[i].split == split) out.push_back(static_cast<Index>(i));
  }
  return out;
}

std::vector<std::string> named_notes(const Dataset& dataset) {
  std::vector<std::string> out = dataset.notes;
  if (dataset.parts.empty())
    for (std::string& note : out) note.insert(0, dataset.name + ": ");
  return out;
}

Index caption_count(const Dataset& dataset, const std::vector<Index>& images) {
  Index count = 0;
  for (const Index i : images) {
    count += static_cast<Index>(dataset.images[static_cast<std::size_t>(i)].captions.size());
  }
  return count;
}

std::string dataset_digest(const Dataset& dataset) {
  Digest digest;
  digest.add(dataset.name);
  for (const CaptionedImage& image : dataset.images) {
    digest.add(image.id);
    digest.add(std::to_string(image.number));
    digest_captions(image, digest);
  }
  return digest.hex();
}

std::string images_digest(const Dataset& dataset, std::span<const Index> images) {
  Digest digest;
  if (dataset.parts.empty()) digest.add(dataset.name);  // else ids begin with the names of the sets
  for (const Index i : images) {
    const CaptionedImage& image = dataset.images[static_cast<std::size_t>(i)];
    digest.add(image.id);
    digest_captions(image, digest);
  }
  return digest.hex();
}

}  // namespace saccade
