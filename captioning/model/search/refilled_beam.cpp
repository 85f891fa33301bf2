// Beam search in which a hypothesis that ends is replaced.
#include <algorithm>

#include "captioning/model/search/beam_rows.h"

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

class RefilledBeam final : public BeamRows {
 public:
  RefilledBeam(SearchBatch& batch, const SpecialWords& special, const SearchOptions& options)
      : BeamRows(batch, special, options),
        prompt_(std::ssize(options.prompt)),
        images_(captions_.size()) {}

 private:
  std::vector<Backpointer> extend(WordScores& scores, Index slot) override {
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
    return last_of(going);
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

  void finish(Index slot) override {
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

  Index prompt_;
  std::vector<RefilledImage> images_;  // in the order of the call
};

}  // namespace

std::vector<DecodedCaption> refilled_beam_search(SearchBatch& batch, const SpecialWords& special,
                                                 const SearchOptions& options) {
  return RefilledBeam(batch, special, options).run();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
