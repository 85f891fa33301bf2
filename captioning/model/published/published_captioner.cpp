#include "captioning/model/published/published_captioner.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "captioning/model/published/captioner_configs.h"
#include "captioning/model/published/json_file.h"
#include "core/base/error.h"
#include "vision/encoders/published_preprocessing.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr double kMostPixels = 1 << 16;

bool is_extent(const Json& value) {
  return value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() < kMostPixels;
}

// One number, or the two of a rectangle.
bool is_size(const Json& value) {
  return is_extent(value) ||
         (value.is_object() && value.contains("height") && value.contains("width") &&
          is_extent(value["height"]) && is_extent(value["width"]));
}

void check_steps(const JsonFile& file) {
  for (const char* key : {"image_processor_type", "feature_extractor_type"})
    file.get<std::string>(key, "");  // throws where it is no text
  for (const auto& [key, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"do_resize", "photos of any size would reach a network that reads one size"},
           {"do_rescale", "colours would be numbers up to 255, and saccade's are shares of 1"}})
    if (!file.get<bool>(key, true)) file.refuse(key, str(why, "; remove it, or set it to true"));
  if (file.get<bool>("do_pad", false))
    file.refuse("do_pad", "photos of published captioners are not padded; set it to false");
  constexpr double kByte = 1.0 / 255, kNearly = 1e-6;
  const auto factor = file.get<double>("rescale_factor", kByte);
  if (!(std::abs(factor / kByte - 1) < kNearly))
    file.refuse("rescale_factor",
                "saccade divides colours by 255; set it to 0.00392156862745098, and image_mean and "
                "image_std to what belongs to that");
  constexpr int kFilters = 4;
  const auto filter = file.get<int>("resample", 0);
  if (file.has("resample") &&
      (!file.json()["resample"].is_number_integer() || filter < 0 || filter >= kFilters))
    file.refuse("resample",
                "saccade has 0 (nearest), 1 (lanczos), 2 (bilinear) and 3 (bicubic); set one of "
                "them");
}

void check_sizes(const JsonFile& file) {
  const bool cuts = file.get<bool>("do_center_crop", file.has("crop_size"));
  if (file.has("size")) {
    const Json& size = file.json()["size"];
    const bool shortest = size.is_object() && size.contains("shortest_edge");
    if (shortest ? !is_extent(size["shortest_edge"]) : !is_size(size))
      file.refuse("size",
                  "it should be a number of pixels, {height, width} or {shortest_edge}; copy the "
                  "file again");
    if (shortest && !cuts && !file.has("crop_pct"))
      file.refuse("size",
                  "without do_center_crop and crop_size photos would have any shape; give height "
                  "and width instead");
  }
  if (cuts && !(file.has("crop_size") && is_size(file.json()["crop_size"])))
    file.refuse("crop_size",
                "it should be a number of pixels or {height, width}; copy the file again");
  if (file.has("crop_pct") &&
      !(file.get<double>("crop_pct", 1) > 0 && file.get<double>("crop_pct", 1) <= 1))
    file.refuse("crop_pct", "it should lie above 0 and not above 1");
}

void check_colours(const JsonFile& file) {
  if (!file.get<bool>("do_normalize", true)) return;
  for (const char* key : {"image_mean", "image_std"}) {
    if (!file.has(key)) continue;
    const Json& three = file.json()[key];
    const bool deviation = key == std::string("image_std");
    if (!three.is_array() || three.size() != 3 || !std::ranges::all_of(three, [&](const Json& one) {
          return one.is_number() && std::isfinite(one.get<double>()) &&
                 (!deviation || one.get<double>() > 0);
        }))
      file.refuse(key, deviation ? "it should be three numbers above 0; copy the file again"
                                 : "it should be three numbers; copy the file again");
  }
}

// That of a folder. Throws DataError, which names the file and the key, where it is missing, where
// it prepares pictures in a way that saccade does not have, or where a value is none of its key.
JsonFile read_preprocessor(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "preprocessor_config.json";
  auto file = JsonFile::read(path);
  // What transformers 5 writes of a processor, of which the one of pictures is a part.
  if (!file)
    if (const auto whole = JsonFile::read(folder / "processor_config.json");
        whole && whole->has("image_processor"))
      file = whole->section("image_processor");
  if (!file)
    throw DataError(path.string() +
                    ": cannot be read, and no processor_config.json says how photos are prepared "
                    "for this captioner; copy it, too");
  check_steps(*file);
  check_sizes(*file);
  check_colours(*file);
  return *file;
}

namespace fs = std::filesystem;

struct Kind {
  std::string_view model_type;
  const char* what;
  CaptionerFacts (*facts)(const JsonFile&, const fs::path&);
};
constexpr Kind kKinds[] = {{"blip", "BLIP", blip_facts},
                           {"git", "GIT", git_facts},
                           {"vision-encoder-decoder", "ViT and GPT-2", vision_gpt2_facts}};

// The kind of captioner; empty where it is another model, such as one of BLIP's that answers
// questions.
std::string kind_of(const JsonFile& config) {
  const auto type = config.get<std::string>("model_type", "");
  const auto classes = config.get<std::vector<std::string>>("architectures", {});
  if (type == "blip" && !classes.empty() &&
      std::find(classes.begin(), classes.end(), "BlipForConditionalGeneration") == classes.end())
    return "";
  return std::ranges::find(kKinds, type, &Kind::model_type) == std::end(kKinds) ? "" : type;
}

// The network of the pictures and what it reads of them.
EncoderConfig encoder_of(const fs::path& folder, Index image_size) {
  EncoderConfig encoder;
  encoder.type = "hub";
  encoder.weights = folder.string();
  encoder.placeless = true;
  encoder.image_size = image_size;
  encoder.interpolation = Interpolation::kBicubic;
  const JsonFile file = read_preprocessor(folder);
  const auto pixels = published_pixels(folder);
  SACCADE_ASSERT(pixels && file.name().find(pixels->file) != std::string::npos, file.name(),
                 " is not read");
  if (pixels->colours && !pixels->pixels)
    file.refuse("image_mean",
                "with image_std it is not that of CLIP or ImageNet, nor the same for all colours, "
                "which encoder.pixels can be; change them");
  if (pixels->height > 0) {
    encoder.image_size = pixels->height;
    encoder.image_width = pixels->width == pixels->height ? 0 : pixels->width;
  }
  encoder.resize = pixels->resize.value_or(ResizeMode::kSquash);
  encoder.resize_side = pixels->resize_side;
  encoder.interpolation = pixels->interpolation.value_or(encoder.interpolation);
  encoder.pixels = pixels->pixels.value_or(PixelScale::kPlain);
  encoder.input_mean = pixels->colours ? pixels->input_mean : 0;
  encoder.input_scale = pixels->colours ? pixels->input_scale : 255;
  return encoder;
}

}  // namespace

bool is_published_captioner(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  try {
    const auto config = JsonFile::read(path / "config.json");
    return config && !kind_of(*config).empty();
  } catch (const DataError&) {
    return false;
  }
}

PublishedCaptioner read_published(const fs::path& folder) {
  const auto config = JsonFile::read(folder / "config.json");
  if (!config)
    throw DataError((folder / "config.json").string() +
                    ": cannot be opened; copy the whole folder of the captioner");
  const std::string kind = kind_of(*config);
  const auto found = std::ranges::find(kKinds, kind, &Kind::model_type);
  if (found == std::end(kKinds))
    config->refuse("model_type",
                   "of published captioners, saccade reads blip, git and "
                   "vision-encoder-decoder with gpt2");
  CaptionerFacts facts = found->facts(*config, folder);
  PublishedCaptioner out{.what = found->what,
                         .config = std::move(facts.model),
                         .search = std::move(facts.search),
                         .vocabulary = Vocabulary::published(read_tokens(folder, facts.roles))};
  out.config.encoder = encoder_of(folder, facts.image_size);
  // The word before the end is read at its position, too.
  out.search.max_length =
      std::max<Index>(std::min(out.search.max_length, out.config.decoder.longest - 1), 1);
  return out;
}

}  // namespace saccade
