// A tape with memory of its own, for tests that need one and nothing else of it.
#pragma once

#include "core/autograd/tape.h"

namespace saccade::test {

struct TapeMemory {
  Arena arena;
};

enum class Recording { kYes, kNo };

class TestTape : private TapeMemory, public Tape {
 public:
  TestTape() : Tape(TapeMemory::arena) {}
  explicit TestTape(std::span<const ConstView> parameters, Recording recording = Recording::kYes)
      : TestTape() {
    set_parameters(parameters);
    set_recording(recording == Recording::kYes);
  }
};

}  // namespace saccade::test
