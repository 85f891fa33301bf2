// Things of C libraries that are released by a function of theirs.
#pragma once

#include <memory>

namespace saccade {

template <auto kRelease>
struct Release {
  template <class T>
  void operator()(T* thing) const {
    kRelease(thing);
  }
};
// Owned<hb_font_t, hb_font_destroy>
template <class T, auto kRelease>
using Owned = std::unique_ptr<T, Release<kRelease>>;

}  // namespace saccade
