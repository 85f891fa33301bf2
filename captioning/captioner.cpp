#include "captioning/captioner.h"

#include <algorithm>
#include <iterator>

#include "captioning/learning/runs/named_models.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/model/decoding/photo.h"
#include "captioning/model/maps/caption_text.h"
#include "core/attention/attention_registry.h"
#include "core/base/error.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/parallel.h"
#include "vision/drawing/overlay.h"

namespace saccade {

namespace {

Image image_of(const PixelView& pixels, Index max_pixels) {
  SACCADE_CHECK(pixels.rgb != nullptr && pixels.height > 0 && pixels.width > 0,
                "[captioner] a picture has positive extents; got ", pixels.height, " x ",
                pixels.width);
  SACCADE_CHECK(pixels.width <= max_pixels / pixels.height, "[captioner] a picture of ",
                pixels.height, " x ", pixels.width, " pixels is too large");
  const Index row = 3 * pixels.width, stride = pixels.row_bytes == 0 ? row : pixels.row_bytes;
  SACCADE_CHECK(stride >= row, "[captioner] a row of ", pixels.width, " pixels has ", row,
                " bytes; row_bytes is ", stride);
  Image image(pixels.height, pixels.width);
  for (Index y = 0; y < image.height; ++y)
    std::copy_n(pixels.rgb + y * stride, row, image.pixel(y, 0));
  return image;
}

std::vector<std::string> overrides_of(const CaptionerOptions& options) {
  std::vector<std::string> overrides = options.set;
  if (options.beam) overrides.push_back(str("search.beam=", *options.beam));
  if (options.max_length) overrides.push_back(str("search.max_length=", *options.max_length));
  return overrides;
}

// The heads of the layer that a word's map is of, among all of its maps.
std::vector<AttentionMap> last_heads(const DecodedWord& word) {
  std::vector<AttentionMap> heads;
  std::copy_if(word.parts.begin(), word.parts.end(), std::back_inserter(heads),
               [&](const AttentionMap& part) {
                 return part.layer == word.map.layer && part.head.count > 1;
               });
  return heads;
}

// The caption of a search that recorded the maps of every layer and head (`all_maps`), or not.
Caption caption_of(const DecodedCaption& decoded, const Geometry& geometry,
                   const Vocabulary& vocabulary, bool all_maps) {
  Caption out{.text = caption_text(decoded, vocabulary),
              .words = {},
              .log_probability = decoded.log_prob,
              .finished = decoded.finished,
              .unmet = decoded.unmet,
              .height = geometry.original_height,
              .width = geometry.original_width};
  for (const DecodedWord& one : decoded.words) {
    CaptionWord& word = out.words.emplace_back(CaptionWord{.text = word_text(one, vocabulary),
                                                           .log_probability = one.log_prob,
                                                           .map = one.map,
                                                           .heads = last_heads(one)});
    if (!all_maps || one.map.weights.empty()) continue;
    const std::span<const AttentionMap> maps = single_maps(one);
    word.all_maps.assign(maps.begin(), maps.end());
  }
  return out;
}

}  // namespace

struct Captioner::Impl {
  parallel::ThreadPool threads;
  MessageListener listener;
  LoadedModel open;
  std::optional<Ensemble> models;
  SearchOptions search;

  explicit Impl(const CaptionerOptions& options)
      : threads(options.threads), listener(options.listener) {}

  void load(const std::filesystem::path& checkpoint, const CaptionerOptions& options) {
    open = open_model(find_checkpoint(checkpoint.string(), options.models, options.listener),
                      {.set = overrides_of(options),
                       .added = options.attention,
                       .overrider = "CaptionerOptions",
                       .listener = options.listener});
    models.emplace(std::vector<OpenModel>{open});
    check_search(open.config.search, open.config.data, Draws::kByMode);
    search = search_options(open.config, open.config.search, models->vocabulary());
    search.recording.layers = options.all_maps;
  }

  Index max_pixels() const { return open.config.data.max_pixels(); }

  Caption caption(const DecodedCaption& decoded, const Geometry& geometry) const {
    return caption_of(decoded, geometry, models->vocabulary(), search.recording.layers);
  }

  Geometry geometry_of(const Caption& caption, const Image& image) const {
    if (!open.pipeline->reads_features())
      return plan_geometry(image.height, image.width, open.pipeline->preparation());
    return geometry_of_features(
        {.height = image.height, .width = image.width},
        caption.words.empty() ? RegionPlaces() : caption.words[0].map.layout.places);
  }

  Overlay overlay(const Caption& caption, const PixelView& picture) const {
    if (!models->has_maps())
      throw UsageError(
          "the model has no attention to draw (attention.score is none); take one that has");
    SACCADE_CHECK(caption.height == picture.height && caption.width == picture.width,
                  "[captioner] a caption of a picture of ", caption.height, " x ", caption.width,
                  " pixels cannot be drawn on one of ", picture.height, " x ", picture.width,
                  "; give the picture that was captioned");
    auto image = std::make_shared<const Image>(image_of(picture, max_pixels()));
    Overlay out{.image = image,
                .geometry = geometry_of(caption, *image),
                .words = {},
                .caption = caption.text};
    const RegionLayout own{models->grid()};
    for (const CaptionWord& word : caption.words) {
      SACCADE_CHECK(word.map.layout.grid == own.grid, "[captioner] the map of '", word.text,
                    "' lies on a ", word.map.layout.name(), ", and the model attends to a ",
                    own.name());
      out.words.push_back(
          {.text = word.text, .map = word.map, .log_probability = word.log_probability});
    }
    return out;
  }
};

Captioner::Captioner(const std::filesystem::path& checkpoint, const CaptionerOptions& options)
    : impl_(std::make_unique<Impl>(options)) {
  const parallel::WorkOn here(impl_->threads);
  impl_->load(checkpoint, options);
}

Captioner::~Captioner() = default;
Captioner::Captioner(Captioner&&) noexcept = default;
Captioner& Captioner::operator=(Captioner&&) noexcept = default;

Caption Captioner::caption(const std::filesystem::path& picture) const {
  return std::move(captions({&picture, 1}).front());
}

Caption Captioner::caption(const PixelView& picture) const {
  const parallel::WorkOn here(impl_->threads);
  const parallel::SplitKernels split;
  const EncodedPhoto photo =
      impl_->models->read(image_of(picture, impl_->max_pixels()), impl_->search.name_objects > 0);
  return impl_->caption(photo.caption(impl_->search), photo.geometry());
}

std::vector<Caption> Captioner::captions(std::span<const std::filesystem::path> pictures) const {
  const parallel::WorkOn here(impl_->threads);
  const parallel::SplitKernels split;  // has an effect where pictures are too few for tasks
  std::vector<Caption> out;
  const auto read = [&](Index i, const MessageListener& note) -> Source {
    const std::filesystem::path& path = pictures[static_cast<std::size_t>(i)];
    return Source(read_image(path, note, impl_->max_pixels())).called({path.string()});
  };
  Photos photos(*impl_->models, 0, static_cast<Index>(pictures.size()), read,
                impl_->search.name_objects > 0);
  for (auto block = photos.next(); !block.empty(); block = photos.next()) {
    for (const Photo& photo : block)
      if (photo.error) std::rethrow_exception(photo.error);
    for (const Photo& photo : block)
      for (const std::string& warning : photo.warnings) warn(impl_->listener, warning);
    add_captions(*impl_->models, block, impl_->search);
    for (const Photo& photo : block) out.push_back(impl_->caption(photo.caption, photo.geometry));
  }
  return out;
}

bool Captioner::has_attention() const { return impl_->models->has_maps(); }

std::string Captioner::config() const { return print_config(impl_->open.config); }

Image Captioner::draw(const Caption& caption, const PixelView& picture,
                      const OverlayOptions& options) const {
  const parallel::WorkOn here(impl_->threads);
  const Overlay overlay = impl_->overlay(caption, picture);
  return draw_sheet({&overlay, 1}, options);
}

Image Captioner::draw_word(const Caption& caption, Index word, const PixelView& picture,
                           const OverlayOptions& options) const {
  SACCADE_CHECK(word >= 0 && word < static_cast<Index>(caption.words.size()), "[captioner] word ",
                word, " of a caption of ", caption.words.size(), " words");
  const parallel::WorkOn here(impl_->threads);
  return draw_panel(impl_->overlay(caption, picture), word, options);
}

}  // namespace saccade
