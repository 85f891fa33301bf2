#include "experiments/map_options.h"

#include <charconv>

#include "core/base/error.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// `count` layers or heads, `key` of the config says how many.
struct Several {
  const char* option;
  const char* key;
  Index count;
};

MapChoice parse_choice(const std::string& text, const Several& of) {
  if (of.count == 1)
    throw UsageError(str(of.option, ": ", of.key, " is 1, so that there is nothing to choose"));
  if (text == "all") return {.kind = MapChoice::Kind::kEach};
  if (const auto fusion = enum_value<Fusion>(text)) return {.fusion = *fusion};
  Index number = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < 0 || number >= of.count)
    throw UsageError(str(of.option, ": there is no '", text, "'; ", of.key, " is ", of.count,
                         ": choose 0 to ", of.count - 1, ", all, mean, max or min"));
  return {.kind = MapChoice::Kind::kOne, .number = number};
}

void require_layers(const ExperimentConfig& config) {
  if (config.decoder.type != DecoderKind::kTransformer)
    throw UsageError(str("--layer: decoder.type ", enum_name(config.decoder.type),
                         " looks once a word; a transformer looks in every layer"));
}

bool has_tokens(const EncoderConfig& encoder) {
  return encoder.type == EncoderKind::kVit || encoder.type == EncoderKind::kHybrid;
}

// A frozen encoder gives its grids only.
void require_live(const char* option, const EncoderConfig& encoder) {
  if (has_tokens(encoder) && is_frozen(encoder))
    throw UsageError(str(option,
                         ": a frozen encoder (encoder.frozen_stages -1) keeps its grids, "
                         "not its maps"));
}

void require_mixing(const EncoderConfig& encoder) {
  require_live("--rollout", encoder);
  const RefinementConfig& refine = encoder.refine;
  if (!has_tokens(encoder) && refine.layers == 0)
    throw UsageError(str("--rollout: encoder.type ", enum_name(encoder.type),
                         " has no attention among regions and encoder.refine.layers is 0; the "
                         "words' maps are already of its grid"));
  if (refine.layers == 0) return;
  if (refine.type == SequenceAttentionKind::kDifferential)
    throw UsageError(
        "--rollout: the weights of encoder.refine.type differential may be below 0 and are no "
        "shares");
  if (refine.type == SequenceAttentionKind::kLinformer)
    throw UsageError(
        "--rollout: encoder.refine.type linformer weighs mixtures of regions, not regions");
}

void require_class_token(const EncoderConfig& encoder) {
  require_live("--class-token", encoder);
  if (!has_tokens(encoder))
    throw UsageError(str("--class-token: encoder.type ", enum_name(encoder.type), " has none"));
  if (!encoder.vit.class_token)
    throw UsageError("--class-token: encoder.vit.class_token is false; the model has none");
}

}  // namespace

void add_map_options(Options& options, MapArgs& args) {
  const char* which = "N|all|mean|max|min";
  options.text(
      "--layer", args.layer,
      "a transformer decoder's layer whose looks are drawn, from 0, each of them, or their "
      "fusion (default: the last)",
      which);
  options.text("--head", args.head,
               "the head of those looks, each of them, or their fusion (default: mean); heads are "
               "fused before layers",
               which);
  options.flag("--rollout", args.rollout,
               "carry the words' maps through the attention of the encoder's blocks and of "
               "encoder.refine, back to its patches");
  options.number("--discard", args.discard,
                 "leave so much of every row out of each block of a rollout, the smallest weights "
                 "(default: 0)",
                 "SHARE");
  options.flag("--class-token", args.class_token,
               "also draw what a vision transformer's class token takes of every patch, by layer "
               "and head and by rollout");
}

MapRequest map_request(const MapArgs& args, const ExperimentConfig& config) {
  MapRequest request{.rollout = args.rollout, .discard = args.discard};
  if (args.views() && config.data.vocabulary == VocabularyKind::kBpe)
    throw UsageError(
        "--layer, --head and --rollout draw looks word by word; with data.vocabulary bpe the model "
        "looks for every piece of a word");
  if (!args.layer.empty()) {
    require_layers(config);
    request.layer = parse_choice(
        args.layer, {.option = "--layer", .key = "decoder.layers", .count = config.decoder.layers});
  }
  if (!args.head.empty())
    request.head = parse_choice(
        args.head, {.option = "--head", .key = "attention.heads", .count = config.attention.heads});
  if (args.rollout) require_mixing(config.encoder);
  if (args.class_token) require_class_token(config.encoder);
  if (!(args.discard >= 0 && args.discard < 1))
    throw UsageError(str("--discard is a share from 0 to below 1; got ", args.discard));
  if (args.discard > 0 && !args.rollout && !args.class_token)
    throw UsageError("--discard: there is no rollout; ask for --rollout or --class-token");
  return request;
}

}  // namespace saccade
