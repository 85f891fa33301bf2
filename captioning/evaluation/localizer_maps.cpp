#include "captioning/evaluation/localizer_maps.h"

#include <algorithm>
#include <set>

#include "captioning/objectives/localizer_supervision.h"

namespace saccade {

void show_localizer_maps(const Captioner& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions) {
  std::set<int> words;
  for (const std::vector<DecodedCaption>& of_image : captions)
    for (const DecodedCaption& caption : of_image)
      for (const DecodedWord& word : caption.words)
        if (word.id >= Vocabulary::kSpecials) words.insert(word.id);
  WordLabels labels{.words = {words.begin(), words.end()}, .present = {}};
  labels.present.assign(labels.words.size() * captions.size(), 0);

  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters().views());
  tape.set_recording(false);
  const EncodedImages images = model.encode(tape, input);
  const LocalizedWords found(tape, *model.localizer(), images, labels);
  const auto regions = static_cast<std::size_t>(model.grid().regions());
  for (std::size_t i = 0; i < captions.size(); ++i)
    for (DecodedCaption& caption : captions[i])
      for (DecodedWord& word : caption.words) {
        word.attention.assign(regions, 1 / static_cast<float>(regions));
        word.heads.clear();
        word.chosen = -1;
        word.choices.clear();
        if (words.contains(word.id)) found.locate(static_cast<Index>(i), word.id, word.attention);
      }
}

}  // namespace saccade
