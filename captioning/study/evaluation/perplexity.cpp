#include "captioning/study/evaluation/perplexity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "captioning/scoring/words/tokenizer.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kImagesPerTask = 8;  // images per task

// A caption that is scored, and the image that it belongs to.
struct Line {
  Index slot = 0;          // the place of the image in its group
  std::vector<int> words;  // or pieces
  Index count = 0;         // of words
};

// The captions of a group of images, longest first.
std::vector<Line> lines_of(const Dataset& dataset, const Vocabulary& vocabulary,
                           std::span<const Index> images) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (const std::string& text : dataset.images[static_cast<std::size_t>(images[i])].captions) {
      const Words words = tokenize(text);
      Line line{
          .slot = static_cast<Index>(i), .words = {}, .count = static_cast<Index>(words.size())};
      for (const Index id : vocabulary.encode(words)) {
        line.words.push_back(static_cast<int>(id));
      }
      if (!line.words.empty()) lines.push_back(std::move(line));
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.words.size() > b.words.size(); });
  return lines;
}

// -log p of every word of the lines. An image is encoded and prepared once for all its captions.
std::vector<Real> nll_of(const CaptionModel& model, const InputView& input,
                         const std::vector<Line>& lines) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const AttentionMemory memory = model.decoder().prepare(tape, model.encode(tape, input), 1);
  std::vector<std::vector<int>> words;
  std::vector<int> rows;
  for (const Line& line : lines) {
    words.push_back(line.words);
    rows.push_back(static_cast<int>(line.slot));
  }
  const PackedCaptions captions =
      pack_captions(words, static_cast<int>(Vocabulary::kBos), static_cast<int>(Vocabulary::kEos));
  const SequenceOutput output =
      model.decoder().sequence(tape, captions, memory_of_rows(memory, rows), {});
  const auto nll = output.nll.value().span();
  return {nll.begin(), nll.end()};
}

// The sum over the words, where each has the mean of the members' probabilities.
double nll_of(const Ensemble& models, const EnsembleInputs& inputs, std::span<const Index> images,
              const std::vector<Line>& lines) {
  std::vector<std::vector<Real>> members;  // by member and word
  for (std::size_t m = 0; m < models.size(); ++m)
    members.push_back(nll_of(models.model(m), inputs.of(m).batch(images).view(), lines));
  double sum = 0;
  for (std::size_t n = 0; n < members[0].size(); ++n) {
    const auto least = static_cast<double>(
        std::min_element(members.begin(), members.end(), [&](const auto& a, const auto& b) {
          return a[n] < b[n];
        })->at(n));
    double shares = 0;
    for (const std::vector<Real>& nll : members)
      shares += std::exp(least - static_cast<double>(nll[n]));
    sum += least - std::log(shares / static_cast<double>(members.size()));
  }
  return sum;
}

}  // namespace

Perplexity& Perplexity::operator+=(const Perplexity& other) {
  nll += other.nll;
  captions += other.captions;
  words += other.words;
  unknown += other.unknown;
  return *this;
}

double Perplexity::value() const {
  if (captions == 0) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(nll / static_cast<double>(words + captions));
}

double Perplexity::unknown_share() const {
  return words == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(words);
}

Perplexity measure_perplexity(const Ensemble& models, const Dataset& dataset,
                              const EnsembleInputs& inputs, std::span<const Index> images,
                              const DecodeProgress& progress) {
  const auto count = static_cast<Index>(images.size());
  std::mutex mutex;
  Index done = 0;
  const auto of_group = [&](Index begin, Index end) {
    const auto group =
        images.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const std::vector<Line> lines = lines_of(dataset, models.vocabulary(), group);
    Perplexity sum;
    if (!lines.empty()) sum.nll = nll_of(models, inputs, group, lines);
    sum.captions = static_cast<Index>(lines.size());
    for (const Line& line : lines) {
      sum.words += line.count;
      sum.unknown +=
          std::count(line.words.begin(), line.words.end(), static_cast<int>(Vocabulary::kUnk));
    }
    const std::lock_guard lock(mutex);
    done += end - begin;
    if (progress) progress(done, count);
    return sum;
  };
  return parallel::reduce(count, kImagesPerTask, Perplexity{}, of_group,
                          [](Perplexity a, const Perplexity& b) { return a += b; });
}

}  // namespace saccade
