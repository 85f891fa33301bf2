#include "captioning/data/load_data.h"

#include <algorithm>
#include <utility>

#include "captioning/data/readers.h"
#include "captioning/data/scenes/scene_renderer.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr Index kMostSceneCaptions = 100;

// Throws UsageError that names every key which the data set needs and the config leaves empty.
void require_places(const DataConfig& config) {
  std::string missing;
  for (const DataPlace& place : data_places(config))
    if (place.needed && place.path->empty())
      missing += str(missing.empty() ? "" : ", ", "data.", place.key);
  if (!missing.empty()) {
    throw UsageError(
        str("data.type ", enum_name(config.type), " needs ", missing, "; set it in the config"));
  }
}

void require_folder(const std::string& path, const char* key) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    throw DataError(str(path, ": no such folder; set data.", key, " to the folder of the images"));
  }
}

Dataset read_files(const DataConfig& config) {
  require_places(config);
  switch (config.type) {
    case DataKind::kKarpathy:
      require_folder(config.images, "images");
      return read_karpathy({.annotations = config.annotations, .images = config.images});
    case DataKind::kCoco:
      require_folder(config.images, "images");
      if (!config.val_annotations.empty()) require_folder(config.val_images, "val_images");
      return read_coco({.train = config.annotations,
                        .train_images = config.images,
                        .val = config.val_annotations,
                        .val_images = config.val_images});
    case DataKind::kFlickr8k:
      require_folder(config.images, "images");
      return read_flickr8k(
          {.tokens = config.tokens, .splits = config.splits, .images = config.images});
    case DataKind::kFolder:
      require_folder(config.images, "images");
      return read_folder({.images = config.images, .captions = config.annotations});
    case DataKind::kScenes:
      break;
  }
  throw InternalError("unknown data type");
}

// Keeps the first `limit` images of a split (all if it is 0) and notes it. Returns whether any
// image was dropped.
bool limit_split(Dataset& dataset, Split split, Index limit) {
  const auto all = static_cast<Index>(images_of(dataset, split).size());
  if (limit == 0 || all <= limit) return false;
  Index kept = 0;
  std::erase_if(dataset.images, [&](const CaptionedImage& image) {
    return image.split == split && kept++ >= limit;
  });
  dataset.notes.push_back(
      str("kept the first ", limit, " of ", all, " ", split_name(split), " images"));
  return true;
}

bool limit_captions(Dataset& dataset, Index limit) {
  if (limit == 0) return false;
  const auto most = static_cast<std::size_t>(limit);
  std::size_t dropped = 0;
  for (CaptionedImage& image : dataset.images) {
    if (image.split != Split::kTrain || image.captions.size() <= most) continue;
    dropped += image.captions.size() - most;
    image.captions.resize(most);
  }
  if (dropped > 0) {
    dataset.notes.push_back(str("left out ", dropped, " training captions beyond the first ", limit,
                                " of their image"));
  }
  return dropped > 0;
}

Index limited(Index count, Index limit) { return limit == 0 ? count : std::min(count, limit); }

// A smaller data set is the beginning of a larger one, so nothing beyond the limits is drawn.
ScenesDataset draw_scenes(const DataConfig& config) {
  const Index captions =
      config.captions_per_image == 0 ? kMostSceneCaptions : config.captions_per_image;
  return scenes_dataset({.seed = static_cast<std::uint64_t>(config.scenes.seed),
                         .train = limited(config.scenes.train, config.limit_train),
                         .val = limited(config.scenes.val, config.limit_val),
                         .test = config.scenes.test,
                         .size = config.scenes.size,
                         .objects_max = config.scenes.objects_max,
                         .unseen = config.scenes.unseen,
                         .captions = std::min(captions, kMostSceneCaptions)});
}

std::size_t place_of(const Dataset& dataset, Index image) {
  const auto place = static_cast<std::size_t>(image);
  SACCADE_CHECK(image >= 0 && place < dataset.images.size(), "[image] ", dataset.name, " has ",
                dataset.images.size(), " images, and none with the number ", image);
  return place;
}

}  // namespace

std::vector<DataPlace> data_places(const DataConfig& config) {
  const DataPlace annotations{"annotations", &config.annotations}, images{"images", &config.images},
      boxes{"boxes", &config.boxes, false};
  switch (config.type) {
    case DataKind::kKarpathy:
      return {annotations, images, boxes};
    case DataKind::kCoco:
      return {annotations,
              images,
              {"val_annotations", &config.val_annotations, false},
              {"val_images", &config.val_images, !config.val_annotations.empty()},
              boxes};
    case DataKind::kFlickr8k:
      return {{"tokens", &config.tokens}, {"splits", &config.splits}, images, boxes};
    case DataKind::kFolder:
      return {{"annotations", &config.annotations, false}, images, boxes};
    case DataKind::kScenes:
      break;
  }
  return {};
}

Image LoadedData::image(Index i) const {
  const std::size_t at = place_of(dataset, i);
  return scenes ? render(scenes->scenes[at]) : read_image(dataset.images[at].path);
}

ImageSize LoadedData::image_size(Index i) const {
  const std::size_t at = place_of(dataset, i);
  if (!scenes) return read_image_size(dataset.images[at].path);
  return {scenes->scenes[at].size, scenes->scenes[at].size};
}

Split LoadedData::default_split() const {
  return images_of(dataset, Split::kTest).empty() ? Split::kVal : Split::kTest;
}

LoadedData load_data(const DataConfig& config) {
  LoadedData out;
  out.on_bad_image = config.on_bad_image;
  if (config.type == DataKind::kScenes) {
    out.scenes = draw_scenes(config);
    out.dataset = out.scenes->dataset;
    return out;
  }
  out.dataset = read_files(config);
  bool changed = limit_split(out.dataset, Split::kTrain, config.limit_train);
  changed = limit_split(out.dataset, Split::kVal, config.limit_val) || changed;
  changed = limit_captions(out.dataset, config.captions_per_image) || changed;
  if (changed) out.dataset.digest = dataset_digest(out.dataset);
  return out;
}

}  // namespace saccade
