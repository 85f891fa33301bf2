// "Did you mean": the nearest of a list of names, for mistakes in configs and on the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace saccade {

// Edits that turn one word into the other: insert, delete, replace, swap of neighbours (optimal
// string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to the word, or "" when none is near enough (about a third of its letters).
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

// " (did you mean 'x'?)", or "" when no candidate is near; to be put behind an error text.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace saccade
