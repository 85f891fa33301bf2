#include "captioning/study/inspection/caption_occlusion.h"

#include <algorithm>

#include "captioning/model/model.h"
#include "captioning/study/inspection/occlusion.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// The ids that a word was decoded as.
std::vector<int> ids_of(const DecodedWord& word) {
  return word.pieces.empty() ? std::vector<int>{word.id} : word.pieces;
}

}  // namespace

void add_effects(const CaptionModel& model, const AttentionConfig& attention,
                 const InputView& input, const SearchOptions& options, DecodedCaption& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const SearchMember member{.decoder = &model.decoder(),
                            .parameters = model.parameters().views(),
                            .images = model.encode(tape, input).values()};
  add_effects(member, attention, options, caption);
}

void add_effects(const SearchMember& member, const AttentionConfig& attention,
                 const SearchOptions& options, DecodedCaption& caption) {
  set_effects(caption, region_effects(member, SpecialWords{}, caption_ids(caption), options,
                                      removal_of(attention)));
}

std::vector<int> caption_ids(const DecodedCaption& caption) {
  std::vector<int> ids;
  for (const DecodedWord& word : caption.words)
    for (const int id : ids_of(word)) {
      SACCADE_ASSERT(id >= 0, "a word without an id has no pieces");
      ids.push_back(id);
    }
  return ids;
}

void set_effects(DecodedCaption& caption, const Tensor& effects) {
  Index row = 0;
  for (DecodedWord& word : caption.words) {
    // Regions behind the grid have no place in which their effect could be shown.
    word.effects.assign(
        static_cast<std::size_t>(std::min(effects.shape()[1], word.map.layout.count())), 0);
    for (std::size_t piece = 0; piece < ids_of(word).size(); ++piece, ++row)
      for (std::size_t l = 0; l < word.effects.size(); ++l)
        word.effects[l] += static_cast<float>(effects.view().row(row)[l]);
  }
}

Index occlusion_steps(const DecodedCaption& caption, Index regions) {
  return std::ssize(caption_ids(caption)) * regions;
}

}  // namespace saccade
