#include "captioning/model/published/captioner_configs.h"

#include "captioning/model/published/json_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

WordActivation activation_of(const JsonFile& config, const std::string& key, const char* usual) {
  const auto name = config.get<std::string>(key, usual);
  if (name == "gelu") return WordActivation::kGelu;
  if (name == "relu") return WordActivation::kRelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return WordActivation::kTanhGelu;
  config.refuse(key, "saccade's decoder has gelu, gelu_new and relu; use another captioner");
}

Index extent(const JsonFile& config, const std::string& key, Index usual, Index least = 1) {
  constexpr Index kMost = 1 << 22;
  const auto value = config.get<Index>(key, usual);
  if (value < least || value > kMost) config.refuse(key, "which is no extent; copy the file again");
  return value;
}

// Refuses a value with which the network computes something else.
template <class T>
void require(const JsonFile& config, const std::string& key, const T& value) {
  if (config.get<T>(key, value) != value)
    config.refuse(key, str("with which the network computes what saccade's decoder does not; "
                           "only captioners with ",
                           nlohmann::json(value).dump(), " can be read"));
}

struct DecoderExtents {
  Index hidden, heads, layers, dense, longest;
};

// What the decoders have in common.
ModelConfig model_of(const JsonFile& config, const DecoderExtents& extents, const char* heads) {
  if (extents.hidden % extents.heads != 0)
    config.refuse(heads,
                  str("which does not divide the width ", extents.hidden, "; copy the file again"));
  ModelConfig model;
  model.attention.score = "scaled_dot";
  model.attention.gate = "none";
  model.attention.heads = extents.heads;
  model.attention.hidden = extents.hidden;
  model.attention.value_projection = extents.heads == 1;
  model.attention.value_width = extents.hidden;
  DecoderConfig& decoder = model.decoder;
  decoder.type = "transformer";
  decoder.hidden = decoder.embedding = extents.hidden;
  decoder.heads = extents.heads;
  decoder.layers = extents.layers;
  decoder.dense = extents.dense;
  decoder.longest = extents.longest;
  decoder.positions = WordPositions::kLearned;
  decoder.scale_embeddings = false;
  decoder.tie_embeddings = true;
  return model;
}

// What is added to the variances of norms.
double epsilon_of(const JsonFile& section, const char* key, double fallback) {
  const auto epsilon = section.get<double>(key, fallback);
  if (!(epsilon > 0 && epsilon < 1)) section.refuse(key, "it should lie between 0 and 1");
  return epsilon;
}

}  // namespace

CaptionerFacts blip_facts(const JsonFile& config, const std::filesystem::path& folder) {
  const JsonFile text = config.section("text_config");
  require(text, "is_decoder", true);
  require(config, "tie_word_embeddings", true);
  require(text, "tie_word_embeddings", true);
  ModelConfig model = model_of(text,
                               {.hidden = extent(text, "hidden_size", 768),
                                .heads = extent(text, "num_attention_heads", 8),
                                .layers = extent(text, "num_hidden_layers", 12),
                                .dense = extent(text, "intermediate_size", 3072),
                                .longest = extent(text, "max_position_embeddings", 512)},
                               "num_attention_heads");
  model.decoder.norm = NormPlacement::kPost;
  model.decoder.epsilon = epsilon_of(text, "layer_norm_eps", 1e-12);
  model.decoder.activation = activation_of(text, "hidden_act", "gelu");
  model.decoder.dropout = text.get<double>("hidden_dropout_prob", 0);
  model.decoder.embedding_norm = model.decoder.output_layer = true;
  return {.model = std::move(model),
          .roles = {.pad = extent(text, "pad_token_id", 0, 0),
                    .bos = extent(text, "bos_token_id", 30522, 0),
                    .eos = extent(text, "sep_token_id", 102, 0),
                    .count = extent(text, "vocab_size", 30524)},
          .search = read_generation(folder, {config, text}),
          .image_size = extent(config.section("vision_config"), "image_size", 384)};
}

CaptionerFacts git_facts(const JsonFile& config, const std::filesystem::path& folder) {
  const JsonFile vision = config.section("vision_config");
  require(config, "tie_word_embeddings", false);
  if (config.has("num_image_with_embedding"))
    config.refuse("num_image_with_embedding", "this captioner is for videos; saccade reads photos");
  constexpr double kNormOfRegions = 1e-5;  // the decoder's norm of its regions
  require(vision, "layer_norm_eps", kNormOfRegions);
  ModelConfig model = model_of(config,
                               {.hidden = extent(config, "hidden_size", 768),
                                .heads = extent(config, "num_attention_heads", 12),
                                .layers = extent(config, "num_hidden_layers", 6),
                                .dense = extent(config, "intermediate_size", 3072),
                                .longest = extent(config, "max_position_embeddings", 1024)},
                               "num_attention_heads");
  model.attention = {};
  DecoderConfig& decoder = model.decoder;
  decoder.image = ImageEntry::kPrefix;
  decoder.norm = NormPlacement::kPost;
  decoder.epsilon = epsilon_of(config, "layer_norm_eps", 1e-12);
  decoder.activation = activation_of(config, "hidden_act", "gelu");
  decoder.dropout = config.get<double>("hidden_dropout_prob", 0.1);
  decoder.embedding_norm = true;
  decoder.tie_embeddings = false;
  return {.model = std::move(model),
          .roles = {.pad = extent(config, "pad_token_id", 0, 0),
                    .bos = extent(config, "bos_token_id", 101, 0),
                    .eos = extent(config, "eos_token_id", 102, 0),
                    .count = extent(config, "vocab_size", 30522)},
          .search = read_generation(folder, {config}),
          .image_size = extent(vision, "image_size", 224)};
}

CaptionerFacts vision_gpt2_facts(const JsonFile& config, const std::filesystem::path& folder) {
  const JsonFile text = config.section("decoder"), vision = config.section("encoder");
  if (const auto kind = text.get<std::string>("model_type", ""); kind != "gpt2")
    text.refuse("model_type", "of such captioners, saccade reads those with gpt2");
  require(text, "tie_word_embeddings", true);
  require(text, "add_cross_attention", true);
  require(text, "scale_attn_weights", true);
  require(text, "scale_attn_by_inverse_layer_idx", false);
  const Index width = extent(text, "n_embd", 768);
  ModelConfig model = model_of(text,
                               {.hidden = width,
                                .heads = extent(text, "n_head", 12),
                                .layers = extent(text, "n_layer", 12),
                                .dense = extent(text, "n_inner", 4 * width),
                                .longest = extent(text, "n_positions", 1024)},
                               "n_head");
  model.decoder.norm = NormPlacement::kPre;
  model.decoder.epsilon = epsilon_of(text, "layer_norm_epsilon", 1e-5);
  model.decoder.activation = activation_of(text, "activation_function", "gelu_new");
  model.decoder.dropout = text.get<double>("resid_pdrop", 0.1);
  TokenRoles roles{.count = extent(text, "vocab_size", 50257)};
  // The first of these that says it.
  std::vector<JsonFile> files{config, text};
  if (const auto generation = JsonFile::read(folder / "generation_config.json"))
    files.insert(files.begin(), *generation);
  const auto role = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      for (const JsonFile& file : files)
        if (file.has(key)) return extent(file, key, 0, 0);
    return Index{-1};
  };
  for (const JsonFile& file : files)
    if (file.has("eos_token_id") && file.json()["eos_token_id"].is_array())
      file.refuse("eos_token_id",
                  "captions of saccade end with one token; keep the number of the one that this "
                  "captioner was trained with");
  roles.bos = role({"decoder_start_token_id", "bos_token_id"});
  roles.eos = role({"eos_token_id"});
  roles.pad = role({"pad_token_id", "eos_token_id"});
  return {.model = std::move(model),
          .roles = roles,
          .search = read_generation(folder, {config, text}),
          .image_size = extent(vision, "image_size", 224)};
}

}  // namespace saccade
