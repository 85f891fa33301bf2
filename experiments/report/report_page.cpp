#include "experiments/report/report_page.h"

#include <algorithm>

#include "captioning/data/scenes/scene.h"
#include "captioning/grounding/coco_names.h"
#include "captioning/maps/attention_map.h"
#include "captioning/metrics/meteor/function_words.h"
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

// Words that name a thing of a photo or a scene, and words that name nothing, for the choice of the
// word that is shown first.
std::string first_words_script() {
  std::vector<std::string> things = coco_single_words();
  things.insert(things.end(), kShapeWords.begin(), kShapeWords.end());
  return word_set("THING_WORDS", things) + word_set("FUNCTION_WORDS", meteor::function_words());
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
