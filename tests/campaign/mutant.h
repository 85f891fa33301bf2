// What mutants.py writes into a copy of the sources: places that compute something else where the
// variable SACCADE_MUTANT has their number. The file that SACCADE_REACHED names gets the numbers of
// the places that a program has reached, those behind "-" with operands that are no numbers, such
// as texts; nothing is changed there.
#pragma once

#include <bitset>
#include <cstdlib>
#include <fstream>
#include <type_traits>
#include <utility>

namespace saccade::mutants {

inline constexpr std::size_t kMost = 1000;

struct State {
  int chosen = 0;
  bool reached[kMost]{}, foreign[kMost]{};

  State() {
    if (const char* number = std::getenv("SACCADE_MUTANT")) chosen = std::atoi(number);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    const char* path = std::getenv("SACCADE_REACHED");
    if (path == nullptr) return;
    std::ofstream out(path, std::ios::app);
    for (std::size_t i = 0; i < kMost; ++i)
      if (reached[i]) out << i << "\n";
    for (std::size_t i = 0; i < kMost; ++i)
      if (foreign[i]) out << "-" << i << "\n";
  }
};
inline State state;

template <int K>
constexpr bool is() {
  if (std::is_constant_evaluated()) return false;
  state.reached[K] = true;
  return state.chosen == K;
}

template <class... T>
inline constexpr bool kNumbers = (std::is_arithmetic_v<std::remove_cvref_t<T>> && ...);

template <int K>
constexpr void note_foreign() {
  if (!std::is_constant_evaluated()) state.foreign[K] = true;
}

// `a + b` becomes `a + At<K>{} + b`, which keeps the order in which operators bind. Likewise for
// the others. `a += b` becomes `a += At<K>{} = b`.
template <int K>
struct At {
  template <class B>
  constexpr std::remove_cvref_t<B> operator=(B&& b) const {
    if constexpr (kNumbers<B>) {
      return is<K>() ? std::remove_cvref_t<B>{} : b;
    } else {
      note_foreign<K>();
      return std::forward<B>(b);
    }
  }
};
// The last value of a loop is left out: `i < n` becomes `i < Last<K>{} < n`.
template <int K>
struct Last {};

template <class A, class Place>
struct Left {
  A&& a;
};

#define SACCADE_MUTANT_OPERATOR(place, op, changed)                           \
  template <class A, int K>                                                   \
  constexpr Left<A, place<K>> operator op(A&& a, place<K>) {                  \
    return {std::forward<A>(a)};                                              \
  }                                                                           \
  template <class A, int K, class B>                                          \
  constexpr decltype(auto) operator op(Left<A, place<K>> left, B&& b) {       \
    if constexpr (kNumbers<A, B>) {                                           \
      using T = decltype(left.a op b);                                        \
      return is<K>() ? static_cast<T>(changed) : static_cast<T>(left.a op b); \
    } else {                                                                  \
      note_foreign<K>();                                                      \
      return std::forward<A>(left.a) op std::forward<B>(b);                   \
    }                                                                         \
  }
SACCADE_MUTANT_OPERATOR(At, +, left.a - b)
SACCADE_MUTANT_OPERATOR(At, -, left.a + b)
SACCADE_MUTANT_OPERATOR(At, *, b == 0 ? left.a : left.a / b)
SACCADE_MUTANT_OPERATOR(At, /, left.a* b)
SACCADE_MUTANT_OPERATOR(At, %, left.a / b)
SACCADE_MUTANT_OPERATOR(At, <, left.a <= b)
SACCADE_MUTANT_OPERATOR(At, <=, left.a < b)
SACCADE_MUTANT_OPERATOR(At, >, left.a >= b)
SACCADE_MUTANT_OPERATOR(At, >=, left.a > b)
SACCADE_MUTANT_OPERATOR(At, ==, left.a != b)
SACCADE_MUTANT_OPERATOR(At, !=, left.a == b)
SACCADE_MUTANT_OPERATOR(Last, <, left.a + 1 < b)
#undef SACCADE_MUTANT_OPERATOR

// A whole number plus one; any other number a tenth larger.
template <int K, class T>
constexpr T constant(T value) {
  if (!is<K>()) return value;
  if constexpr (std::is_same_v<T, bool>)
    return !value;
  else if constexpr (std::is_integral_v<T>)
    return value + 1;
  else
    return value == 0 ? T(0.1) : value * T(1.1);
}

template <int K, class T>
constexpr T smaller(const T& a, const T& b) {
  return (b < a) != is<K>() ? b : a;
}
template <int K, class T>
constexpr T larger(const T& a, const T& b) {
  return (a < b) != is<K>() ? b : a;
}

}  // namespace saccade::mutants
