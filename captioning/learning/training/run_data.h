// What a run trains on: images as inputs, captions, vocabulary, boxes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/inputs.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "core/base/messages.h"

namespace saccade {

// Called while a long piece of work goes on: what it is ("reading images"), and how many of how
// many images are done (0 of 0 while that is not known). What it throws ends the work.
using WorkProgress = std::function<void(const char* work, Index done, Index total)>;

// The config with the tokens that an encoder of texts has to know for this data.
ExperimentConfig with_source_words(ExperimentConfig config, const LoadedData& loaded);

// The images, captions and vocabulary of a run. Runs whose configs ask for the same data may share
// one object.
class RunData {
 public:
  // Which images a run needs besides the training images.
  struct Request {
    std::vector<Split> splits;     // the images of these splits
    Index most_images = 0;         // of Split::kVal, at most so many; 0 for all
    bool evaluated_split = false;  // also all images of LoadedData::default_split()
    // Whether the config is that of a checkpoint, so that nobody here named its boxes.
    bool of_checkpoint = false;
    bool checks_stages = false;  // check_stages(), before any image is read
  };
  // Loads the data of a config and the inputs of the request. Throws what load_data and
  // DatasetInputs throw, DataError where a split is
  // empty or boxes that the user named cannot be used, and what `progress` throws.
  RunData(const ExperimentConfig& config, const Request& request,
          const MessageListener& listener = {}, const WorkProgress& progress = {});

  // Whether a run of this config would have the same data and inputs.
  bool serves(const ExperimentConfig& config) const;

  const LoadedData& loaded() const { return *loaded_; }
  const InputPipeline& pipeline() const { return *pipeline_; }
  const DatasetInputs& inputs() const { return *inputs_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // The boxes of the request's images, where data.boxes has some; else null.
  const PhotoBoxes* boxes() const { return boxes_.get(); }

 private:
  std::unique_ptr<LoadedData> loaded_;  // DatasetInputs points to it
  ExperimentConfig config_;             // with the source words
  std::unique_ptr<InputPipeline> pipeline_;
  std::unique_ptr<DatasetInputs> inputs_;
  Vocabulary vocabulary_;
  std::unique_ptr<PhotoBoxes> boxes_;
};

// Whether runs of these configs have the same data and inputs.
bool same_data(const ExperimentConfig& a, const ExperimentConfig& b);

}  // namespace saccade
