// Which decoders and attentions go together. Every rule gives its reason.
#include "captioning/decoders/decoder_kind.h"
#include "captioning/decoders/decoder_parts.h"
#include "core/attention/selection_kind.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Throws "decoder.type <name> needs <what>: <why>" unless `holds`.
void need(bool holds, const DecoderConfig& c, const std::string& what, const std::string& why) {
  if (!holds) throw UsageError(str("decoder.type ", enum_name(c.type), " needs ", what, ": ", why));
}

}  // namespace

void check_decoder(const DecoderConfig& c, const AttentionConfig& attention) {
  if (!c.attends() && (attention.selection != SelectionKind::kSoft || attention.sentinel))
    throw UsageError(str("decoder.image ", enum_name(c.image), " needs attention.selection soft ",
                         "and attention.sentinel false: no word attends to regions, so there is "
                         "nothing to choose from; choose decoder.image attention"));
  const DecoderTraits traits = decoder_traits(c);
  need(!attention.sentinel || traits.memory_cell, c, "attention.sentinel false",
       "a sentinel is made from a memory cell; choose decoder.type " +
           decoders_with(c, [](const DecoderTraits& one) { return one.memory_cell; }));
  if (c.tie_embeddings && !traits.deep_output && c.embedding != c.hidden)
    throw UsageError(str("decoder.tie_embeddings needs decoder.embedding ", c.embedding,
                         " to be decoder.hidden ", c.hidden, ": decoder.type ", enum_name(c.type),
                         " makes words from its state"));
  if (traits.attends_to_words && c.hidden % c.heads != 0)
    throw UsageError(str("decoder.heads ", c.heads, " does not divide decoder.hidden ", c.hidden,
                         ", which the heads share"));
  need(traits.one_glimpse() || attention.selection != SelectionKind::kHard ||
           attention.hard.likelihood == HardLikelihood::kChoice,
       c, "attention.hard.likelihood choice",
       "the context goes through dense and normalising layers, so every region would need "
       "a pass of its own");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
