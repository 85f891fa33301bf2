// Trains a captioner from a config. A public header of the library: a Captioner (captioner.h) and
// the program load the checkpoints that are written here.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "captioning/data/training_example.h"
#include "core/base/messages.h"
#include "core/base/real.h"

namespace saccade {

inline namespace SACCADE_NUMERIC {
struct AttentionRegistry;  // core/attention/attention_registry.h
}  // namespace SACCADE_NUMERIC

// One update of the weights.
struct TrainingUpdate {
  Index update = 0;  // from 1
  Index epoch = 0;   // from 0
  // Of the batch: -log p of the words plus the doubly stochastic penalty, mean over captions, nats.
  // Costs of supervision (objective.supervision) are not in it. In self-critical training it is the
  // loss of the policy.
  double loss = 0;
  double nll_per_word = 0;   // of the batch: -log p of a word, nats
  double gradient_norm = 0;  // of all gradients together, before it is clipped
  double learning_rate = 0;  // of this update
  double seconds = 0;        // that the update took, with its batch
  double done = 0;           // share of the whole run, 0 .. 1
};

using Scoreboard = std::map<std::string, double>;  // value by the name of a metric

// What is trained, where, and who is notified.
struct TrainingOptions {
  std::filesystem::path config{};  // the file of an experiment (YAML); empty: `yaml` is given
  std::string yaml{};              // its text instead, which names no `base:`
  // Values that replace those of the experiment, such as "train.batch=32". Errors name the place of
  // a mistake: the file and line of `config`, or "TrainingOptions::yaml", or
  // "TrainingOptions::set".
  std::vector<std::string> set{};
  std::filesystem::path directory{};  // of the run, which is made
  bool resume = false;                // continue the run in it, if there is one
  int threads = 0;  // at most so many; 0: the config's value, or else one for each core
  // Folders in which train.init_from finds a model by its name, before those of the installed
  // library.
  std::vector<std::filesystem::path> models{};
  std::filesystem::path paraphrases{};  // METEOR's paraphrase-en.gz for validations; empty: none
  std::filesystem::path cache{};        // a folder that keeps an index of it (ScorerOptions)
  // A registry with scores and mechanisms beside the built-in ones. May be null.
  std::shared_ptr<const AttentionRegistry> attention{};
  // The data set, where `data.type` and its files are not named: its examples are kept below
  // `directory`, as a folder of images, so that the run can be resumed, evaluated and shown. A run
  // that is resumed with `data` must get the same.
  TrainingExamples data{};
  // The reward of self-critical training (objective.self_critical): a number for each of the
  // captions of an update, beside the references of their images. It is asked once per update, by
  // the thread that trains. Metrics join it where the config gives them weights; where it says
  // nothing, objective.self_critical.reward.own is 1.
  std::function<std::vector<double>(const std::vector<std::string>& captions,
                                    const std::vector<std::vector<std::string>>& references)>
      reward{};

  // Called after every update. Where it returns false, the run is saved and ends; it can be
  // resumed.
  std::function<bool(const TrainingUpdate&)> on_update{};
  // Called after every validation, with the scores of the captions that it decoded.
  std::function<void(Index update, const Scoreboard& scores)> on_validation{};
  MessageListener listener{};  // receives messages beside results and errors
};

// What a training gave.
struct TrainedCaptioner {
  Index updates = 0;                 // of the whole run
  bool stopped = false;              // by on_update
  Scoreboard best;                   // the best value of every metric
  std::filesystem::path last;        // the newest checkpoint
  std::filesystem::path checkpoint;  // the best one, by train.best_metric; the newest without any
};

// Trains a run: reads or draws its data, trains, validates, and keeps checkpoints in the directory.
// Prints nothing. An exception from a function of the options ends the run and is passed on. Throws
// UsageError on a bad config, DataError on bad data, BusyError where the directory holds something
// else or another process trains there, CheckpointError where a run cannot be resumed, IoError, and
// DivergedError where training gives NaN or infinity.
TrainedCaptioner train_captioner(const TrainingOptions& options);

}  // namespace saccade
