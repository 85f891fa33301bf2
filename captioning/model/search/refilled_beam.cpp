// Beam search in which a hypothesis that ends is replaced.
#include <algorithm>
#include <cmath>

#include "captioning/model/search/strategies.h"
#include "captioning/model/search/trace.h"
#include "captioning/model/search/word_rules.h"
#include "captioning/model/search/word_scores.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A hypothesis and its next word.
struct Candidate {
  Backpointer last;
  double log_prob = 0;  // of all words behind the prompt
};

// A hypothesis that ended with the word that row `last.row` of step `step` got.
struct Ended {
  double score = 0, log_prob = 0;
  Index step = 0;
  Backpointer last;
};

struct RefilledImage {
  std::vector<double> log_probs = {0};  // of the hypotheses that go on
  std::vector<Ended> ended;             // the best one first
};

class RefilledBeam {
 public:
  RefilledBeam(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
      : batch_(batch),
        special_(special),
        options_(options),
        prompt_(std::ssize(options.prompt)),
        images_(static_cast<std::size_t>(batch.slots())),
        captions_(images_.size()),
        words_(images_.size(), special.bos) {}

  std::vector<DecodedCaption> run() {
    while (batch_.slots() > 0) step();
    return std::move(captions_);
  }

 private:
  double normalised(double log_prob, Index length) const {
    return log_prob / std::pow(static_cast<double>(length), options_.length_normalization);
  }

  void step() {
    trace_.add_step(batch_.step(words_, group_));
    WordScores scores(batch_.logits(), special_, options_.allowed_words);
    if (options_.rules.any())
      for (Index row = 0; row < batch_.slots() * group_; ++row)
        apply_rules(options_.rules, special_, trace_.prefix(batch_.word(), row), row, scores);
    std::vector<std::vector<Candidate>> next;  // by slot
    std::vector<bool> done;
    for (Index slot = 0; slot < batch_.slots(); ++slot) {
      next.push_back(extend(scores, slot));
      done.push_back(next.back().empty());
      if (done.back()) finish(slot);
    }
    lay_out(next, batch_.drop(done));
  }

  // The hypotheses that go on; none when the search for the image is over.
  std::vector<Candidate> extend(WordScores& scores, Index slot) {
    RefilledImage& image = images_[static_cast<std::size_t>(batch_.image(slot))];
    std::vector<Candidate> going;
    if (batch_.word() < prompt_) {
      const Index row = slot * group_;
      const int word = options_.prompt[static_cast<std::size_t>(batch_.word())];
      going.push_back({{row, word, scores.log_prob(row, word)}, 0});
    } else {
      const std::vector<Candidate> best = candidates(scores, slot, image);
      for (std::size_t c = 0; c < best.size(); ++c) {
        const bool ends =
            best[c].last.word == special_.eos || batch_.word() + 1 >= options_.max_length;
        if (ends && static_cast<Index>(c) < options_.beam) add_ended(image, best[c]);
        if (!ends && std::ssize(going) < options_.beam) going.push_back(best[c]);
      }
      if (going.empty() || is_done(image, going[0].log_prob)) return {};
    }
    image.log_probs.clear();
    for (const Candidate& one : going) image.log_probs.push_back(one.log_prob);
    return going;
  }

  // The best 2 beam extensions of an image; equal ones by hypothesis, then by id.
  std::vector<Candidate> candidates(WordScores& scores, Index slot, const RefilledImage& image) {
    std::vector<Candidate> all;
    const Index most = 2 * options_.beam;
    for (std::size_t h = 0; h < image.log_probs.size(); ++h) {
      const Index row = slot * group_ + static_cast<Index>(h);
      for (const kernels::Ranked& word : scores.best(row, most)) {
        const double log_prob = scores.log_prob(row, word.place);
        all.push_back({{row, word.place, log_prob}, image.log_probs[h] + log_prob});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      return a.log_prob > b.log_prob;
    });
    if (std::ssize(all) > most) all.resize(static_cast<std::size_t>(most));
    return all;
  }

  void add_ended(RefilledImage& image, const Candidate& one) {
    if (options_.beam_end == BeamEnd::kRefillFull && std::ssize(image.ended) == options_.beam)
      return;
    const Ended ended{.score = normalised(one.log_prob, batch_.word() + 1 - prompt_),
                      .log_prob = one.log_prob,
                      .step = batch_.word(),
                      .last = one.last};
    const auto after = std::find_if(image.ended.begin(), image.ended.end(),
                                    [&](const Ended& e) { return e.score < ended.score; });
    image.ended.insert(after, ended);
    if (std::ssize(image.ended) > options_.beam) image.ended.pop_back();
  }

  bool is_done(const RefilledImage& image, double best) const {
    if (std::ssize(image.ended) < options_.beam) return false;
    if (options_.beam_end == BeamEnd::kRefillFull) return true;
    const bool longest =
        options_.beam_end == BeamEnd::kRefillNever && options_.length_normalization > 0;
    const Index length = (longest ? options_.max_length : batch_.word() + 1) - prompt_;
    return normalised(best, length) <= image.ended.back().score;
  }

  DecodedCaption caption_of(const Ended& one) const {
    DecodedCaption caption;
    caption.finished = one.last.word == special_.eos;
    caption.log_prob = one.log_prob;
    caption.words = trace_.words(one.step, one.last.row);
    if (!caption.finished) {
      DecodedWord& word = caption.words.emplace_back(trace_.attention(one.step, one.last.row));
      word.id = one.last.word;
      word.log_prob = one.last.log_prob;
    }
    return caption;
  }

  void finish(Index slot) {
    DecodedCaption& caption = captions_[static_cast<std::size_t>(batch_.image(slot))];
    const RefilledImage& image = images_[static_cast<std::size_t>(batch_.image(slot))];
    if (image.ended.empty()) {  // no word was allowed
      caption.words = trace_.words(batch_.word(), slot * group_);
      caption.log_prob = image.log_probs.empty() ? 0 : image.log_probs[0];
      return;
    }
    caption = caption_of(image.ended[0]);
    for (Index k = 1; k < std::min(options_.alternatives, std::ssize(image.ended)); ++k)
      caption.others.push_back(caption_of(image.ended[static_cast<std::size_t>(k)]));
  }

  // Lays out the rows of the next step, in groups as wide as the widest. Narrower ones repeat their
  // first hypothesis; nothing reads the repetition.
  void lay_out(const std::vector<std::vector<Candidate>>& next, const std::vector<Index>& slots) {
    std::size_t group = 0;
    for (const Index slot : slots)
      group = std::max(group, next[static_cast<std::size_t>(slot)].size());
    std::vector<Backpointer> backpointers;
    std::vector<Index> parents;
    words_.clear();
    for (const Index slot : slots) {
      const std::vector<Candidate>& going = next[static_cast<std::size_t>(slot)];
      for (std::size_t g = 0; g < group; ++g) {
        backpointers.push_back(going[g < going.size() ? g : 0].last);
        parents.push_back(backpointers.back().row);
        words_.push_back(backpointers.back().word);
      }
    }
    trace_.add_words(std::move(backpointers));
    batch_.advance(parents);
    group_ = static_cast<Index>(group);
  }

  SearchBatch& batch_;
  const SpecialWords& special_;
  const SearchOptions& options_;
  Index prompt_;
  std::vector<RefilledImage> images_;  // in the order of the call
  std::vector<DecodedCaption> captions_;
  std::vector<int> words_;  // the last word of every row
  Index group_ = 1;         // rows per image; one before the first word
  Trace trace_;
};

}  // namespace

std::vector<DecodedCaption> refilled_beam_search(SearchBatch& batch, const SpecialWords& special,
                                                 const SearchOptions& options) {
  return RefilledBeam(batch, special, options).run();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
