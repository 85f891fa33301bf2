#include "experiments/report/report_page.h"

#include <algorithm>

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

// Words that name nothing, for the choice of the word that is shown first.
std::string function_words_script() {
  std::string out;
  for (const std::string_view word : meteor::function_words())
    if (std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
      out += str(out.empty() ? "'" : ", '", word, "'");
  return "const FUNCTION_WORDS = new Set([" + out + "]);\n";
}

}  // namespace

std::string program_values() {
  return metrics_script() + str("const UNIFORM_ENTROPY = ", kUniformEntropy, ";\n") +
         function_words_script();
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
