#include "captioning/model/decoding/photo.h"

#include <algorithm>

#include "captioning/data/sequences/source_picture.h"
#include "captioning/model/decoding/decode_images.h"
#include "core/base/error.h"
#include "vision/drawing/blank_picture.h"

namespace saccade {

namespace {

constexpr Index kBlock = 32;  // photos in memory at once

// A photo that nothing is known of yet.
Photo empty_photo(const Ensemble& models) {
  Photo photo;
  for (std::size_t m = 0; m < models.size(); ++m)
    photo.inputs.emplace_back(models.member(m).input_shape(), 1);
  return photo;
}

void fill(const Ensemble& models, const Source& source, bool classify, Photo& photo) {
  const std::optional<std::size_t> classifying = classify ? models.classifying() : std::nullopt;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const InputPipeline& pipeline = *models.member(m).pipeline;
    if (source.picture.empty() && pipeline.needs_pictures())
      throw DataError(str(source.names.empty() ? "a photo" : source.names.front(),
                          ": its picture is not there, and the model needs it; give the picture"));
    const std::span<Real> input = photo.inputs[m].values_of(0);
    const Geometry geometry =
        !source.tokens.empty() ? pipeline.run_text(source.tokens, input)
        : pipeline.reads_features()
            ? pipeline.run_features(
                  {.height = source.picture.height, .width = source.picture.width}, source.names,
                  source.features.get(), input)
            : pipeline.run(source.picture, input, m == classifying ? &photo.seen : nullptr);
    photo.inputs[m].set_area(0, picture_area(geometry));
    if (m == models.shown()[0]) photo.geometry = geometry;
  }
}

Photo filled(const Ensemble& models, const Source& source, bool classify) {
  Photo photo = empty_photo(models);
  fill(models, source, classify, photo);
  return photo;
}

}  // namespace

Source::Source(std::vector<std::string> text) : tokens(std::move(text)) {
  if (!tokens.empty()) picture = draw_source(tokens);
}

Source Source::called(std::vector<std::string> by) && {
  names = std::move(by);
  return std::move(*this);
}

std::vector<InputView> Photo::views() const {
  std::vector<InputView> out;
  for (const InputBatch& input : inputs) out.push_back(input.view());
  return out;
}

std::vector<Photo> Photos::next() {
  std::vector<Photo> block(static_cast<std::size_t>(std::min(kBlock, end_ - next_)));
  parallel::for_each(static_cast<Index>(block.size()), [&](Index i) {
    Photo& photo = block[static_cast<std::size_t>(i)] = empty_photo(models_);
    photo.number = next_ + i;
    const auto warn = [&](Severity, const std::string& text) { photo.warnings.push_back(text); };
    try {
      Source source = read_(photo.number, warn);
      fill(models_, source, classify_, photo);
      if (keep_pictures_)
        photo.picture =
            source.picture.empty() ? blank_picture(photo.geometry) : std::move(source.picture);
      photo.tokens = std::move(source.tokens);
    } catch (const DataError&) {
      photo.error = std::current_exception();
    } catch (const IoError&) {
      photo.error = std::current_exception();
    }
  });
  next_ += static_cast<Index>(block.size());
  return block;
}

void add_captions(const Ensemble& models, std::span<Photo> photos, const SearchOptions& search,
                  std::span<const int> given) {
  const auto good =
      std::find_if(photos.begin(), photos.end(), [](const Photo& photo) { return !photo.error; });
  if (good == photos.end()) return;
  // In the place of a photo that cannot be read stands another, so that batches and random draws
  // are those that the other photos have without it; what is said of it is dropped.
  const auto shown = [&](Index i) -> Photo& {
    Photo& photo = photos[static_cast<std::size_t>(i)];
    return photo.error ? *good : photo;
  };
  const auto load = [&](Index i, std::size_t member, std::span<float> out) {
    InputBatch& input = shown(i).inputs[member];
    std::copy(input.values_of(0).begin(), input.values_of(0).end(), out.begin());
    return input.area(0);
  };
  const auto seen = [&](Index i) { return shown(i).seen; };
  std::vector<DecodedCaption> captions = decode(models, {.count = static_cast<Index>(photos.size()),
                                                         .load = load,
                                                         .search = search,
                                                         .seen = seen,
                                                         .given = given,
                                                         .first_image = photos.front().number});
  for (std::size_t i = 0; i < photos.size(); ++i)
    if (!photos[i].error) photos[i].caption = std::move(captions[i]);
}

EncodedPhoto Ensemble::read(const Source& source, bool classify) const {
  return {*this, source, classify};
}

EncodedPhoto::EncodedPhoto(Ensemble models, const Source& source, bool classify)
    : models_(std::move(models)),
      photo_(filled(models_, source, classify)),
      pictures_(models_, photo_.views()) {}

DecodedCaption EncodedPhoto::caption(const SearchOptions& search) const {
  return std::move(
      pictures_.caption(search, static_cast<std::uint64_t>(photo_.number), {&photo_.seen, 1})
          .front());
}

}  // namespace saccade
