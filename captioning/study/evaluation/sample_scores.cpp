#include "captioning/study/evaluation/sample_scores.h"

#include <algorithm>

#include "captioning/model/maps/caption_text.h"
#include "captioning/scoring/metrics/diversity.h"
#include "captioning/study/evaluation/counted_texts.h"
#include "core/base/error.h"

namespace saccade {

namespace {

using Texts = std::span<const std::vector<std::string>>;

// The numbers that are summed over images.
struct SetSums {
  double div_1 = 0, div_2 = 0, self_cider = 0, best_cider = 0, mean_cider = 0;

  SetSums& operator+=(const SetSums& other) {
    div_1 += other.div_1;
    div_2 += other.div_2;
    self_cider += other.self_cider;
    best_cider += other.best_cider;
    mean_cider += other.mean_cider;
    return *this;
  }
};

SetSums score_set(std::span<const CountedCaption> set, std::span<const CountedCaption> references,
                  const DocumentFrequencies& frequencies) {
  const auto vectors = [&](std::span<const CountedCaption> captions) {
    std::vector<CiderVector> out;
    for (const CountedCaption& caption : captions) {
      out.push_back(cider_vector(caption, frequencies));
    }
    return out;
  };
  const std::vector<CiderVector> own = vectors(set), theirs = vectors(references);
  SetSums out{.div_1 = distinct_share(set, 1),
              .div_2 = distinct_share(set, 2),
              .self_cider = self_cider(own)};
  for (const CiderVector& caption : own) {
    const double score = score_cider(caption, theirs).cider_d;
    out.best_cider = std::max(out.best_cider, score);
    out.mean_cider += score / static_cast<double>(own.size());
  }
  return out;
}

}  // namespace

NamedScores score_sets(Texts sets, Texts references) {
  if (sets.size() != references.size() || sets.empty()) {
    throw DataError(str("metrics: got ", sets.size(), " sets of captions and references for ",
                        references.size(), " images; needs as many of both, at least one"));
  }
  WordNumbers numbers;
  const auto counted = count_texts(sets, numbers), wanted = count_texts(references, numbers);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) throw DataError(str("metrics: image ", i, " has no reference"));
  }
  const double mutual = mutual_bleu4(counted);
  const DocumentFrequencies frequencies = DocumentFrequencies::count(wanted);
  constexpr Index kBlock = 16;  // images per task
  const auto of_block = [&](Index begin, Index end) {
    SetSums sum;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      sum += score_set(counted[i], wanted[i], frequencies);
    }
    return sum;
  };
  const SetSums sum =
      parallel::reduce(static_cast<Index>(counted.size()), kBlock, SetSums{}, of_block,
                       [](SetSums a, const SetSums& b) { return a += b; });
  const auto images = static_cast<double>(counted.size());
  return {{"Div_1", sum.div_1 / images},
          {"Div_2", sum.div_2 / images},
          {"mBLEU_4", mutual},
          {"self_CIDEr", sum.self_cider / images},
          {"best_CIDEr", sum.best_cider / images},
          {"mean_CIDEr", sum.mean_cider / images}};
}

SampleScores score_samples(const Ensemble& models, const EnsembleInputs& inputs,
                           std::span<const Index> images, Texts references, SearchOptions search,
                           const DecodeProgress& progress) {
  search.mode = SearchMode::kSample;
  // Only the words are kept, because the maps of all captions together would be much larger.
  constexpr Index kPart = 128;  // images that are decoded before their captions become text
  const auto count = static_cast<Index>(images.size());
  std::vector<std::vector<std::string>> sets;
  for (Index begin = 0; begin < count; begin += kPart) {
    const auto load = [&](Index position, std::size_t member, std::span<float> out) {
      return inputs.of(member).load(images[static_cast<std::size_t>(begin + position)], out);
    };
    const std::vector<DecodedCaption> captions =
        decode(models, {.count = std::min(kPart, count - begin),
                        .load = load,
                        .search = search,
                        .first_image = begin,
                        .progress = [&](Index done, Index) {
                          if (progress) progress(begin + done, count);
                        }});
    for (std::size_t c = 0; c < captions.size(); ++c) {
      if (c % static_cast<std::size_t>(search.samples) == 0) sets.emplace_back();
      sets.back().push_back(caption_text(captions[c], models.vocabulary()));
    }
  }
  return {.search = search, .scores = score_sets(sets, references)};
}

}  // namespace saccade
