// The section `attention`: how the decoder attends to the image.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/attention/added_choices.h"
#include "core/attention/hard_config.h"
#include "core/config/open_choice.h"
#include "core/config/ramp.h"

namespace saccade {

class Section;
// The choices of the registries, which are not listed here: a new line of a registry then compiles
// only the files that name its choices. Their lists are in mechanisms/mechanism_kind.h,
// scores/score_kind.h, scopes/scope_kind.h, normalizer_kind.h, selection_kind.h and gate_kind.h.
enum class MechanismKind;
enum class ScoreKind;
enum class ScopeKind;
enum class NormalizerKind;
enum class SelectionKind;
enum class GateKind;

struct AttentionConfig {
  OpenChoice<MechanismKind> mechanism = MechanismKind{};  // composed
  OpenChoice<ScoreKind> score = ScoreKind{};              // additive
  ScopeKind scope = ScopeKind{};                          // global
  NormalizerKind normalizer = NormalizerKind{};           // softmax
  Ramp temperature = Ramp::constant(1);
  bool learned_scale = false;
  SelectionKind selection = SelectionKind{};  // soft
  std::int64_t k = 5;
  Ramp gumbel_temperature = Ramp::constant(1);
  std::int64_t heads = 1;
  bool value_projection = false;
  bool output_projection = false;
  GateKind gate = GateKind{1};  // scalar
  bool sentinel = false;
  std::int64_t hidden = 512;
  std::int64_t radius = 2;
  double pace = 1;
  std::int64_t globals = 1;
  double noise = 1;
  std::int64_t projected = 16;
  HardConfig hard;
  // The added choices, with their factories; no value of the config. Null: nothing was added.
  std::shared_ptr<const AddedChoices> added;

  // Makes these names valid for mechanism and score.
  void extend(std::shared_ptr<const AddedChoices> choices) {
    added = std::move(choices);
    if (!added) return;
    mechanism.add_names({added, &added->mechanisms()});
    score.add_names({added, &added->scores()});
  }

  // Whether a context is a weighted mean of the regions' features as they are, with weights that
  // sum to 1: words can then be mixtures over regions.
  bool contexts_are_regions() const;

  // Whether a word's likelihood is a mixture over the regions that hard attention could choose.
  bool mixes_regions() const;

  void fields(Section& v);
};

}  // namespace saccade
