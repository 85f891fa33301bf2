#include "experiments/runs/tensorboard_log.h"

#include <algorithm>

#include "captioning/study/evaluation/attention_health.h"
#include "experiments/runs/metrics_log.h"

namespace saccade {

void TensorBoardLog::add(const std::string& section, const std::string& line) {
  std::map<std::string, double> numbers = numbers_of(line);
  const auto update = static_cast<Index>(numbers["update"]);
  numbers.erase("update");
  std::vector<EventValue> values;
  for (const auto& [name, value] : numbers) values.push_back({section + "/" + name, value});
  write(update, values);
}

void TensorBoardLog::add_attention(Index update, std::span<const DecodedCaption> captions) {
  EventHistogram entropy, largest, gate;
  for (const DecodedCaption& caption : captions)
    for (const DecodedWord& word : caption.words) {
      const auto spread = map_entropy(word.map);
      if (!spread) continue;
      entropy.values.push_back(*spread);
      largest.values.push_back(
          static_cast<double>(*std::max_element(word.map.weights.begin(), word.map.weights.end())));
      if (word.map.gate) gate.values.push_back(*word.map.gate);
    }
  const std::vector<EventValue> values = {{"attention/entropy", std::move(entropy)},
                                          {"attention/largest_weight", std::move(largest)},
                                          {"attention/gate", std::move(gate)}};
  write(update, values);
}

void TensorBoardLog::add_sheets(Index update, std::span<const ModelSheets::Sheet> sheets) {
  std::vector<EventValue> values;
  for (const auto& [image, picture] : sheets)
    values.push_back(
        {"sheets/" + image,
         EventImage{.height = picture.height, .width = picture.width, .png = encode_png(picture)}});
  write(update, values);
}

void TensorBoardLog::write(Index update, std::span<const EventValue> values) {
  if (!file_) file_.emplace(directory_, resumed_at_);
  file_->add(update, values);
}

}  // namespace saccade
