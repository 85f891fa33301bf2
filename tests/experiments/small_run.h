// Writes a run directory as `train` does, for a small untrained model whose captions have words.
#pragma once

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/run_directory.h"
#include "core/optim/optimizer.h"
#include "tests/captioning/small_experiment.h"

namespace saccade::test {

inline void write_small_run(const std::filesystem::path& path, const ExperimentConfig& of) {
  const LoadedData data = load_data(of.data);
  const ExperimentConfig config = with_source_words(of, data);
  CaptionModel model(config, training_vocabulary(data, config.data), {});
  prolong_captions(model);
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  RunDirectory directory(path, RunDirectory::Mode::kNew);
  directory.save_checkpoint(
      checkpoint_archive(config, model, {}, {data.dataset.name, data.dataset.digest, ""},
                         *optimizer, {}),
      0, 1);
  std::string metrics;
  for (int update = 1; update <= 20; ++update)
    metrics += str(R"({"event":"update","update":)", update, R"(,"loss":)", 10.0 / update,
                   R"(,"nll_per_word":)", 1.0 / update, "}\n");
  metrics += R"({"event":"validation","update":0,"metrics":{"Bleu_4":0.25,"CIDEr":0.5}})"
             "\n{\"event\":\"upd";  // an incomplete line, as a killed run may leave it
  directory.write_text("metrics.jsonl", metrics);
}

// A soft captioner whose decoder is a transformer with 2 layers of 2 heads of cross-attention each.
inline ExperimentConfig small_transformer() {
  ExperimentConfig config = small_experiment();
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 3;
  config.attention.heads = 2;
  config.search.min_length = 2;
  return config;
}

}  // namespace saccade::test
