#include "experiments/commands/start_measure.h"

#include <algorithm>
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

// Counts of words, with one more for each that was counted and one for all others.
class Frequencies {
 public:
  void add(const std::string& word) { ++counts_[word], ++sum_; }
  double nll(const std::string& word) const {
    const auto found = counts_.find(word);
    const double count = found == counts_.end() ? 0 : static_cast<double>(found->second);
    return -std::log((count + 1) / static_cast<double>(sum_ + std::ssize(counts_) + 1));
  }

 private:
  std::unordered_map<std::string, Index> counts_;
  Index sum_ = 0;
};

// Calls use(words) for every caption with a word.
template <class Use>
void for_each_caption(const Dataset& dataset, const std::vector<Index>& images, const Use& use) {
  for (const Index image : images)
    for (const std::string& text : dataset.images[static_cast<std::size_t>(image)].captions)
      if (const Words words = tokenize(text); !words.empty()) use(words);
}

// The images of a split that can be read.
std::vector<Index> usable_images(const OwnData& data, Split split) {
  std::vector<Index> images = images_of(data.loaded.dataset, split);
  std::erase_if(images, [&](Index image) {
    const auto has = [&](const std::vector<Index>& some) {
      return std::find(some.begin(), some.end(), image) != some.end();
    };
    return has(data.photos.missing) || has(data.photos.unreadable);
  });
  return images;
}

// What the words that a vocabulary lacks cost beside <unk>: -log of their frequencies among such
// words.
double unknown_nll(const Dataset& dataset, const std::vector<Index>& train,
                   const std::vector<Index>& judged, const Vocabulary& vocabulary) {
  const auto unknown = [&](const std::string& word) {
    return vocabulary.id(word) == Vocabulary::kUnk;
  };
  Frequencies among;
  for_each_caption(dataset, train, [&](const Words& words) {
    for (const std::string& word : words)
      if (unknown(word)) among.add(word);
  });
  double nll = 0;
  for_each_caption(dataset, judged, [&](const Words& words) {
    for (const std::string& word : words)
      if (unknown(word)) nll += among.nll(word);
  });
  return nll;
}

}  // namespace

double frequency_perplexity(const Dataset& dataset, const std::vector<Index>& train,
                            const std::vector<Index>& judged) {
  Frequencies all;
  for_each_caption(dataset, train, [&](const Words& words) {
    for (const std::string& word : words) all.add(word);
    all.add(kEnd);
  });
  double nll = 0, count = 0;
  for_each_caption(dataset, judged, [&](const Words& words) {
    for (const std::string& word : words) nll += all.nll(word);
    nll += all.nll(kEnd);
    count += static_cast<double>(words.size()) + 1;
  });
  return count > 0 ? std::exp(nll / count) : std::numeric_limits<double>::quiet_NaN();
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
  const std::vector<Index> train = usable_images(data, Split::kTrain);
  std::vector<Index> judged = usable_images(data, Split::kVal);
  if (std::ssize(judged) > kMostPhotos) judged.resize(static_cast<std::size_t>(kMostPhotos));
  if (judged.empty() || train.empty()) return {};
  try {
    ModelArgs args;
    args.checkpoint = model;
    const ModelSession session(args);
    const Vocabulary& vocabulary = session.models().vocabulary();
    if (session.pipeline().reads_text() || vocabulary.subwords()) return {};
    EncoderConfig encoder = session.config().encoder;
    encoder.cache.clear();  // a look at photos leaves nothing behind
    const DatasetInputs inputs(data.loaded, session.pipeline(), encoder, progress, judged);
    const Perplexity own = measure_perplexity(session.models(), dataset, inputs, judged, {});
    const double words = static_cast<double>(own.words + own.captions);
    if (!(words > 0)) return {};
    return StartMeasure{
        .model = model,
        .photos = std::ssize(judged),
        .perplexity = std::exp((own.nll + unknown_nll(dataset, train, judged, vocabulary)) / words),
        .frequencies = frequency_perplexity(dataset, train, judged)};
  } catch (const DataError&) {
    return {};  // its network's file is missing
  }
}

}  // namespace saccade
