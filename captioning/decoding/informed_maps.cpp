#include "captioning/decoding/informed_maps.h"

#include <algorithm>
#include <set>
#include <utility>

#include "captioning/objectives/localizer_supervision.h"

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

void show_informed_maps(const CaptionModel& model, InformedKind kind, const InputView& input,
                        std::vector<std::vector<DecodedCaption>>& captions) {
  const std::span<const InformedAttention> all = model.informed_attention();
  const auto informed = std::find_if(
      all.begin(), all.end(), [&](const InformedAttention& one) { return one.kind() == kind; });
  SACCADE_CHECK(informed != all.end(), "[informed maps] the model has no informed attention '",
                enum_name(kind), "'");
  // Sequences need captions longest first. Captions without a word have no map.
  std::vector<std::pair<DecodedCaption*, int>> sorted;
  for (std::size_t i = 0; i < captions.size(); ++i)
    for (DecodedCaption& caption : captions[i])
      if (!caption.words.empty()) sorted.emplace_back(&caption, static_cast<int>(i));
  if (sorted.empty()) return;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first->words.size() > b.first->words.size();
  });
  std::vector<std::vector<int>> words;
  std::vector<int> images;
  for (const auto& [caption, image] : sorted) {
    std::vector<int>& ids = words.emplace_back();
    for (const DecodedWord& word : caption->words) ids.push_back(word.id);
    images.push_back(image);
  }

  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.parameters().views());
  tape.set_recording(false);
  const EncodedImages encoded = model.encode(tape, input);
  const AttentionMemory memory = model.decoder().prepare(tape, encoded, 1);
  const PreparedInformedAttention prepared =
      prepare_informed(tape, *informed, encoded, memory.layout, images);
  const SequenceOutput out = model.decoder().sequence(
      tape,
      pack_captions(words, static_cast<int>(Vocabulary::kBos), static_cast<int>(Vocabulary::kEos)),
      memory_of_rows(memory, images), {}, {&prepared, 1});
  const std::vector<Var>& maps = out.informed.at(0).weights;
  for (std::size_t r = 0; r < sorted.size(); ++r)
    for (std::size_t t = 0; t < words[r].size(); ++t) {
      const ConstView map = maps[t].value();
      show(sorted[r].first->words[t],
           {map.row(static_cast<Index>(r)), static_cast<std::size_t>(map.cols())});
    }
}

}  // namespace saccade
