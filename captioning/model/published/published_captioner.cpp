#include "captioning/model/published/published_captioner.h"

#include <algorithm>
#include <optional>

#include "captioning/model/published/captioner_configs.h"
#include "captioning/model/published/json_file.h"
#include "captioning/model/published/preprocessor_config.h"
#include "core/base/error.h"
#include "vision/encoders/published_preprocessing.h"

namespace saccade {

namespace {

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
