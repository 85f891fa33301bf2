#include "captioning/data/load_data.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "captioning/data/data_form.h"
#include "captioning/data/data_places.h"
#include "captioning/data/data_sets.h"
#include "captioning/data/fill_splits.h"
#include "captioning/data/readers.h"
#include "captioning/data/scenes/scene_motion.h"
#include "captioning/data/scenes/scene_renderer.h"
#include "captioning/data/sequences/source_picture.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/picture_names.h"

namespace saccade {

namespace {

constexpr Index kMostSceneCaptions = 100;
constexpr const char* kSection = "data";

// Throws for files and folders that are not given or do not exist, all at once.
void require_places(const DataConfig& config, ImageFolders folders) {
  std::string lines = join(missing_places(config, folders), "\n");
  if (!lines.empty()) throw DataError(lines);
}

Dataset read_files(const DataConfig& config) {
  switch (config.type) {
    case DataKind::kKarpathy:
      return read_karpathy({.annotations = config.annotations, .images = config.images});
    case DataKind::kCoco:
      return read_coco({.train = config.annotations,
                        .train_images = config.images,
                        .val = config.val_annotations,
                        .val_images = config.val_images});
    case DataKind::kFlickr8k:
      return read_flickr8k(
          {.tokens = config.tokens, .splits = config.splits, .images = config.images});
    case DataKind::kFolder:
      return read_folder({.images = config.images, .captions = config.annotations});
    case DataKind::kScenes:
    case DataKind::kSequences:
    case DataKind::kJoined:
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
    dataset.notes.push_back(str("left out ",
                                counted(static_cast<Index>(dropped), "training caption"),
                                " beyond the first ", limit, " of their image"));
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
                         .frames = config.scenes.frames,
                         .captions = std::min(captions, kMostSceneCaptions)});
}

SequencesDataset draw_sequences(const DataConfig& config) {
  SequencesConfig sequences = config.sequences;
  sequences.train = limited(sequences.train, config.limit_train);
  sequences.val = limited(sequences.val, config.limit_val);
  return sequences_dataset(sequences);
}

// "; set data.type=coco, which reads COCO captions JSON", where a file of captions has the form of
// another data.type than the one that was given; else "".
std::string right_type(const DataConfig& config, const std::string& section) {
  const bool reads_tokens = config.type == DataKind::kFlickr8k;
  const std::string file = reads_tokens                 ? config.tokens
                           : config.annotations.empty() ? captions_beside(config.images).string()
                                                        : config.annotations;
  try {
    const DataForm form = data_form(read_captions_text(file, "captions file"), file);
    if (form.type == config.type || !form.sure) return "";
    const std::string other_key = reads_tokens                       ? "annotations"
                                  : form.type == DataKind::kFlickr8k ? "tokens"
                                                                     : "";
    return str("; set ", section, ".type=", enum_name(form.type),
               other_key.empty() ? "" : str(" and ", section, ".", other_key), ", which reads ",
               form.text);
  } catch (const DataError&) {  // what is wrong with it has been said
    return "";
  }
}

// Reads the files of one data set. `section` is that of the config: data, or data.sets.NAME, which
// stands before what is wrong.
Dataset read_set(const DataConfig& config, const std::string& section) {
  const std::string place = section == kSection ? "" : section + ": ";
  try {
    Dataset out = read_files(config);
    fill_splits(out, config.split);
    bool changed = limit_split(out, Split::kTrain, config.limit_train);
    changed = limit_split(out, Split::kVal, config.limit_val) || changed;
    changed = limit_captions(out, config.captions_per_image) || changed;
    if (changed) out.digest = dataset_digest(out);
    return out;
  } catch (const DataError& error) {
    throw DataError(str(place, error.what(), right_type(config, section)));
  } catch (const UsageError& error) {
    throw UsageError(place + error.what());
  }
}

// How many photos one set has for training and another one for something else, for every pair that
// has any: scores of the other split would then be of photos that were learned.
std::vector<std::string> shared_photos(const Dataset& dataset) {
  struct Use {
    std::size_t set = 0;
    Split split = Split::kTrain;
  };
  std::map<std::string, Use> first;
  std::map<std::string, Index> counts;
  for (std::size_t set = 0; set < dataset.parts.size(); ++set)
    for (Index i = dataset.parts[set].begin; i < dataset.parts[set].end; ++i) {
      const CaptionedImage& image = dataset.images[static_cast<std::size_t>(i)];
      if (image.path.empty()) continue;
      const Use use{.set = set, .split = image.split};
      const auto path = std::filesystem::path(image.path).lexically_normal().string();
      const auto [other, fresh] = first.try_emplace(path, use);
      const Use& known = other->second;
      if (fresh || known.set == set || known.split == use.split) continue;
      if (known.split != Split::kTrain && use.split != Split::kTrain) continue;
      ++counts[str("photos in the split ", split_name(known.split), " of ",
                   dataset.parts[known.set].name, " and in ", split_name(use.split), " of ",
                   dataset.parts[set].name)];
    }
  std::vector<std::string> notes;
  for (const auto& [what, count] : counts)
    notes.push_back(str(what, ": ", count, "; they are scored though training has seen them"));
  return notes;
}

// Joins the sets one after the other. Their numbers may be equal, so that images are known by their
// ids, which begin with the names of the sets.
void join_sets(const DataConfig& config, LoadedData& out) {
  out.dataset.numbers_are_places = true;
  Digest digest;
  for (const NamedDataConfig& set : joined_sets(config)) {
    const std::string section = str(kSection, ".sets.", set.name);
    Dataset one = read_set(set.config, section);
    for (const JoinedSet& other : out.sets)
      if (other.dataset.digest == one.digest)
        throw DataError(
            str(section, ": has the images and captions of data.sets.",
                out.dataset.parts[static_cast<std::size_t>(&other - out.sets.data())].name,
                " again; give each set files of its own (", section,
                ".annotations, .images), or set data.type to that of a single data "
                "set"));
    const auto begin = static_cast<Index>(out.dataset.images.size());
    for (CaptionedImage image : one.images) {
      image.id = set.name + "/" + image.id;
      image.number = static_cast<Index>(out.dataset.images.size());
      out.dataset.images.push_back(std::move(image));
    }
    out.dataset.name += (out.dataset.name.empty() ? "" : " + ") + set.name;
    out.dataset.parts.push_back(
        {.name = set.name, .begin = begin, .end = static_cast<Index>(out.dataset.images.size())});
    for (const std::string& note : one.notes) out.dataset.notes.push_back(set.name + ": " + note);
    if (images_of(one, Split::kTrain).empty())
      out.dataset.notes.push_back(set.name + ": none of its images is for training");
    digest.add("1");  // as the models that come with the program have it
    out.sets.push_back({.config = set.config, .dataset = std::move(one)});
  }
  for (std::string& note : shared_photos(out.dataset)) out.dataset.notes.push_back(std::move(note));
  digest.add(dataset_digest(out.dataset));
  out.dataset.digest = digest.hex();  // not of the shares, which are no part of what files hold
}

std::size_t place_of(const Dataset& dataset, Index image) {
  const auto place = static_cast<std::size_t>(image);
  SACCADE_CHECK(image >= 0 && place < dataset.images.size(), "[image] ", dataset.name, " has ",
                dataset.images.size(), " images, and none with the number ", image);
  return place;
}

}  // namespace

Image LoadedData::image(Index i) const {
  const std::size_t at = place_of(dataset, i);
  if (sequences) return draw_source(sequences->texts[at].tokens);
  if (!scenes) return read_image(dataset.images[at].path, {}, max_pixels);
  const Scene& scene = scenes->scenes[at];
  return scene.moves() ? render_frames(scene) : render(scene);
}

bool LoadedData::has_picture(Index i) const {
  if (is_drawn()) return true;
  const std::filesystem::path path = dataset.images[place_of(dataset, i)].path;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (named_as_picture(path)) return true;
  try {  // a sound, or a picture without the ending of one
    read_image_size(path, max_pixels);
    return true;
  } catch (const Error&) {
    return false;
  }
}

ImageSize LoadedData::image_size(Index i) const {
  const std::size_t at = place_of(dataset, i);
  if (sequences) return source_size(sequences->texts[at].tokens);
  if (!scenes) return read_image_size(dataset.images[at].path, max_pixels);
  const Scene& scene = scenes->scenes[at];
  return {scene.size, scene.frames * scene.size};
}

const SourceText* LoadedData::text(Index i) const {
  const std::size_t at = place_of(dataset, i);
  return sequences ? &sequences->texts[at] : nullptr;
}

std::vector<std::string> LoadedData::source_words() const {
  return sequences ? sequences->words : std::vector<std::string>();
}

Split LoadedData::default_split() const {
  return images_of(dataset, Split::kTest).empty() ? Split::kVal : Split::kTest;
}

LoadedData load_data(const DataConfig& config, ImageFolders folders) {
  LoadedData out;
  out.on_bad_image = config.on_bad_image;
  out.max_pixels = config.max_pixels();
  if (config.type == DataKind::kScenes) {
    out.scenes = draw_scenes(config);
    out.dataset = out.scenes->dataset;
    return out;
  }
  if (config.type == DataKind::kSequences) {
    out.sequences = draw_sequences(config);
    out.dataset = out.sequences->dataset;
    return out;
  }
  require_places(config, folders);
  if (config.type == DataKind::kJoined)
    join_sets(config, out);
  else
    out.dataset = read_set(config, kSection);
  return out;
}

void require_validation(const LoadedData& data) {
  const Dataset& dataset = data.dataset;
  if (data.is_drawn() || !images_of(dataset, Split::kVal).empty()) return;
  std::string keys = "data.split.val";
  for (const DatasetPart& part : dataset.parts)
    keys += str(" or data.sets.", part.name, ".split.val");
  const bool few = images_of(dataset, Split::kTrain).size() < 2;
  throw DataError(str(dataset.name,
                      ": there is no image in split val, on which training validates; ",
                      few ? std::string("add images")
                          : str("set ", keys,
                                " above 0, which takes a share of the training "
                                "images")));
}

}  // namespace saccade
