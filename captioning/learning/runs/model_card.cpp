#include "captioning/learning/runs/model_card.h"

#include <fstream>

#include "core/base/error.h"
#include "core/config/config.h"

namespace saccade {

namespace {

constexpr const char* kRule = "---";

// The head with the first of its rules, so that messages have the right lines.
std::string head_of(const std::filesystem::path& card) {
  std::ifstream in(card);
  std::string head, line;
  if (std::getline(in, line) && line == kRule) {
    head = line + "\n";
    while (std::getline(in, line)) {
      if (line == kRule) return head;
      head += line + "\n";
    }
  }
  throw DataError(card.string() +
                  ": a model card begins with YAML between two lines '---'; see "
                  "captioning/pretrained/README.md");
}

}  // namespace

void ModelCard::fields(Section& v) {
  v.field("title", title, "what the model is, in a line");
  v.field("data", data, "what it was trained on");
  v.field("backbone", backbone, "the pretrained network that it contains");
  v.field("split", split, "the images of the scores");
  v.field("scores", scores, "scores with their intervals");
  v.field("licence", licence, "of the weights, with the terms of data and backbone");
  v.field("digest", digest, "of the checkpoint file (saccade inspect --json, content_digest)");
}

ModelCard read_model_card(const std::filesystem::path& card) {
  const std::string head = head_of(card);
  try {
    ModelCard read = parse_config<ModelCard>(head, card.string()).config;
    for (const auto& [key, value] :
         {std::pair{"title", read.title}, {"data", read.data}, {"licence", read.licence}})
      if (value.empty()) throw UsageError(str(card.string(), ": has no '", key, "'"));
    return read;
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
}

}  // namespace saccade
