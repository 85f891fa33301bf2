// The attention heads of a captioner by name, in every place where something attends: the blocks of
// its encoder, its refinement, the words of its decoder, and its decoder's attention to the image;
// and how a model is made to do without some of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"

namespace saccade {

class CaptionModel;
struct ModelConfig;

enum class HeadPlace {
  kEncoder,  // of a block of a transformer encoder: its tokens, in reading order
  kRefine,   // of a refinement block: regions attend to regions, in reading order
  kWords,    // of the decoder: words attend to themselves and to the words before
  kDecoder,  // of the decoder: words, in order, attend to regions
};
constexpr auto enum_table(HeadPlace) {
  return enum_rows<HeadPlace>({{HeadPlace::kEncoder, "encoder", "tokens attend to tokens"},
                               {HeadPlace::kRefine, "refine", "regions attend to regions"},
                               {HeadPlace::kWords, "words", "words attend to words"},
                               {HeadPlace::kDecoder, "decoder", "words attend to regions"}});
}

struct HeadName {
  HeadPlace place = HeadPlace::kRefine;
  Index layer = 0, head = 0;  // from 0

  // "words.1.0": place, layer and head.
  std::string text() const;
  bool operator==(const HeadName&) const = default;
};

// The numbers of one parameter that carry what a head computes to the rest of the model.
struct HeadWeights {
  std::string parameter;
  // A block of its rows or of its columns, from `first` on.
  bool rows = true;
  Index first = 0, count = 0;
};

struct ModelHead {
  HeadName name;
  HeadWeights weights{};  // without a parameter: the head cannot be removed, because of
  std::string lasting{};  // why it cannot be removed; empty where it can
};

// All heads, by place, layer and head. A frozen encoder's heads are not among them, because the
// model holds its features alone.
std::vector<ModelHead> model_heads(const CaptionModel& model, const ModelConfig& config);

// The heads that a list of names stands for, each once, in the order of model_heads(). A name is
// place.layer.head; place.layer for all heads of a layer; or layer.head where the model has heads
// in one place alone. Throws UsageError, which names the valid ones, for a name of no head and for
// a head that cannot be removed.
std::vector<HeadName> heads_of_names(std::span<const ModelHead> heads,
                                     std::span<const std::string> names);

// Sets the weights behind the heads to 0, so that what these heads give is 0 wherever the model
// goes on with it. What the other heads compute from the same input stays. The heads are among
// model_heads(), and can be removed.
void remove_heads(CaptionModel& model, const ModelConfig& config, std::span<const HeadName> heads);

}  // namespace saccade
