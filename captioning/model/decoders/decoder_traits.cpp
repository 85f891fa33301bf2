#include "captioning/model/decoders/decoder_traits.h"

#include "captioning/model/decoders/decoder.h"
#include "core/base/listing.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

std::unique_ptr<Decoder> make_lstm_decoder(const DecoderParts&);
std::unique_ptr<Decoder> make_gru_decoder(const DecoderParts&);
std::unique_ptr<Decoder> make_luong_decoder(const DecoderParts&);
std::unique_ptr<Decoder> make_updown_decoder(const DecoderParts&);
std::unique_ptr<Decoder> make_transformer_decoder(const DecoderParts&);

// Which options a decoder reads is said where they are declared (decoder_config.cpp), and what it
// cannot be joined with in check_decoder.cpp.
const Registry<DecoderChoice>& decoder_registry() {
  static const Registry<DecoderChoice> rows(
      "decoder.type",
      {
          {{"lstm", "LSTM whose query is its state before the word; deep output",
            "Xu et al. 2015, Show, Attend and Tell"},
           {make_lstm_decoder,
            [](const DecoderConfig&) -> DecoderTraits {
              return {.memory_cell = true, .deep_output = true};
            }}},
          {{"gru", "GRU whose query is its state before the word; deep output",
            "Bahdanau et al. 2015"},
           {make_gru_decoder,
            [](const DecoderConfig&) -> DecoderTraits { return {.deep_output = true}; }}},
          {{"luong",
            "LSTM whose query is its new state; its output vector is fed into the next step (input "
            "feeding)",
            "Luong et al. 2015"},
           {make_luong_decoder,
            [](const DecoderConfig&) -> DecoderTraits { return {.memory_cell = true}; }}},
          {{"updown", "two LSTMs: one makes the query of attention, one predicts the word",
            "Anderson et al. 2018, Bottom-Up and Top-Down"},
           {make_updown_decoder,
            [](const DecoderConfig&) -> DecoderTraits { return {.memory_cell = true}; }}},
          {{"transformer",
            "layers of masked self-attention and cross-attention; keys are cached in decoding",
            "Vaswani et al. 2017; pre-norm: Xiong et al. 2020"},
           {make_transformer_decoder,
            [](const DecoderConfig& config) -> DecoderTraits {
              return {.layers = config.layers,
                      .most_words = config.positions == WordPositions::kNone ? 0 : config.longest,
                      .first_state = false,
                      .attends_to_words = true};
            }}},
      });
  return rows;
}

DecoderTraits decoder_traits(const DecoderConfig& config) {
  return decoder_registry().at(config.type).traits(config);
}

std::string decoders_with(const DecoderConfig& config, bool (*fits)(const DecoderTraits&)) {
  return join_or(
      decoder_registry().names([&](const DecoderChoice& one) { return fits(one.traits(config)); }));
}

bool reads_image(const std::string& parameter) {
  return parameter.find(".cross") != std::string::npos || parameter.starts_with("decoder.image") ||
         parameter.starts_with("decoder.value.");
}

bool starts_with_image(const DecoderConfig& config) {
  return decoder_traits(config).first_state && config.image != ImageEntry::kFirstStep &&
         config.first_state == FirstState::kPooled;
}

bool reads_pooled(const DecoderConfig& config) {
  return starts_with_image(config) || config.image == ImageEntry::kAttentionAndPooled ||
         config.image == ImageEntry::kEveryWord || config.image == ImageEntry::kFirstStep;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
