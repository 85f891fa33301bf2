#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/study/evaluation/attention_health.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/evaluation/perplexity.h"

namespace saccade {

NamedScores scores_of_whole(const Ensemble& models, const LoadedData& data,
                            const EnsembleInputs& inputs, const EvaluationRequest& request) {
  const EvaluationRequest captions{.split = request.split,
                                   .most_images = request.most_images,
                                   .search = request.search,
                                   .regimes = {request.regimes.front()},
                                   .region_draws = request.region_draws,
                                   .extent = Extent::kCaptions,
                                   .ablations = false,
                                   .boxes = request.boxes,
                                   .meteor = request.meteor,
                                   .progress = request.progress};
  const EvaluationReport report = evaluate(models, data, inputs, captions);
  const RegimeReport& first = report.regimes.front();
  NamedScores scores = first.corpus;
  const Perplexity perplexity = measure_perplexity(models, data.dataset, inputs, report.images, {});
  scores.emplace_back("perplexity", perplexity.value());
  if (models.has_attention())
    for (const auto& [name, value] : attention_health(first.captions).scores())
      scores.emplace_back(attention_metric(name), value);
  return scores;
}

}  // namespace saccade
