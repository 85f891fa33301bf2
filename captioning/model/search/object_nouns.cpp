#include "captioning/model/search/object_nouns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include "core/base/error.h"

// The assembler copies the file into the library (SACCADE_NOUNS is its path).
asm(".section .rodata\n"
    "saccade_nouns_begin:\n"
    ".incbin \"" SACCADE_NOUNS
    "\"\n"
    "saccade_nouns_end:\n"
    ".byte 0\n"
    ".previous\n");

extern const char kNounsBegin[] asm("saccade_nouns_begin");
extern const char kNounsEnd[] asm("saccade_nouns_end");

namespace saccade {

namespace {

std::vector<std::string> cut_at(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) out.push_back(part);
  return out;
}

int number_of(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  SACCADE_ASSERT(number >= 0 && number < kImagenetClasses, "nouns.txt: class ", text);
  return number;
}

std::vector<ObjectNoun> read_nouns() {
  std::vector<ObjectNoun> nouns;
  std::istringstream in(std::string(kNounsBegin, kNounsEnd));
  for (std::string line; std::getline(in, line);) {
    std::array<std::string, 4> fields;
    std::istringstream parts(line);
    for (std::string& field : fields) std::getline(parts, field, '\t');
    ObjectNoun noun{.noun = fields[0],
                    .same = cut_at(fields[1], ','),
                    .classes = {},
                    .like = cut_at(fields[3], ' ')};
    for (const std::string& range : cut_at(fields[2], ' ')) {
      const std::vector<std::string> ends = cut_at(range, '-');
      for (int c = number_of(ends.front()); c <= number_of(ends.back()); ++c)
        noun.classes.push_back(c);
    }
    nouns.push_back(std::move(noun));
  }
  return nouns;
}

}  // namespace

const std::vector<ObjectNoun>& object_nouns() {
  static const std::vector<ObjectNoun> nouns = read_nouns();
  return nouns;
}

const ObjectNoun* noun_of_class(int number, Index classes) {
  const int own = classes == kImagenetClasses + 1 ? number - 1 : number;
  for (const ObjectNoun& noun : object_nouns())
    if (std::find(noun.classes.begin(), noun.classes.end(), own) != noun.classes.end())
      return &noun;
  return nullptr;
}

const ObjectNoun* noun_of_word(const std::string& word) {
  for (const ObjectNoun& noun : object_nouns())
    if (noun.noun == word || (!noun.same.empty() && noun.same.front() == word)) return &noun;
  return nullptr;
}

}  // namespace saccade
