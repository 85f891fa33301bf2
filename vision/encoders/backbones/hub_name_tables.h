// How packages name the tensors of their networks: one table for each naming. Internal to
// hub_names.cpp.
#pragma once

#include <span>

#include "vision/encoders/backbones/hub_names.h"

namespace saccade {

// How a tensor's extents differ from those of the parameter; the numbers are the same.
enum class HubForm {
  kSame,
  kTokens,  // [D] or [n, D] for [1, n, D]
  kVector,  // [1, .., C, .., 1] for [C]
  kMatrix,  // [out, in, 1, 1] for [out, in]
};

// A rule for the names of tensors. In `theirs`, # is a number, * the last part of a name, and **
// any rest. In `ours`, the numbers come in their order: # as they are, + one more, % the half of
// one less, / the half; @ is the place of the numbers among those of all blocks, and * as there. An
// empty `ours` leaves the tensor out. The first rule that fits counts.
struct HubRule {
  const char* theirs;
  const char* ours;
  HubForm form = HubForm::kSame;
  int part = 0;                 // where several tensors are one: which rows
  const char* needs = nullptr;  // the rule is only for a file with this tensor; # are the numbers
};

struct HubTable {
  HubNaming naming;
  const char *first, *second;  // two tensors of every network of this naming, and of no other
  std::span<const HubRule> rules;
};

std::span<const HubTable> hub_tables();

}  // namespace saccade
