// The words with which every vocabulary begins, in the order of their ids.
#pragma once

#include <array>
#include <string_view>

namespace saccade {

inline constexpr std::array<std::string_view, 4> kSpecialWords = {"<pad>", "<bos>", "<eos>",
                                                                  "<unk>"};

}  // namespace saccade
