// Which decoders and attentions go together. Every rule gives its reason.
#include "captioning/model/decoders/decoder_limits.h"
#include "captioning/model/decoders/decoder_parts.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A limit, and whether a config makes the choice that is refused.
struct Rule {
  DecoderLimit limit;
  bool (*chosen)(const DecoderConfig&, const AttentionConfig&);
};

std::vector<Rule> rules() {
  return {
      {.limit = {.choice = "attention.sentinel true",
                 .instead = "attention.sentinel false",
                 .why = "a sentinel is made from a memory cell",
                 .joins = [](const DecoderTraits& traits) { return traits.memory_cell; }},
       .chosen = [](const DecoderConfig&,
                    const AttentionConfig& attention) { return attention.sentinel; }},
      {.limit = {.choice = "decoder.tie_embeddings where decoder.embedding is not decoder.hidden",
                 .instead = "decoder.embedding to be decoder.hidden for decoder.tie_embeddings",
                 .why = "it makes words from its state",
                 .joins = [](const DecoderTraits& traits) { return traits.deep_output; }},
       .chosen =
           [](const DecoderConfig& c, const AttentionConfig&) {
             return c.tie_embeddings && c.embedding != c.hidden;
           }},
      {.limit = {.choice = "attention.hard.likelihood marginal",
                 .instead = "attention.hard.likelihood choice",
                 .why = "the context goes through dense and normalising layers, so every region "
                        "would need a pass of its own",
                 .joins = [](const DecoderTraits& traits) { return traits.one_glimpse(); }},
       .chosen = [](const DecoderConfig&,
                    const AttentionConfig& attention) { return attention.mixes_regions(); }},
  };
}

}  // namespace

std::vector<DecoderLimit> decoder_limits() {
  std::vector<DecoderLimit> limits;
  for (const Rule& rule : rules()) limits.push_back(rule.limit);
  return limits;
}

void check_decoder(const DecoderConfig& c, const AttentionConfig& attention) {
  if (!c.attends() && (attention.selection != "soft" || attention.sentinel))
    throw UsageError(str("decoder.image ", enum_name(c.image), " needs attention.selection soft ",
                         "and attention.sentinel false: no word attends to regions, so there is "
                         "nothing to choose from; choose decoder.image attention"));
  if (c.image == ImageEntry::kAttentionAndPooled && attention.mixes_regions())
    throw UsageError(
        "decoder.image attention_and_pooled needs attention.hard.likelihood choice: a mixture is "
        "made of the products of regions alone; otherwise choose decoder.image attention");
  const DecoderTraits traits = decoder_traits(c);
  for (const auto& [limit, chosen] : rules())
    if (!limit.joins(traits) && chosen(c, attention))
      throw UsageError(str("decoder.type ", c.type, " needs ", limit.instead, ": ", limit.why,
                           "; otherwise choose decoder.type ", decoders_with(c, limit.joins)));
  if (traits.attends_to_words && c.hidden % c.heads != 0)
    throw UsageError(str("decoder.heads ", c.heads, " does not divide decoder.hidden ", c.hidden,
                         ", which the heads share"));
  if (traits.attends_to_words) check_causal(c.self_attention);
  if (c.image != ImageEntry::kPrefix) return;
  if (!traits.attends_to_words)
    throw UsageError(
        str("decoder.image prefix needs decoder.type ",
            decoders_with(c, [](const DecoderTraits& one) { return one.attends_to_words; }),
            ": the regions stand in its self-attention"));
  if (c.self_attention.type != "self_attention")
    throw UsageError(str("decoder.image prefix needs decoder.self_attention.type self_attention: ",
                         c.self_attention.type,
                         " goes by the places of words, among which regions would stand"));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
