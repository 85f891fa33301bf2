// A data set of small scenes or texts, and an untrained model of them whose captions have words.
#pragma once

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/run_data.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/study/evaluation/evaluate.h"
#include "tests/captioning/long_captions.h"

namespace saccade::test {

// Without an argument, attention is soft.
inline ExperimentConfig small_experiment(const std::string& selection = "soft") {
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

// The same with texts, which are turned round.
inline ExperimentConfig small_text_experiment() {
  ExperimentConfig config = small_experiment();
  config.data.type = DataKind::kSequences;
  config.data.sequences = {
      .train = 30, .val = 20, .test = 4, .symbols = 3, .shortest = 2, .longest = 6};
  config.encoder.type = "bigru";
  config.encoder.text = {.length = 6, .width = 8};
  return config;
}

struct Experiment {
  LoadedData data;
  ExperimentConfig config;
  InputPipeline pipeline;
  DatasetInputs inputs;
  CaptionModel model;

  explicit Experiment(const ExperimentConfig& c)
      : data(load_data(c.data)),
        config(with_source_words(c, data)),
        pipeline(config.encoder),
        inputs(data, pipeline, config.encoder, {}),
        model(config, training_vocabulary(data, c.data), pipeline.frozen_grid()) {
    prolong_captions(model);
  }

  EvaluationRequest request(Split split = Split::kVal, Index most = 0) const {
    return {.split = split,
            .most_images = most,
            .search = search_options(config, config.search, model.vocabulary()),
            .regimes = evaluation_regimes(config)};
  }
  EvaluationReport run(const EvaluationRequest& request) const {
    return evaluate(model, data, inputs, request);
  }
  EvaluationReport run(Split split = Split::kVal, Index most = 0) const {
    return run(request(split, most));
  }
};

// Takes the large weights of prolong_captions() back, with which a head attends to one place alone.
inline void make_heads_even(Experiment& experiment) {
  ParameterStore& store = experiment.model.parameters();
  for (const ParameterInfo& info : store.infos())
    for (Real& value : store.value(store.find(info.name)).span()) value /= 4;
}

}  // namespace saccade::test
