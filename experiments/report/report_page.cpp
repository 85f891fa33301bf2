#include "experiments/report/report_page.h"

#include <algorithm>
#include <array>

#include "captioning/data/scenes/scene.h"
#include "captioning/scoring/metrics/meteor/function_words.h"
#include "captioning/study/grounding/coco_names.h"
#include "core/attention/map.h"
#include "core/base/error.h"
#include "experiments/report/metric_list.h"
#include "experiments/report/page_parts.h"

namespace saccade {

namespace {

// JSON has '<' only inside strings, where it may be written as an escape. Then neither "</script>"
// nor
// "<!--" can occur in the text.
std::string escaped(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Defines a set of words; those that are not spelled with the letters a to z are left out.
template <class Words>
std::string word_set(const char* name, const Words& words) {
  std::string out;
  for (const std::string_view word : words)
    if (std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
      out += str(out.empty() ? "'" : ", '", word, "'");
  return str("const ", name, " = new Set([", out, "]);\n");
}

// Prepositions, numbers, quantities and further words of captions that name nothing. METEOR's list
// is of the most frequent words of newspapers and lacks most of them.
constexpr auto kNamelessWords = std::to_array<std::string_view>(
    {"above",      "across",  "against",    "ahead",    "along",     "alongside",  "amid",
     "among",      "amongst", "another",    "any",      "anything",  "apart",      "around",
     "aside",      "atop",    "away",       "back",     "because",   "before",     "behind",
     "being",      "below",   "beneath",    "beside",   "besides",   "between",    "beyond",
     "both",       "bottom",  "close",      "covered",  "different", "down",       "during",
     "each",       "eight",   "either",     "entire",   "every",     "everything", "far",
     "few",        "filled",  "five",       "four",     "front",     "full",       "here",
     "him",        "himself", "herself",    "inside",   "itself",    "just",       "large",
     "left",       "little",  "located",    "lot",      "lots",      "made",       "many",
     "middle",     "most",    "much",       "near",     "nearby",    "next",       "nine",
     "number",     "off",     "onto",       "opposite", "outside",   "own",        "pair",
     "part",       "past",    "piece",      "right",    "same",      "seems",      "seven",
     "several",    "side",    "six",        "small",    "something", "still",      "such",
     "surrounded", "ten",     "themselves", "there",    "these",     "those",      "though",
     "three",      "through", "together",   "top",      "toward",    "towards",    "under",
     "underneath", "until",   "upon",       "various",  "very",      "where",      "while",
     "within",     "without"});

// Words that name a thing of a photo or a scene, and words that name nothing, for the choice of the
// word that is shown first.
std::string first_words_script() {
  std::vector<std::string> things = coco_single_words();
  things.insert(things.end(), kShapeWords.begin(), kShapeWords.end());
  std::vector<std::string> nameless(meteor::function_words().begin(),
                                    meteor::function_words().end());
  nameless.insert(nameless.end(), kNamelessWords.begin(), kNamelessWords.end());
  return word_set("THING_WORDS", things) + word_set("FUNCTION_WORDS", nameless);
}

}  // namespace

std::string program_values() {
  return metrics_script() + str("const UNIFORM_ENTROPY = ", kUniformEntropy, ";\n") +
         first_words_script();
}

void put_part(std::string& page, std::string_view place, std::string_view text) {
  const std::size_t at = page.find(place);
  SACCADE_ASSERT(at != std::string::npos, "[page] there is no place for ", place);
  page.replace(at, place.size(), text);
}

std::string report_page(const std::string& json) {
  std::string page(page_parts::report_markup);
  // The data comes last, so that no placeholder is searched in text that others wrote.
  put_part(page, "/*{style}*/", page_parts::style);
  put_part(page, "<!--{help}-->", page_parts::help);
  // The registry holds no `<`, which could end the script.
  put_part(page, "/*{script}*/",
           program_values() + std::string(page_parts::explorer_script) +
               std::string(page_parts::report_script));
  put_part(page, "{data}", escaped(json));
  return page;
}

}  // namespace saccade
