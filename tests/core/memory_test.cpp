// The arena, and the shapes and tensors that describe memory.
#include <cstdint>
#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/memory/arena.h"
#include "core/tensor/tensor.h"
#include "tests/support/catch.h"

namespace saccade {

TEST_CASE("arena memory is aligned, does not overlap, and is reused after a reset") {
  Arena arena(1024);
  const auto fill = [&] {
    std::vector<void*> places;
    for (const std::size_t bytes : {1, 64, 100, 0, 5000, 900, 200, 3}) {
      void* p = arena.allocate(bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
      std::memset(p, static_cast<int>(places.size()), bytes);
      places.push_back(p);
    }
    return places;
  };
  const std::vector<void*> first = fill();
  CHECK(std::set<void*>(first.begin(), first.end()).size() == first.size());
  CHECK(*static_cast<unsigned char*>(first[2]) == 2);  // later allocations have not overwritten it
  CHECK(*(static_cast<unsigned char*>(first[4]) + 4999) == 4);
  const std::size_t allocations = arena.system_allocations(), used = arena.used();
  CHECK(used <= arena.reserved());
  arena.reset();
  CHECK(arena.used() == 0);
  CHECK(fill() == first);
  CHECK(arena.used() == used);
  CHECK(arena.high_water() == used);
  CHECK(arena.system_allocations() == allocations);
}

TEST_CASE("arena memory between a mark and its rewind is handed out again, also across blocks") {
  Arena arena(1024);
  arena.allocate(100);
  const Arena::Mark mark = arena.mark();
  void* const first = arena.allocate(200);
  arena.allocate(5000);
  const std::size_t most = arena.used();
  arena.rewind(mark);
  CHECK(arena.used() == 128);
  CHECK(arena.allocate(200) == first);
  arena.allocate(5000);
  CHECK(arena.system_allocations() == 2);
  CHECK(arena.high_water() == most);
}

TEST_CASE("shapes know their size, rows and text, and refuse other lists") {
  const Shape s{2, 3, 4};
  CHECK(s.size() == 24);
  CHECK(s.rows() == 6);
  CHECK(s.cols() == 4);
  CHECK(s[-1] == 4);
  CHECK(s.with_first(5) == Shape{5, 3, 4});
  CHECK(s.with_last(1) == Shape{2, 3, 1});
  CHECK_FALSE(s == Shape{2, 3});
  CHECK(s.text() == "[2, 3, 4]");
  CHECK(Shape().size() == 1);
  CHECK(Shape({4, 0}).rows() == 0);
  CHECK_THROWS_AS(Shape({1, 2, 3, 4, 5, 6}), ShapeError);
  CHECK_THROWS_AS(Shape({2, -1}), ShapeError);
  CHECK_THROWS_AS(Shape().with_last(1), ShapeError);
}

TEST_CASE("tensors start at zero and are copied only by clone") {
  Tensor a({2, 3});
  for (const Real x : a.span()) CHECK(x == 0);
  a[4] = 7;
  const Tensor b = a.clone();
  a[4] = 8;
  CHECK(b[4] == 7);
  CHECK(a.view().row(1)[1] == 8);
  CHECK(a.view_as({3, 2}).row(2)[0] == 8);
  CHECK_THROWS_AS(a.view_as({5}), ShapeError);
  CHECK_THROWS_AS(Tensor({2}, std::vector<Real>{1}), ShapeError);
  CHECK(Tensor().empty());
  CHECK(Tensor().clone().empty());
}

}  // namespace saccade
