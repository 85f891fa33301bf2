#include "core/base/suggest.h"

#include <algorithm>
#include <vector>

namespace saccade {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// '-' for '_' is an easy typing mistake, and so is the case of a letter.
std::string folded(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c == '-' ? '_' : lower(c);
  return out;
}

constexpr std::size_t kLongest = 64;  // a quadratic search is not worth it for longer words

}  // namespace

bool is_one_letter(std::string_view word) {
  return std::count_if(word.begin(), word.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
         }) == 1;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongest) return "";
  const std::string wanted = folded(word);
  std::size_t best = wanted.size() / 3 + 1;
  if (wanted.size() <= 2) best = 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    // Every letter is one edit away from every other letter, so none is near.
    if (is_one_letter(word) && is_one_letter(candidate) && wanted != folded(candidate)) continue;
    const std::size_t distance = edit_distance(wanted, folded(candidate));
    if (distance < best || (distance == best && found.empty())) {
      best = distance;
      found = candidate;
    }
  }
  if (!found.empty() || wanted.size() < 3) return found;
  for (const std::string& candidate : candidates) {  // the word may be an abbreviation
    if (folded(candidate).starts_with(wanted)) return candidate;
  }
  return "";
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string name = nearest_name(word, candidates);
  return name.empty() ? "" : " (did you mean '" + name + "'?)";
}

}  // namespace saccade
