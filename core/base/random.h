// Counter-based random numbers: a draw is a pure function of its key, never of other draws. Results
// therefore do not depend on threads, and a resumed run equals an uninterrupted one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace saccade {

// The purpose of a stream of random numbers. It is part of the key, so that different purposes
// never share numbers.
enum class Stream : std::uint32_t {
  kInit = 1,       // initial weights; keyed by parameter name
  kShuffle = 2,    // data order; step = epoch
  kDropout = 3,    // step; sample = first sample of the shard
  kAttention = 4,  // hard attention: step, sample
  kAugment = 5,    // step = epoch, sample = image
  kSearch = 6,     // sampled captions: step = number of the draw, sample = image
  kScenes = 7,     // the built-in data set: sample = scene
  kTest = 8,
  kBootstrap = 9,   // resampled images: step = replicate, sample = number of images
  kSwaps = 11,      // approximate randomisation: step = replicate
  kSequences = 12,  // the built-in data set of texts: step = split, sample = text
};

// What a draw is a function of: equal keys give equal numbers.
struct RandomKey {
  std::uint64_t seed = 0;         // of the run
  Stream stream = Stream::kTest;  // the purpose
  std::uint64_t step = 0;         // in time, as the stream defines it (Stream)
  std::uint64_t sample = 0;       // among what is drawn at that step, as the stream defines it
};

// Philox4x32-10 (Salmon et al., SC 2011): ten rounds over a 128-bit counter under a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// The random numbers of one key, in order. It is cheap to create and copyable; threads must not
// share one.
class Random {
 public:
  // Begins the numbers of a key.
  explicit Random(const RandomKey& key);

  std::uint32_t bits();                  // 32 random bits
  double uniform();                      // [0, 1), 53 bits
  double normal();                       // N(0, 1), Box-Muller
  double gumbel();                       // Gumbel(0, 1), -log(-log u); in (-3.7, 36.8)
  std::uint64_t below(std::uint64_t n);  // 0 .. n-1, without modulo bias; n > 0

  // Fisher-Yates shuffle of anything with size() and operator[].
  template <class Container>
  void shuffle(Container& items) {
    using std::swap;
    for (std::size_t i = items.size(); i > 1; --i) swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

// A 64-bit digest of a name (FNV-1a), to key random numbers by parameter name.
std::uint64_t name_key(std::string_view name);

}  // namespace saccade
