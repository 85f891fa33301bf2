// "Did you mean": finds the nearest name in a list, for mistakes in configs and on the command
// line.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace saccade {

// Whether a word is a single character of UTF-8.
bool is_one_letter(std::string_view word);

// The number of edits that turn one word into the other: insertions, deletions, replacements and
// swaps of neighbouring letters (optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to the word, or "" when none is near enough (within about a third of its
// letters). No letter is near another one.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

// " (did you mean 'x'?)", or "" when no candidate is near enough; to be appended to an error
// message.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace saccade
