#include "experiments/options/map_options.h"

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "core/base/read_number.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// The layers or heads among which `option` chooses: `count` of them, set by the config's `key`.
struct Several {
  const char* option;
  const char* key;
  Index count;
};

MapChoice parse_choice(const std::string& text, const Several& of) {
  if (of.count == 1)
    throw UsageError(str(of.option, ": the model's ", of.key,
                         " is 1, so there is nothing to choose; leave the option out"));
  if (text == "all") return {.kind = MapChoice::Kind::kEach};
  if (const auto fusion = enum_value<Fusion>(text)) return {.fusion = *fusion};
  const auto [number, wrong] = read_count(text);
  if (!wrong.empty() || number < 0 || number >= of.count)
    throw UsageError(str(of.option, ": there is no '", text, "'; the model's ", of.key, " is ",
                         of.count, ": choose 0 to ", of.count - 1, ", all, mean, max or min"));
  return {.kind = MapChoice::Kind::kOne, .number = number};
}

void require_layers(const DecoderConfig& config) {
  if (decoder_traits(config).one_glimpse())
    throw UsageError(
        str("--layer: decoder.type ", config.type, " attends once per word; only decoder.type ",
            decoders_with(config, [](const DecoderTraits& one) { return !one.one_glimpse(); }),
            " attends in every layer"));
}

// A frozen encoder keeps its grids and not the maps of its own attention.
void require_live(const char* option, const EncoderConfig& encoder) {
  if (encoder_traits(encoder).has_tokens && is_frozen(encoder))
    throw UsageError(str(option,
                         ": the model's encoder is frozen (encoder.frozen_stages -1), and a frozen "
                         "encoder keeps its grids but not its own attention maps"));
}

// Refuses attention whose weights a rollout cannot carry on.
void require_shares(const char* option, const char* key, const std::string& mechanism) {
  const SequenceMechanism& traits = sequence_attentions().at(mechanism);
  if (!traits.shares)
    throw UsageError(str(option, ": with ", key, " ", mechanism,
                         " weights may be below 0, so they are not shares that a "
                         "rollout could carry"));
  if (!traits.weighs_positions)
    throw UsageError(
        str(option, ": ", key, " ", mechanism, " weights mixtures of regions, not single regions"));
}

void require_mixing(const EncoderConfig& encoder) {
  require_live("--rollout", encoder);
  const RefinementConfig& refine = encoder.refine;
  if (!encoder_traits(encoder).has_tokens && refine.layers == 0)
    throw UsageError(str("--rollout: encoder.type ", encoder.type,
                         " has no attention between regions and encoder.refine.layers is 0, so the "
                         "words' maps already lie on the encoder's grid; leave the option out"));
  if (encoder_traits(encoder).has_tokens)
    require_shares("--rollout", "encoder.vit.attention.type", encoder.vit.attention.type);
  if (refine.layers > 0) require_shares("--rollout", "encoder.refine.type", refine.type);
}

void require_class_token(const EncoderConfig& encoder) {
  require_live("--class-token", encoder);
  if (!encoder_traits(encoder).can_have_class_token())
    throw UsageError(str("--class-token: encoder.type ", encoder.type,
                         " has no class token; vit and hybrid can have one"));
  if (!encoder.vit.class_token)
    throw UsageError(
        "--class-token: the model has no class token (encoder.vit.class_token is false)");
  require_shares("--class-token", "encoder.vit.attention.type", encoder.vit.attention.type);
}

}  // namespace

void add_map_options(Options& options, MapArgs& args) {
  const char* which = "N|all|mean|max|min";
  options.text(
      "--layer", args.layer,
      "with a decoder that attends in every layer: the layer whose maps are drawn, counted "
      "from 0; all draws each "
      "layer, and mean, max and min fuse the layers (default: the last layer)",
      which);
  options.text("--head", args.head,
               "the head whose maps are drawn, counted from 0; all draws each head, and mean, max "
               "and min fuse the heads, before layers are fused (default: mean)",
               which);
  options.flag("--rollout", args.rollout,
               "carry the words' maps back to the image's patches, through the attention of "
               "encoder.refine and of the encoder's blocks");
  options.number("--discard", args.discard,
                 "with --rollout or --class-token: the share of every row that a rollout leaves "
                 "out of each block's attention, the smallest weights first (default: 0)",
                 "SHARE");
  options.flag("--class-token", args.class_token,
               "also draw how much weight a vision transformer's class token gives to every patch, "
               "for each layer and head and as a rollout");
}

MapRequest map_request(const MapArgs& args, const ExperimentConfig& config) {
  MapRequest request{.rollout = args.rollout, .discard = args.discard};
  if (!args.layer.empty()) {
    require_layers(config.decoder);
    request.layer = parse_choice(
        args.layer, {.option = "--layer", .key = "decoder.layers", .count = config.decoder.layers});
  }
  if (!args.head.empty())
    request.head = parse_choice(
        args.head, {.option = "--head",
                    .key = config.has_attention() ? "attention.heads" : "decoder.heads",
                    .count = config.map_heads()});
  if (args.rollout) require_mixing(config.encoder);
  if (args.class_token) require_class_token(config.encoder);
  if (!(args.discard >= 0 && args.discard < 1))
    throw UsageError(str("--discard must be at least 0 and below 1; got ", args.discard));
  if (args.discard > 0 && !args.rollout && !args.class_token)
    throw UsageError(
        "--discard has no effect: no rollout is drawn; give --rollout or --class-token as well");
  return request;
}

bool can_roll_out(const ExperimentConfig& config) {
  try {
    require_mixing(config.encoder);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace saccade
