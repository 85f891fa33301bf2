#include "captioning/model/decoding/localizer_maps.h"

#include <set>

#include "captioning/model/decoders/localized_words.h"

namespace saccade {

namespace {

// Replaces the attention of a word, and what was chosen at it, by `map` alone.
void show(DecodedWord& word, std::span<const float> map) {
  word.map.weights.assign(map.begin(), map.end());
  word.map.layer = word.map.head = {};
  word.map.chosen = -1;
  word.parts.clear();
  word.choices.clear();
}

// Equal weights on the cells that show some of the picture.
std::vector<float> uniform_map(const AttentionMap& map) {
  std::vector<float> weights(map.weights.size());
  const float weight = 1 / static_cast<float>(unmasked_cells(map));
  for (std::size_t cell = 0; cell < weights.size(); ++cell)
    weights[cell] = map.masked(cell) ? 0 : weight;
  return weights;
}

}  // namespace

void show_localizer_maps(const CaptionModel& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions) {
  std::set<int> words;
  for (const std::vector<DecodedCaption>& of_image : captions)
    for (const DecodedCaption& caption : of_image)
      for (const DecodedWord& word : caption.words)
        if (word.id >= Vocabulary::kSpecials) words.insert(word.id);
  const std::vector<int> sought(words.begin(), words.end());

  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters().views());
  tape.set_recording(false);
  const EncodedImages images = model.encode(tape, input);
  const LocalizedWords found(tape, *model.localizer(), images, sought);
  for (std::size_t i = 0; i < captions.size(); ++i)
    for (DecodedCaption& caption : captions[i])
      for (DecodedWord& word : caption.words) {
        show(word, uniform_map(word.map));
        if (words.contains(word.id)) found.locate(static_cast<Index>(i), word.id, word.map.weights);
      }
}

}  // namespace saccade
