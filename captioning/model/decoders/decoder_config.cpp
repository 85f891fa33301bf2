#include "captioning/model/decoders/decoder_config.h"

#include "captioning/model/decoders/decoder_traits.h"
#include "core/config/fields.h"

namespace saccade {

void EmbeddingsConfig::fields(Section& v) {
  v.field("source", source, "where the initial word vectors come from");
  v.field("file", file, "the text file")
      .only_with("decoder.embeddings.source", EmbeddingSource::kFile)
      .is(Trait::kFile)
      .is(Trait::kNeeded);
  v.field("frozen", frozen, "training does not change the word vectors");
}

void DecoderConfig::fields(Section& v) {
  v.choice("type", type, decoder_registry(), "the word decoder");
  v.field(
       "weights", weights,
       "folder of a published captioner, or a checkpoint that was made of one, with whose decoder "
       "a new run starts, whatever its encoder is; attention to the image starts anew where it "
       "reads vectors of another width (train.init_from takes a whole captioner)")
      .only_with("decoder.type", "transformer")
      .is(Trait::kFile);
  v.field("frozen", frozen, "what training leaves as decoder.weights or train.init_from has it")
      .only_with("decoder.type", "transformer");
  v.field("hidden", hidden, "width of the state, or of the transformer's vectors",
          between(1, 65536));
  v.field("embedding", embedding, "width of a word's embedding", between(1, 65536));
  v.field("dropout", dropout, "share of units that are dropped in training",
          between_open_end(0, 1));
  v.field("init_hidden", init_hidden, "hidden width of the networks that compute the first state",
          between(1, 65536))
      .unless("decoder.type", "updown", "transformer")
      .unless("decoder.image", ImageEntry::kFirstStep)
      .unless("decoder.first_state", FirstState::kNone);
  v.field("tie_embeddings", tie_embeddings,
          "the matrix of word embeddings is also the output layer");
  v.field("layers", layers, "number of blocks", between(1, 64))
      .only_with("decoder.type", "transformer");
  v.field("heads", heads,
          "maps per word over the words before it (attention.heads is for the image)",
          between(1, 256))
      .only_with("decoder.type", "transformer");
  v.section("self_attention", self_attention,
            "how words attend to the words before them (attention is for the image)")
      .only_with("decoder.type", "transformer");
  v.field("widen", widen, "hidden width of the dense networks, as a multiple of `hidden`",
          between(1, 64))
      .only_with("decoder.type", "transformer");
  v.field("dense", dense, "hidden width of the dense networks as a number; 0: widen * hidden",
          between(0, 1 << 20))
      .only_with("decoder.type", "transformer");
  v.field("activation", activation, "activation of the dense networks, and of output_layer")
      .only_with("decoder.type", "transformer");
  v.field("norm", norm, "where the layers normalise").only_with("decoder.type", "transformer");
  v.field("epsilon", epsilon, "what normalisations add to a variance", between(0, 1))
      .only_with("decoder.type", "transformer");
  v.field("scale_embeddings", scale_embeddings,
          "multiply the embedding of a word by sqrt(decoder.hidden), as published in 2017")
      .only_with("decoder.type", "transformer");
  v.field("embedding_norm", embedding_norm,
          "normalise the sum of a word's embedding and its position, as BERT does")
      .only_with("decoder.type", "transformer");
  v.field("output_layer", output_layer,
          "a dense layer, the activation and a normalisation before words are scored, as in BERT")
      .only_with("decoder.type", "transformer");
  v.field("positions", positions, "how words know their position")
      .only_with("decoder.type", "transformer");
  v.field("longest", longest, "largest number of words, including <eos>, that positions cover",
          between(1, 65536))
      .only_with("decoder.type", "transformer")
      .unless("decoder.positions", WordPositions::kNone);
  v.section("embeddings", embeddings, "the initial word vectors");
  v.field("image", image, "how the image reaches the words");
  v.field("first_state", first_state,
          "the state before the first word; for updown, what its first LSTM reads at every word "
          "in addition to the words")
      .unless("decoder.type", "transformer")
      .unless("decoder.image", ImageEntry::kFirstStep);
  v.field("image_dropout", image_dropout,
          "share of training captions whose first state is computed from zeros instead of the "
          "image, so that their words have to attend to the regions",
          between_open_end(0, 1))
      .unless("decoder.type", "transformer")
      .only_with("decoder.image", ImageEntry::kAttention, ImageEntry::kAttentionAndPooled,
                 ImageEntry::kEveryWord)
      .only_with("decoder.first_state", FirstState::kPooled);
}

}  // namespace saccade
