// Objects that a classifier sees become constraints of a caption (search/must.h).
#pragma once

#include <span>
#include <vector>

#include "captioning/model/search/search.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "vision/encoders/image_classifier.h"

namespace saccade {

// Adds to a search of some images the common nouns (object_nouns.h) of what their classifier sees:
// those whose classes have a probability of options.name_objects together in one window. The
// caption has the noun or a word that says the same. A noun that the vocabulary lacks becomes a new
// word. `classes` is the number of the classifier's; seen[m] belongs to image m of the call. Nouns
// that no rule of the search allows are left out, and those that captions[m], found without them,
// has anyway. Returns how much log p the caption of each image may lose for its nouns: the sum of
// their log odds, log p / (1 - p). Where it loses more, the captioner is surer against a noun than
// the classifier is of it. -infinity where no noun is asked for.
std::vector<double> name_objects(SearchOptions& options,
                                 std::span<const std::vector<SeenClass>> seen, Index classes,
                                 const Vocabulary& vocabulary,
                                 std::span<const DecodedCaption> captions);

// The known words that a word is like by the table of nouns, with their shares; empty where the
// table does not have it, or no word that it is like is known.
std::vector<std::pair<int, double>> like_known(const std::string& word,
                                               const Vocabulary& vocabulary);

}  // namespace saccade
