#include "captioning/scoring/metrics/meteor/aligner.h"

#include <algorithm>
#include <cstdlib>

namespace saccade::meteor {

namespace {

constexpr std::size_t kBeam = 40;

enum : std::uint8_t { kOpen, kCovered, kStarts };  // states of certain_

std::uint64_t bit(std::size_t at) { return std::uint64_t{1} << (at % 64); }

void mark_used(std::uint64_t* used, const Match& match) {
  for (std::size_t k = match.start; k < match.start + match.length; ++k) used[k / 64] |= bit(k);
}

// What a match adds to the number of matches by which paths are ranked. METEOR adds length * weight
// to whole numbers, and weights are 1/2 after the exact module, so a stem or a synonym adds
// nothing.
std::uint32_t gain(const Match& match) {
  const std::uint32_t divisor = match.module == Module::kExact ? 1 : 2;
  return match.length / divisor + match.reference_length / divisor;
}

}  // namespace

Alignment Aligner::align(const MatchLists& lists) {
  start(lists);
  for (std::uint32_t at = 0; at < lists.reference_length(); ++at) {
    candidates_.clear();
    for (std::uint32_t path = 0; path < paths_.size(); ++path) extend(path, at, lists);
    keep_best(at);
  }
  for (Path& path : paths_) path.rank.chunks += path.last_end != kNone ? 1U : 0U;
  const Path& best = *std::min_element(
      paths_.begin(), paths_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  Alignment out;
  out.chunks = best.rank.chunks;
  for (std::int64_t i = best.taken; i != kNone; i = taken_[static_cast<std::size_t>(i)].before) {
    out.matches.push_back(taken_[static_cast<std::size_t>(i)].match);
  }
  std::reverse(out.matches.begin(), out.matches.end());
  return out;
}

// Starts with one path, in which the words of certain matches are already used.
void Aligner::start(const MatchLists& lists) {
  words_ = (lists.hypothesis_length() + 63) / 64;
  paths_.assign(1, Path{});
  used_.assign(words_, 0);
  taken_.clear();
  certain_.assign(lists.reference_length(), kOpen);
  for (std::size_t at = 0; at < lists.reference_length(); ++at) {
    if (!lists.is_certain(at)) continue;
    const Match& match = lists.at(at).front();
    mark_used(used_.data(), match);
    for (std::size_t k = 0; k < match.reference_length; ++k) certain_[at + k] = kCovered;
    certain_[at] = kStarts;
  }
}

void Aligner::add(const Rank& rank, std::uint32_t parent, const Match* match) {
  candidates_.push_back({rank, static_cast<std::uint32_t>(candidates_.size()), parent, match});
}

// The candidates of one path: each match that can start at this word, and then no match.
void Aligner::extend(std::uint32_t parent, std::uint32_t at, const MatchLists& lists) {
  const Path& path = paths_[parent];
  if (at < path.covered_until) return add(path.rank, parent, nullptr);
  const std::int64_t last_end = path.last_end;
  const auto breaks_chunk = [=](const Match& match) {
    return last_end != kNone && last_end != match.start;
  };
  // The distance of a path counts every match that was tried. It grows after a match was added as a
  // candidate, so a match's own distance is not in its rank, but in the ranks of those after it.
  std::int64_t distance = path.rank.distance;
  const auto rank_with = [&](const Match& match) {
    return Rank{path.rank.matched + gain(match), path.rank.chunks + (breaks_chunk(match) ? 1U : 0U),
                distance};
  };
  const auto distance_of = [=](const Match& match) {
    return std::abs(std::int64_t{at} - std::int64_t{match.start});
  };
  if (certain_[at] == kStarts) {
    const Match& match = lists.at(at).front();
    distance += distance_of(match);  // unlike all others, a certain match counts its own distance
    return add(rank_with(match), parent, &match);
  }
  // Of one module's words that break the chunk alike, each ranks behind those before it, and only
  // as many as the beam holds can stay: that bounds the work for a word repeated a thousand times.
  const std::uint64_t* used = used_.data() + parent * words_;
  Module module = Module::kExact;
  std::size_t alike = 0;
  for (const Match& match : lists.at(at)) {
    if (!is_free(used, at, match)) continue;
    if (match.module != module) alike = 0;
    module = match.module;
    if (alike < kBeam || match.start == last_end || module == Module::kParaphrase) {
      add(rank_with(match), parent, &match);
      alike += match.start == last_end ? 0U : 1U;
    }
    distance += distance_of(match);
  }
  const std::uint32_t closed = last_end != kNone ? 1 : 0;
  add({path.rank.matched, path.rank.chunks + closed, distance}, parent, nullptr);
}

// The candidates that rank first become the paths; of equals the one made first.
void Aligner::keep_best(std::uint32_t at) {
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.rank == b.rank ? a.order < b.order : a.rank < b.rank;
  };
  const std::size_t count = std::min(kBeam, candidates_.size());
  if (!std::is_sorted(candidates_.begin(), candidates_.end(), better)) {
    std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count),
                      candidates_.end(), better);
  }
  next_paths_.resize(count);
  next_used_.resize(count * words_);
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& chosen = candidates_[i];
    Path& path = next_paths_[i];
    path = paths_[chosen.parent];
    std::uint64_t* used = next_used_.data() + i * words_;
    std::copy_n(used_.data() + chosen.parent * words_, words_, used);
    path.rank = chosen.rank;
    if (chosen.match != nullptr) {
      const Match& match = *chosen.match;
      mark_used(used, match);
      path.last_end = match.start + match.length;
      path.covered_until = at + match.reference_length;
      taken_.push_back({{at, match}, path.taken});
      path.taken = static_cast<std::int64_t>(taken_.size()) - 1;
    } else if (at >= path.covered_until) {
      path.last_end = kNone;
    }
  }
  paths_.swap(next_paths_);
  used_.swap(next_used_);
}

// Whether a path that uses these words may take a match at the open word `at`. Of the words of the
// reference that follow only certain matches can have taken any.
bool Aligner::is_free(const std::uint64_t* used, std::uint32_t at, const Match& match) const {
  if ((used[match.start / 64] & bit(match.start)) != 0) return false;
  for (std::uint32_t k = 1; k < match.length; ++k) {
    if ((used[(match.start + k) / 64] & bit(match.start + k)) != 0) return false;
  }
  for (std::uint32_t k = 1; k < match.reference_length; ++k) {
    if (certain_[at + k] != kOpen) return false;
  }
  return true;
}

}  // namespace saccade::meteor
