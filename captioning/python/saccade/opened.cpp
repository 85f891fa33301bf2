#include "captioning/python/saccade/opened.h"

#include <algorithm>
#include <utility>

#include "captioning/data/sequences/sequences_dataset.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/model/decoding/said_words.h"
#include "captioning/model/encoder_features.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/python/errors.h"
#include "captioning/python/saccade/arrays.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "core/base/choice.h"
#include "core/base/listing.h"
#include "core/parallel/kernel_parts.h"

namespace saccade::python {

namespace {

constexpr Index kTogether = 16;  // photos between two looks for signals

// Throws what reading the photo threw.
const Photo& readable(const Photo& photo) {
  if (photo.error) std::rethrow_exception(photo.error);
  return photo;
}

}  // namespace

Given given(const pybind11::handle& photo) {
  if (pybind11::isinstance<Unseen>(photo))
    return {.name = photo.cast<const Unseen&>().id, .unseen = true};
  if (pybind11::isinstance<pybind11::str>(photo)) return {.name = photo.cast<std::string>()};
  if (pybind11::isinstance<pybind11::bytes>(photo)) {
    const auto bytes = photo.cast<std::string_view>();
    if (bytes.empty()) throw DataError("bytes: there are none; give those of an image file");
    return {.name = "bytes",
            .bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}};
  }
  const auto pixels = photo.cast<pybind11::array_t<std::uint8_t, pybind11::array::c_style>>();
  SACCADE_CHECK(pixels.ndim() == 3 && pixels.shape(2) == 3 && pixels.ptr() == photo.ptr(),
                "pixels are an array [height, width, 3] of bytes");
  return {.name = "array",
          .pixels = pixels.data(),
          .height = pixels.shape(0),
          .width = pixels.shape(1)};
}

Image picture_of(const Given& photo, const MessageListener& listener, Index max_pixels) {
  if (!photo.bytes.empty()) return decode_image(photo.bytes, photo.name, listener, max_pixels);
  if (photo.pixels == nullptr) return read_image(photo.name, listener, max_pixels);
  SACCADE_CHECK(photo.height > 0 && photo.width > 0 && photo.width <= max_pixels / photo.height,
                "a picture has between 1 and ", max_pixels, " pixels; got ", photo.height, " x ",
                photo.width);
  Image image(photo.height, photo.width);
  std::copy_n(photo.pixels, image.rgb.size(), image.rgb.begin());
  return image;
}

Opened::Opened(const std::vector<std::string>& checkpoints, const std::vector<std::string>& set,
               const std::vector<std::filesystem::path>& folders, int threads,
               MessageListener listener)
    : threads_(threads), listener_(std::move(listener)) {
  const parallel::WorkOn here(threads_);
  for (const std::string& one : checkpoints) {
    members_.push_back(open_model(find_checkpoint(one, folders, listener_),
                                  {.set = set, .overrider = "load()", .listener = listener_}));
    members_.back().name = one;
    reads_features_ |= members_.back().pipeline->reads_features();
  }
  models_.emplace(std::vector<OpenModel>(members_.begin(), members_.end()));
}

std::string Opened::name() const { return join(members_, ", ", &LoadedModel::name); }

Regime Opened::regime(const std::string& name) const {
  std::vector<Regime> all = evaluation_regimes(first().config);
  for (const LoadedModel& member : members_) {
    const std::vector<Regime> own = evaluation_regimes(member.config);
    std::erase_if(all,
                  [&](Regime one) { return std::find(own.begin(), own.end(), one) == own.end(); });
  }
  if (name.empty()) return all.front();
  const auto wanted = choice<Regime>(name, "regime");
  if (std::find(all.begin(), all.end(), wanted) == all.end())
    throw UsageError(str("regime: ", this->name(), " has no regime '", name, "'; choose from ",
                         join(all, ", ", [](Regime one) { return std::string(enum_name(one)); })));
  return wanted;
}

SearchOptions Opened::search(const Asked& asked) const {
  LoadedConfig loaded{.config = first().config, .origins = {}};
  bool names_objects = false;
  for (const std::string& value : asked.set) {
    apply_override(loaded, value, "caption()");
    names_objects |= value.starts_with("search.name_objects=");
  }
  if (!names_objects) loaded.config.search.fit_naming();
  refuse_unread(asked.set, loaded.config);
  const ExperimentConfig& config = loaded.config;
  check_search(config.search, config.data, Draws::kByMode);
  SearchOptions out = search_options(config, config.search, models_->vocabulary());
  out.regime = regime(asked.regime);
  if (asked.layers && members_.size() > 1)
    throw UsageError(str("layers: the maps of an ensemble are means over its ", members_.size(),
                         " models; load a single one to get those of its layers and heads"));
  out.recording = {.layers = asked.layers, .words = asked.layers};
  out.alternatives = asked.alternatives;
  if (out.alternatives < 1)
    throw UsageError(str("alternatives: is at least 1; got ", out.alternatives));
  if (out.alternatives > 1 && (out.mode != SearchMode::kBeam || out.alternatives > out.beam))
    throw UsageError(str("alternatives: beam search finds at most one caption per hypothesis, and ",
                         "search.mode is ", enum_name(out.mode), " with search.beam ", out.beam,
                         "; give mode=\"beam\" and beam=", out.alternatives, " or more"));
  return out;
}

const Ensemble& Opened::models(const FeatureSource* features) const {
  if (!features || reads_features_) return *models_;
  const std::lock_guard lock(own_features_mutex_);
  if (!of_own_features_) {
    std::vector<OpenModel> members;
    for (const LoadedModel& member : members_)
      members.push_back(of_features(member, member.config.encoder));
    of_own_features_.emplace(std::move(members));
  }
  return *of_own_features_;
}

std::shared_ptr<const FeatureSource> Opened::features_of(const std::string& file) const {
  if (file.empty()) return nullptr;
  if (!reads_features_) {
    const OpenModel own = of_features(first(), first().config.encoder);
    return own.pipeline->features().open(file);
  }
  for (const LoadedModel& member : members_)
    if (member.pipeline->reads_features()) return member.pipeline->features().open(file);
  throw InternalError("[features] nothing reads them");
}

std::vector<Unseen> Opened::unseen(const std::string& file) const {
  const std::shared_ptr<const FeatureSource> features = features_of(file);
  if (!features)
    throw UsageError(
        "no photo is given; name one, or a file with the features of some (features=)");
  for (const LoadedModel& member : members_)
    if (member.pipeline->needs_pictures())
      throw UsageError(str("features: ", member.name, " needs the pictures, too; give them"));
  std::vector<Unseen> out;
  for (const std::string& id : features->ids()) out.push_back({id});
  return out;
}

Source Opened::source(const Given& photo, const MessageListener& listener) const {
  const Index max_pixels = first().config.data.max_pixels();
  const bool is_text = photo.pixels == nullptr && photo.bytes.empty();
  const auto with_features = [&](Source source) {
    source.features = photo.features;
    return source;
  };
  if (photo.unseen) return with_features(Source(Image()).called({photo.name}));
  if (!is_text) return with_features(picture_of(photo, listener, max_pixels));
  if (!reads_text())
    return with_features(Source(picture_of(photo, listener, max_pixels)).called({photo.name}));
  Source text(source_tokens(photo.name));
  if (text.tokens.empty())
    throw DataError(str("'", photo.name, "': the text has no tokens; give it some"));
  return text;
}

std::vector<Photo> Opened::captions(std::span<const Given> photos, const SearchOptions& search,
                                    const std::string& say) const {
  const parallel::WorkOn here(threads_);
  const parallel::SplitKernels split;  // has an effect where photos are too few for tasks
  SaidWords said;
  if (!say.empty()) {
    said = said_words(say, models_->vocabulary(), name());
    if (const std::string note = unknown_note(said, name()); !note.empty()) warn(listener_, note);
  }
  const auto read = [&](Index i, const MessageListener& note) {
    return source(photos[static_cast<std::size_t>(i)], note);
  };
  const Ensemble& models = this->models(photos.empty() ? nullptr : photos.front().features.get());
  std::vector<Photo> out;
  const Index count = static_cast<Index>(photos.size());
  for (Index first = 0; first < count; first += kTogether) {
    check_signals();
    std::vector<Photo> block =
        Photos(models, first, std::min(kTogether, count - first), read, search.name_objects > 0)
            .next();
    for (const Photo& photo : block)
      for (const std::string& warning : readable(photo).warnings) warn(listener_, warning);
    add_captions(models, block, search, said.ids);
    for (Photo& photo : block) {
      if (const std::string note = unmet_note(photo.caption); !note.empty())
        warn(listener_, photos[static_cast<std::size_t>(photo.number)].name + ": " + note);
      photo.inputs.clear();
      out.push_back(std::move(photo));
    }
  }
  return out;
}

Photo Opened::read(const Given& photo) const {
  const auto read = [&](Index, const MessageListener& note) { return source(photo, note); };
  Photo out = std::move(Photos(models(photo.features.get()), 0, 1, read, false).next().front());
  for (const std::string& warning : readable(out).warnings) warn(listener_, warning);
  return out;
}

Photo Opened::samples(const Given& photo, SearchOptions search, Index count,
                      std::vector<DecodedCaption>& drawn) const {
  const parallel::WorkOn here(threads_);
  const parallel::SplitKernels split;
  if (count < 1) throw UsageError(str("count: is at least 1; got ", count));
  Photo out = read(photo);
  search.samples = count;
  const EncodedPictures pictures(models(photo.features.get()), out.views());
  drawn = pictures.caption(search, 0);
  return out;
}

EncoderMaps Opened::encoder_maps(const Given& photo) const {
  if (members_.size() > 1)
    throw UsageError(str("the encoders of an ensemble of ", members_.size(),
                         " models have maps of their own; load a single one"));
  const parallel::WorkOn here(threads_);
  return saccade::encoder_maps(*first().model, read(photo).inputs.front().view());
}

std::shared_ptr<const Opened::Encoded> Opened::encode(const Given& photo) const {
  const parallel::WorkOn here(threads_);
  const parallel::SplitKernels split;
  return std::make_shared<const Encoded>(shared_from_this(), read(photo), photo.features.get());
}

pybind11::array Opened::features(const std::shared_ptr<const Encoded>& encoded) {
  const Ensemble& models = encoded->models->models();
  const ConstView features = encoded->pictures.members()[models.shown()[0]].images.features;
  const GridShape& grid = models.grid();
  return view_of(features.data, {grid.rows, grid.cols, features.cols()}, encoded);
}

}  // namespace saccade::python
