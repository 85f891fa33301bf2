#include "experiments/serve/live_captions.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "captioning/explorer/explorer_json.h"
#include "captioning/model/maps/caption_json.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "core/base/atomic_file.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/io/stored_zip.h"
#include "core/parallel/kernel_parts.h"
#include "experiments/process/log.h"
#include "experiments/serve/search_json.h"
#include "vision/drawing/blank_picture.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

ExperimentConfig config_for(const ShownModel& model, const RequestedSearch& requested) {
  try {
    return with_search(model.loaded->config, requested);
  } catch (const UsageError& error) {
    throw UsageError(str(model.name, ": ", error.what()));
  }
}

// Adds the effects of regions to a caption, unless there can be none or they would take too many
// steps; then it returns why.
std::string occlude(const ShownModel& model, const EncodedPhoto& photo, const SearchOptions& search,
                    Index most_steps, DecodedCaption& caption) {
  const Index regions = model.loaded->model->grid().cells();
  if (const Index steps = occlusion_steps(caption, regions); steps > most_steps)
    return str("occlusion of these words on ", regions, " regions takes ", steps,
               " decoding steps, and this server allows ", most_steps, " for a caption");
  try {
    add_effects(photo.members().front(), model.loaded->config.attention, search, caption);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// What one model returns for a photo.
struct PhotoCaptions {
  Json json;
  std::string caption;  // in the first regime
};

// `occlusion_steps`: the most that occlusion may take; 0: it is not requested.
PhotoCaptions caption_photo(const ShownModel& model, const EncodedPhoto& photo,
                            const ExperimentConfig& config, Index occlusion_steps) {
  const LoadedModel& loaded = *model.loaded;
  PhotoCaptions out;
  std::string missing;  // why there are no effects of regions
  SearchOptions search = page_search(config, loaded.model->vocabulary());
  for (const Regime regime : evaluation_regimes(config)) {
    search.regime = regime;
    DecodedCaption caption = photo.caption(search);
    if (out.json["regimes"].empty()) {
      out.caption = caption_text(caption, loaded.model->vocabulary());
      if (occlusion_steps > 0) missing = occlude(model, photo, search, occlusion_steps, caption);
    }
    out.json["regimes"][std::string(enum_name(regime))] = page_caption(
        loaded, {.image = "", .caption = std::move(caption), .geometry = photo.geometry()}, regime,
        MapDetail::kSingle);
  }
  out.json["search"] = search_json(config);
  if (!missing.empty()) out.json["no_occlusion"] = missing;
  return out;
}

// A file in memory, for what reads files alone. It is on no disk.
class MemoryFile {
 public:
  // Throws IoError where there is no memory for it.
  explicit MemoryFile(std::span<const std::uint8_t> bytes)
      : file_(::memfd_create("saccade", MFD_CLOEXEC)) {
    if (file_.fd() < 0) throw_io_error("make", "a file in memory", errno);
    if (const int error = write_all(file_.fd(), std::as_bytes(bytes)))
      throw_io_error("write", "a file in memory", error);
  }
  int fd() const { return file_.fd(); }
  // Where it can be opened while the object lives.
  std::filesystem::path path() const { return str("/proc/self/fd/", file_.fd()); }

 private:
  FileHandle file_;
};

// Opens the features that were sent with a photo, as each model reads them.
class SentFeatures {
 public:
  explicit SentFeatures(std::span<const std::uint8_t> bytes) : file_(bytes) {
    const auto starts = [&](const char* mark) {
      return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
          .starts_with(mark);
    };
    if (starts("\x89HDF"))
      throw DataError(
          "the features: HDF5 is not read from a request; send them as .npy, .npz or .safetensors");
    if (!starts("PK")) return;
    // A compressed array of zeros may have a thousand times the bytes that were sent.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
    std::uint64_t unpacked = 0;
    for (const auto& [name, place] :
         files_of_zip(file_.fd(), bytes.size(), "the features", ZipContent::kAny))
      unpacked += std::min(place.bytes, kMost + 1);
    if (unpacked > kMost)
      throw DataError(str("the features: unpacked they have more than ", kMost >> 20,
                          " MiB, the most that is taken; send those of one photo"));
  }
  std::unique_ptr<EncodedPhoto> encoded(const EncodePhoto& encode, const ShownModel& model,
                                        Source& source) const {
    const std::string path = file_.path().string();
    try {
      const OpenModel open = of_features(*model.loaded, model.loaded->config.encoder);
      source.features = open.pipeline->features().open(path);
      return encode(model, source);
    } catch (const DataError& error) {
      std::string what = error.what();
      for (auto at = what.find(path); at != std::string::npos; at = what.find(path))
        what.replace(at, path.size(), "the features");
      throw DataError(what);
    }
  }

 private:
  MemoryFile file_;
};

}  // namespace

std::unique_ptr<EncodedPhoto> encode_photo(const ShownModel& model, const Source& source) {
  OpenModel open = *model.loaded;
  if (source.features) open = of_features(open, model.loaded->config.encoder);
  return std::make_unique<EncodedPhoto>(Ensemble(std::vector<OpenModel>{open}), source,
                                        model.loaded->config.search.name_objects > 0);
}

std::string LiveCaptions::models_json(Index max_upload) const {
  Json json = {{"schema_version", 1}};
  for (const ShownModel& model : models_) {
    Json facts = model_facts(*model.loaded, model.name, model.seed);
    facts["search"] = search_json(model.loaded->config);
    if (!model.loaded->pipeline->needs_pictures()) facts["features_alone"] = true;
    json["models"].push_back(std::move(facts));
  }
  json["heat"] = heat_json();
  json["max_upload"] = max_upload;
  json["search_limits"] = search_limits();
  json["occlusion_steps"] = occlusion_steps_;
  return json_line(json);
}

// Features alone are enough for models that read nothing else.
void LiveCaptions::require_no_picture() const {
  for (const ShownModel& model : models_)
    if (model.loaded->pipeline->needs_pictures())
      throw UsageError(str("the request has features alone, and ", model.name,
                           " needs the picture, too; send both (curl -F photo=@photo.jpg -F "
                           "features=@photo.npy)"));
}

std::string LiveCaptions::caption_json(std::span<const std::uint8_t> bytes,
                                       const RequestedSearch& requested,
                                       std::span<const std::uint8_t> features) const {
  const double start = clock_seconds();
  if (requested.occlusion && occlusion_steps_ == 0)
    throw UsageError("the parameter occlusion: this server was started without occlusion");
  std::vector<ExperimentConfig> configs;  // all of them, so that a wrong one costs no captions
  for (const ShownModel& model : models_) configs.push_back(config_for(model, requested));
  std::optional<SentFeatures> sent;
  if (!features.empty()) sent.emplace(features);
  Source source = Source(Image()).called({requested.photo});
  if (!bytes.empty())
    source.picture =
        decode_image(bytes, "the picture", log::show, models_[0].loaded->config.data.max_pixels());
  else
    require_no_picture();
  Image shown = source.picture;
  const parallel::SplitKernels split;
  Json json = {{"schema_version", 2}};
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const std::unique_ptr<EncodedPhoto> photo =
        sent ? sent->encoded(encode_, models_[m], source) : encode_(models_[m], source);
    if (shown.empty()) shown = blank_picture(photo->geometry());
    PhotoCaptions captions =
        caption_photo(models_[m], *photo, configs[m], requested.occlusion ? occlusion_steps_ : 0);
    json["captions"][models_[m].name] = captions.caption;
    json["models"].push_back(std::move(captions.json));
  }
  json["seconds"] = rounded(clock_seconds() - start);
  json.update(photo_json(shown, kPagePhotoPixels));
  return json_line(json);
}

}  // namespace saccade
