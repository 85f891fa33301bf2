#include "vision/encoders/published_preprocessing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr PublishedColours kImagenetColours{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
constexpr PublishedColours kClipColours{{0.48145466F, 0.4578275F, 0.40821073F},
                                        {0.26862954F, 0.26130258F, 0.27577711F}};

// PIL numbers its filters; timm and OpenCLIP write their names.
std::optional<Interpolation> interpolation_of(const Json& value) {
  if (value == 0 || value == "nearest") return Interpolation::kNearest;
  if (value == 1 || value == "lanczos") return Interpolation::kLanczos;
  if (value == 2 || value == "bilinear") return Interpolation::kBilinear;
  if (value == 3 || value == "bicubic") return Interpolation::kBicubic;
  return std::nullopt;
}

Json at(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) ? json[key] : Json();
}

Index extent(const Json& value) {
  constexpr double kMost = 1 << 16;
  return value.is_number() && value.get<double>() >= 1 && value.get<double>() < kMost
             ? value.get<Index>()
             : 0;
}

std::optional<std::array<float, 3>> three(const Json& value) {
  if (!value.is_array() || value.size() != 3 ||
      !std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number(); }))
    return std::nullopt;
  return value.get<std::array<float, 3>>();
}

bool alike(const PublishedColours& a, const PublishedColours& b) {
  constexpr float kNearly = 1e-4F;
  for (std::size_t c = 0; c < 3; ++c)
    if (std::abs(a.mean[c] - b.mean[c]) > kNearly ||
        std::abs(a.deviation[c] - b.deviation[c]) > kNearly)
      return false;
  return true;
}

void set_colours(PublishedPixels& pixels, const Json& mean, const Json& deviation, bool twice) {
  const auto m = three(mean), d = three(deviation);
  if (!m || !d) return;
  pixels.colours = PublishedColours{*m, *d};
  // EfficientNet's colours are divided a second time.
  if (twice)
    for (float& one : pixels.colours->deviation) one *= one;
  const PublishedColours &own = *pixels.colours,
                         grey{{own.mean[0], own.mean[0], own.mean[0]},
                              {own.deviation[0], own.deviation[0], own.deviation[0]}};
  if (alike(own, kImagenetColours)) pixels.pixels = PixelScale::kImagenet;
  if (alike(own, kClipColours)) pixels.pixels = PixelScale::kClip;
  if (alike(own, grey)) {
    pixels.pixels = PixelScale::kPlain;
    pixels.input_mean = 255 * double{own.mean[0]};
    pixels.input_scale = 255 * double{own.deviation[0]};
  }
}

// transformers. `size` is a number in old files, the shortest side or both sides; behind it may be
// a cut, whose extents are then those of the network's input.
void read_transformers(const Json& json, PublishedPixels& pixels) {
  const Json size = at(json, "size"), crop = at(json, "crop_size");
  const std::string kind =
      json.value("image_processor_type", json.value("feature_extractor_type", std::string()));
  const bool squashes_numbers = kind.starts_with("ViT") || kind.starts_with("DeiT");
  const Index shortest = size.is_number() && squashes_numbers ? 0
                         : size.is_number()                   ? extent(size)
                                                              : extent(at(size, "shortest_edge"));
  Index height = shortest, width = shortest;
  if (shortest == 0) {
    height = size.is_number() ? extent(size) : extent(at(size, "height"));
    width = size.is_number() ? extent(size) : extent(at(size, "width"));
  }
  constexpr Index kSquashedFrom = 384;
  const Json share = at(json, "crop_pct");
  const bool cuts = at(json, "do_center_crop") == true ||
                    (at(json, "do_center_crop").is_null() && !crop.is_null());
  if (share.is_number() && share.get<double>() > 0 && shortest > 0) {
    const bool whole = shortest >= kSquashedFrom;
    pixels.resize = whole ? ResizeMode::kSquash : ResizeMode::kCenter;
    if (!whole)
      pixels.resize_side = static_cast<Index>(static_cast<double>(shortest) / share.get<double>());
  } else if (cuts && !crop.is_null()) {
    pixels.resize = shortest > 0 ? ResizeMode::kCenter : ResizeMode::kSquashCenter;
    pixels.resize_side = height;
    height = crop.is_number() ? extent(crop) : extent(at(crop, "height"));
    width = crop.is_number() ? extent(crop) : extent(at(crop, "width"));
  } else if (height > 0) {
    pixels.resize = shortest > 0 ? ResizeMode::kCenter : ResizeMode::kSquash;
  }
  if (height > 0 && width > 0) {
    pixels.height = height;
    pixels.width = width;
  }
  pixels.interpolation = interpolation_of(at(json, "resample"));
  if (at(json, "do_normalize") != false)
    set_colours(pixels, at(json, "image_mean"), at(json, "image_std"),
                kind.starts_with("EfficientNet") && at(json, "include_top") != false);
}

void read_timm(const Json& json, PublishedPixels& pixels) {
  const Json config = at(json, "pretrained_cfg"), size = at(config, "input_size");
  if (size.is_array() && size.size() == 3) {
    pixels.height = extent(size[1]);
    pixels.width = extent(size[2]);
  }
  const Json share = at(config, "crop_pct"), mode = at(config, "crop_mode");
  constexpr double kUsual = 0.875;
  const double kept = share.is_number() && share.get<double>() > 0 ? share.get<double>() : kUsual;
  const auto side = static_cast<Index>(std::floor(static_cast<double>(pixels.height) / kept));
  if (mode == "squash")
    pixels.resize = kept == 1 ? ResizeMode::kSquash : ResizeMode::kSquashCenter;
  else
    pixels.resize = mode == "border" ? ResizeMode::kPad : ResizeMode::kCenterEven;
  if (pixels.resize != ResizeMode::kSquash && pixels.resize != ResizeMode::kPad)
    pixels.resize_side = side;
  pixels.interpolation = interpolation_of(at(config, "interpolation"));
  set_colours(pixels, at(config, "mean"), at(config, "std"), false);
}

void read_openclip(const Json& json, PublishedPixels& pixels) {
  const Json config = at(json, "preprocess_cfg"), vision = at(at(json, "model_cfg"), "vision_cfg");
  const Json size = at(config, "size").is_null() ? at(vision, "image_size") : at(config, "size");
  pixels.height = size.is_array() && size.size() == 2 ? extent(size[0]) : extent(size);
  pixels.width = size.is_array() && size.size() == 2 ? extent(size[1]) : extent(size);
  const Json mode = at(config, "resize_mode");
  pixels.resize = mode == "squash"    ? ResizeMode::kSquash
                  : mode == "longest" ? ResizeMode::kPad
                                      : ResizeMode::kCenterEven;
  const Json filter = at(config, "interpolation");
  pixels.interpolation = filter.is_null() ? Interpolation::kBicubic : interpolation_of(filter);
  set_colours(pixels, at(config, "mean"), at(config, "std"), false);
  if (!pixels.colours) {
    pixels.colours = kClipColours;
    pixels.pixels = PixelScale::kClip;
  }
}

// What transformers 5 writes of a processor, of which the one of pictures is a part.
void read_processor(const Json& json, PublishedPixels& pixels) {
  read_transformers(json.at("image_processor"), pixels);
}

constexpr struct {
  const char* file;
  const char* key;  // which an object of this kind has
  void (*read)(const Json&, PublishedPixels&);
} kFiles[] = {{"preprocessor_config.json", "", read_transformers},
              {"processor_config.json", "image_processor", read_processor},
              {"config.json", "pretrained_cfg", read_timm},
              {"open_clip_config.json", "preprocess_cfg", read_openclip}};

}  // namespace

std::optional<PublishedColours> published_colours(PixelScale pixels) {
  if (pixels == PixelScale::kImagenet) return kImagenetColours;
  if (pixels == PixelScale::kClip) return kClipColours;
  return std::nullopt;
}

std::optional<PublishedPixels> published_pixels(const std::filesystem::path& weights) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(weights, error);
  for (const auto& [file, key, read] : kFiles) {
    const std::filesystem::path place = (folder ? weights : weights.parent_path()) / file;
    const std::optional<std::string> text = whole_file(place);
    if (!text) continue;
    const Json json = shallow_json<Json>(*text);
    if (!json.is_object())
      throw DataError(place.string() + ": it is no JSON object; copy the file again");
    if (key[0] != '\0' && !at(json, key).is_object()) continue;
    PublishedPixels pixels{.file = file};
    try {
      read(json, pixels);
    } catch (const Json::exception&) {  // a value of another kind
      continue;
    }
    return pixels;
  }
  return std::nullopt;
}

}  // namespace saccade
