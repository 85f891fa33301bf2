// The head of a model card: what a list of models says of one. captioning/pretrained/README.md
// describes the whole card.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

class Section;

struct ModelCard {
  std::string title;  // what the model is, in a line
  std::string data;   // what it was trained on
  std::string backbone;
  std::string split;                // the images of the scores
  std::vector<std::string> scores;  // "CIDEr 0.510 [.477, .545]"
  std::string licence;              // of the weights, with the terms of data and backbone
  std::string digest;               // of the checkpoint file; "" where the card has none

  void fields(Section& v);
};

// Reads the YAML between two lines `---` at the head of a card. Throws DataError, with one line for
// each mistake, where the head is missing, is no such YAML, or lacks title, data or licence.
ModelCard read_model_card(const std::filesystem::path& card);

}  // namespace saccade
