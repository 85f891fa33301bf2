#include "captioning/model/search/search_config.h"

#include "core/config/fields.h"

namespace saccade {

void SearchConfig::fields(Section& v) {
  v.field("mode", mode, "how captions are decoded");
  v.field("beam", beam, "number of hypotheses kept (beam)", between(1, 1000));
  v.field("max_length", max_length, "longest caption in words (vocabulary bpe: in pieces)",
          between(1, 1000));
  v.field("length_normalization", length_normalization,
          "exponent a: log p is divided by length^a; 0 = off", between(0, 10));
  v.field(
      "beam_end", beam_end,
      "what becomes of the place of a hypothesis that ends, and when the search is done (beam)");
  v.field("prompt", prompt,
          "the words with which every caption begins; they count in max_length, and neither in "
          "log p nor in the length that divides it");
  v.field("temperature", temperature, "divides the logits (sample)",
          {.min = 0, .max = 1000, .min_open = true});
  v.field("top_k", top_k,
          "words are drawn from this many, the most probable ones; 0 = all (sample)",
          between(0, 1e7));
  v.field("top_p", top_p,
          "words are drawn from the fewest that together have this probability (sample)",
          {.min = 0, .max = 1, .min_open = true});
  v.field("groups", groups,
          "number of groups of the beam; each avoids the words of those before it (beam)",
          between(1, 1000));
  v.field("diversity", diversity,
          "what is subtracted from a word's log p for each hypothesis of an earlier group that "
          "takes it at the same step (beam)",
          at_least(0));
  v.field("min_length", min_length, "shortest caption in words (bpe: in pieces)", between(0, 1000));
  v.field("no_repeat_ngram", no_repeat_ngram,
          "n-grams of this many words (bpe: pieces) occur at most once in a caption; 0 = off",
          between(0, 1000));
  v.field("forbidden", forbidden, "words that no caption may have");
  v.field("must", must,
          "words or phrases that every caption has, in any order; '|' stands between alternatives, "
          "as in [cat|kitten, traffic light] (beam)");
  v.field("word_vectors", word_vectors,
          "a text file of word vectors (GloVe, word2vec), for words of search.must that the "
          "vocabulary lacks")
      .is(Trait::kFile);
  v.field(
      "name_objects", name_objects,
      "captions name the objects to which the classifier of the frozen network (ImageNet's 1,000 "
      "classes) gives this probability; 0 = off (beam, without groups)",
      between(0, 1));
}

}  // namespace saccade
