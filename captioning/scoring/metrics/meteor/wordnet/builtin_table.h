// The synonym table that is built into the library: wordnet/synsets.txt.gz as it is in the source
// tree (WordNet 3.0; see LICENSE.wordnet and make_table.sh beside it).
#pragma once

#include <string_view>

namespace saccade::meteor {

// The bytes of the gzip file.
std::string_view builtin_table();

}  // namespace saccade::meteor
