// The 23 numbers that METEOR 1.5 counts for a hypothesis and a reference, and the score that they
// give (Denkowski and Lavie, WMT 2014; the parameters for English tuned for ranking, "-t rank").
#pragma once

#include <array>
#include <cstdint>

namespace saccade {

struct MeteorStats {
  struct Sides {  // counts of words
    std::int64_t hypothesis = 0, reference = 0;
    bool operator==(const Sides&) const = default;
  };
  static constexpr std::size_t kModules = 4;  // exact, stem, synonym, paraphrase

  Sides length;
  Sides function;                                // function words among them
  std::array<Sides, kModules> matched_content;   // content words that each module matched
  std::array<Sides, kModules> matched_function;  // function words that each module matched
  std::int64_t chunks = 0;                       // runs of matches adjacent in both
  Sides matched;                                 // by any module

  // Adds a segment to a corpus. A segment that matches as a whole, in one chunk, adds no chunk,
  // because by itself its fragmentation is zero.
  MeteorStats& operator+=(const MeteorStats& segment);
  bool operator==(const MeteorStats&) const = default;

  // In METEOR's own order: lengths, function words, content and function words of each module,
  // chunks, matched words; always the hypothesis before the reference.
  static constexpr std::size_t kValues = 23;
  std::array<std::int64_t, kValues> values() const;
  static MeteorStats from(const std::array<std::int64_t, kValues>& values);

 private:
  template <class Visit>
  void for_values(Visit visit) {
    const auto both = [&](Sides& sides) {
      visit(sides.hypothesis);
      visit(sides.reference);
    };
    both(length);
    both(function);
    for (std::size_t i = 0; i < kModules; ++i) {
      both(matched_content[i]);
      both(matched_function[i]);
    }
    visit(chunks);
    both(matched);
  }
};

// The score in [0, 1] of a segment or of the sum of a corpus; 0 when nothing matches.
double meteor_score(const MeteorStats& stats);

}  // namespace saccade
