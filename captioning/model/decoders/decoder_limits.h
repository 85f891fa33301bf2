// What some decoders cannot be joined with, and why. Checks refuse by these limits, and
// `saccade list decoders` prints them.
#pragma once

#include <string>
#include <vector>

#include "captioning/model/decoders/decoder_traits.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct DecoderLimit {
  std::string choice;   // what is refused: "attention.sentinel true"
  std::string instead;  // what these decoders need: "attention.sentinel false"
  std::string why;
  bool (*joins)(const DecoderTraits&);  // the decoders that can be joined with it
};

// The limits that check_decoder knows. Objectives have limits of their own.
std::vector<DecoderLimit> decoder_limits();

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
