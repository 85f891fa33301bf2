// The common nouns of ImageNet's 1,000 classes (ILSVRC 2012), from WordNet's hypernyms: nouns.txt,
// which make_nouns.py writes.
#pragma once

#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct ObjectNoun {
  std::string noun{};
  std::vector<std::string> same{};  // words or phrases that say the same, such as its plural
  std::vector<int> classes{};       // from 0
  std::vector<std::string> like{};  // words of captions that it is like, the nearest first
};

inline constexpr Index kImagenetClasses = 1000;

// All of them, in the order of the alphabet.
const std::vector<ObjectNoun>& object_nouns();
// The noun of a class of a network with so many classes: 1,000, or 1,001 with a background in
// front. Null where the class has no noun.
const ObjectNoun* noun_of_class(int number, Index classes);
// The noun of a word, which is the noun itself or its plural; null where there is none.
const ObjectNoun* noun_of_word(const std::string& word);

}  // namespace saccade
