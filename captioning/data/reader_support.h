// What readers of data sets share: safe paths, clean captions, and the last checks.
#pragma once

#include <filesystem>
#include <string>

#include "captioning/data/dataset.h"

namespace saccade {

// The one name of an image: "a/b.jpg" for "./a/b.jpg" and "a//b.jpg". Throws DataError, whose
// message begins with `place`, when it is empty, absolute, or leads out of the image folder.
std::string image_name(const std::string& name, const std::string& place);

// root / name; "" where there is no root. Throws as image_name() does.
std::string image_path(const std::filesystem::path& root, const std::string& name,
                       const std::string& place);

// The split that a word means (find_split). Throws DataError, whose message begins with `place`,
// for any other.
Split read_split(const std::string& word, const std::string& place);

// Says that a file is a list, where an object was expected.
[[noreturn]] void refuse_list(const std::string& place);

// The data set's notes for the end of a message, "; " before each one.
std::string notes_of(const Dataset& dataset);

// Makes captions plain (plain_caption.h) and clean, drops captions without words or with endless
// ones and images without captions (and notes it), checks that ids and numbers are unique (numbers
// unless Dataset::numbers_are_places) and that something is left, and fills in the digest. Throws
// DataError if a check fails; `source` names the file in the message, which ends with the notes
// where nothing is left.
void finish(Dataset& dataset, const std::string& source);

}  // namespace saccade
