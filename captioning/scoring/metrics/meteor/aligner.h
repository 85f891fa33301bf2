// METEOR's search for the best alignment: which of the possible matches are taken. It goes over the
// words of the reference in order, with a beam of 40 paths (METEOR 1.5, Denkowski and Lavie, WMT
// 2014; the order of paths is that of its implementation, because scores depend on it). One thread
// at a time. Time: at most 40 paths * words of the reference * matches of each; 0.01 s for a
// hypothesis of 10,000 words against a caption.
#pragma once

#include <cstdint>
#include <vector>

#include "captioning/scoring/metrics/meteor/matches.h"

namespace saccade::meteor {

// A match that was taken, and where.
struct AlignedMatch {
  std::uint32_t reference_start = 0;
  Match match;
};

struct Alignment {
  std::vector<AlignedMatch> matches;  // in the order of the reference
  std::int64_t chunks = 0;            // runs of matches adjacent in both sentences
};

// Keeps its memory between calls.
class Aligner {
 public:
  Alignment align(const MatchLists& lists);

 private:
  // How paths are ranked: first more matches, then fewer chunks, then less distance.
  struct Rank {
    std::uint32_t matched = 0, chunks = 0;
    std::int64_t distance = 0;

    bool operator==(const Rank&) const = default;
    bool operator<(const Rank& other) const {
      if (matched != other.matched) return matched > other.matched;
      if (chunks != other.chunks) return chunks < other.chunks;
      return distance < other.distance;
    }
  };
  // A choice of matches for the words of the reference so far. Its words of the hypothesis are bits
  // in used_, and its matches are a list in taken_.
  struct Path {
    Rank rank;
    std::int64_t last_end = kNone;  // end of the match before in the hypothesis, if adjacent
    std::size_t covered_until = 0;  // end of the last match in the reference
    std::int64_t taken = kNone;     // its last entry of taken_
  };
  struct Taken {
    AlignedMatch match;
    std::int64_t before;  // entry of taken_
  };
  // A path with one more word decided. It is cheap to make and to sort; only candidates that stay
  // in the beam become paths.
  struct Candidate {
    Rank rank;
    std::uint32_t order, parent;
    const Match* match;  // null: no match starts at this word
  };
  static constexpr std::int64_t kNone = -1;

  void start(const MatchLists& lists);
  void extend(std::uint32_t parent, std::uint32_t at, const MatchLists& lists);
  void add(const Rank& rank, std::uint32_t parent, const Match* match);
  void keep_best(std::uint32_t at);
  bool is_free(const std::uint64_t* used, std::uint32_t at, const Match& match) const;

  std::size_t words_ = 0;                        // 64-bit words of bits per path
  std::vector<Path> paths_, next_paths_;         // at most 40
  std::vector<std::uint64_t> used_, next_used_;  // [paths, words_]
  std::vector<std::uint8_t> certain_;            // words of the reference: 1 covered, 2 start
  std::vector<Candidate> candidates_;
  std::vector<Taken> taken_;
};

}  // namespace saccade::meteor
