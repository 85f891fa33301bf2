// A data set of small scenes, and an untrained model of them whose captions have words.
#pragma once

#include "captioning/config/experiment_config.h"
#include "captioning/evaluation/evaluate.h"
#include "captioning/training/training_set.h"
#include "tests/captioning/long_captions.h"

namespace saccade::test {

// Without an argument, attention is soft.
inline ExperimentConfig small_experiment(SelectionKind selection = SelectionKind{}) {
  ExperimentConfig config;
  config.data.scenes = {.train = 30, .val = 20, .test = 4, .size = 32, .objects_max = 2};
  config.data.min_count = 1;
  config.encoder.image_size = 32;
  config.encoder.channels = {4, 4, 4, 8};
  config.attention.selection = selection;
  config.attention.hidden = 8;
  config.decoder = {.hidden = 12, .embedding = 6, .dropout = 0, .init_hidden = 6};
  config.search.max_length = 9;
  return config;
}

struct Experiment {
  ExperimentConfig config;
  LoadedData data;
  InputPipeline pipeline;
  DatasetInputs inputs;
  CaptionModel model;

  explicit Experiment(const ExperimentConfig& c)
      : config(c),
        data(load_data(c.data)),
        pipeline(c.encoder),
        inputs(data, pipeline, c.encoder, {}),
        model(c, training_vocabulary(data, c.data), pipeline.frozen_grid()) {
    prolong_captions(model);
  }

  EvaluationRequest request(Split split = Split::kVal, Index most = 0) const {
    return {.split = split,
            .most_images = most,
            .search = search_options(config, model.vocabulary()),
            .regimes = evaluation_regimes(config)};
  }
  EvaluationReport run(const EvaluationRequest& request) const {
    return evaluate(model, data, inputs, request);
  }
  EvaluationReport run(Split split = Split::kVal, Index most = 0) const {
    return run(request(split, most));
  }
};

}  // namespace saccade::test
