// The promise that the number of threads changes no bit.
#pragma once

#include "core/parallel/parallel.h"
#include "tests/support/catch.h"

namespace saccade::test {

// What `make` gives, which has to be equal for 1, 2 and 4 threads.
template <class F>
auto same_for_threads(const F& make) {
  const int before = parallel::threads();
  parallel::set_threads(1);
  auto first = make();
  for (const int threads : {2, 4}) {
    parallel::set_threads(threads);
    INFO(threads << " threads");
    const bool same = make() == first;  // printing all of it would take long
    CHECK(same);
  }
  parallel::set_threads(before);
  return first;
}

}  // namespace saccade::test
