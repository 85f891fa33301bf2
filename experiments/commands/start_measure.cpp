#include "experiments/commands/start_measure.h"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/evaluation/perplexity.h"
#include "core/base/error.h"
#include "experiments/commands/model_session.h"

namespace saccade {

namespace {

constexpr Index kMostPhotos = 40;
constexpr const char* kEnd = "";  // what ends every caption

// Calls use(word) for every word of the captions, and use(kEnd) behind each that has a word.
template <class Use>
void for_each_word(const Dataset& dataset, const std::vector<Index>& images, const Use& use) {
  for (const Index image : images)
    for (const std::string& text : dataset.images[static_cast<std::size_t>(image)].captions)
      if (const Words words = tokenize(text); !words.empty()) {
        for (const std::string& word : words) use(word);
        use(kEnd);
      }
}

// The sum of -log p, and the number, of the judged words that takes(word) accepts. p is their
// frequency among such words of the training captions, with one more count for each of these and
// one for all others.
struct FrequencyNll {
  double nll = 0, words = 0;
};
template <class Takes>
FrequencyNll frequency_nll(const Dataset& dataset, const std::vector<Index>& train,
                           const std::vector<Index>& judged, const Takes& takes) {
  std::unordered_map<std::string, Index> counts;
  Index sum = 0;
  for_each_word(dataset, train, [&](const std::string& word) {
    if (takes(word)) ++counts[word], ++sum;
  });
  FrequencyNll out;
  for_each_word(dataset, judged, [&](const std::string& word) {
    if (!takes(word)) return;
    const auto found = counts.find(word);
    const double count = found == counts.end() ? 0 : static_cast<double>(found->second);
    out.nll -= std::log((count + 1) / static_cast<double>(sum + std::ssize(counts) + 1));
    ++out.words;
  });
  return out;
}

}  // namespace

double frequency_perplexity(const Dataset& dataset, const std::vector<Index>& train,
                            const std::vector<Index>& judged) {
  const FrequencyNll all =
      frequency_nll(dataset, train, judged, [](const std::string&) { return true; });
  return all.words > 0 ? std::exp(all.nll / all.words) : std::numeric_limits<double>::quiet_NaN();
}

std::string StartMeasure::text() const {
  const auto number = [](double value) { return str(std::round(10 * value) / 10); };
  return str(model, " as it is predicts the words of ", photos,
             " of these photos with a perplexity of ", number(perplexity),
             "; their own frequencies predict them with ", number(frequencies));
}

std::optional<StartMeasure> measure_start(const std::string& model, const OwnData& data,
                                          const PhotoProgress& progress) {
  const Dataset& dataset = data.loaded.dataset;
  const std::vector<Index> train = usable_images(data.photos, dataset, Split::kTrain);
  std::vector<Index> judged = usable_images(data.photos, dataset, Split::kVal);
  if (std::ssize(judged) > kMostPhotos) judged.resize(static_cast<std::size_t>(kMostPhotos));
  if (judged.empty() || train.empty()) return {};
  try {
    ModelArgs args;
    args.checkpoint = model;
    const ModelSession session(args);
    const Vocabulary& vocabulary = session.models().vocabulary();
    if (session.pipeline().reads_text() || vocabulary.has_pieces()) return {};
    EncoderConfig encoder = session.config().encoder;
    encoder.cache.clear();  // a look at photos leaves nothing behind
    const DatasetInputs inputs(data.loaded, session.pipeline(), encoder, progress, judged);
    const Perplexity own = measure_perplexity(session.models(), dataset, inputs, judged, {});
    const double words = static_cast<double>(own.words + own.captions);
    if (!(words > 0)) return {};
    // A word that the vocabulary lacks costs what <unk> does, and its choice among such words.
    const auto unknown = [&](const std::string& word) {
      return word != kEnd && vocabulary.id(word) == Vocabulary::kUnk;
    };
    const double nll = own.nll + frequency_nll(dataset, train, judged, unknown).nll;
    return StartMeasure{.model = model,
                        .photos = std::ssize(judged),
                        .perplexity = std::exp(nll / words),
                        .frequencies = frequency_perplexity(dataset, train, judged)};
  } catch (const DataError&) {
    return {};  // its network's file is missing
  }
}

}  // namespace saccade
