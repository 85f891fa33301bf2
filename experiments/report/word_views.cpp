#include "experiments/report/word_views.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/table.h"

namespace saccade {

using Json = nlohmann::ordered_json;

std::string neighbours_text(const WordNeighbours& words) {
  std::string out = str("words near '", words.word, "', with the cosine of their vectors; of ",
                        words.tokens, " words in captions\n");
  for (std::size_t c = 0; c < words.captions.size(); ++c)
    out += str("caption ", c + 1, ": ", words.captions[c], "\n");
  for (const WordStage& stage : words.stages) {
    out += "\n" + stage.name;
    if (stage.between) out += str(": between the captions ", decimals(*stage.between, 2));
    out += "\n";
    for (std::size_t c = 0; c < stage.neighbours.size(); ++c) {
      out += stage.neighbours.size() > 1 ? str("  caption ", c + 1, ": ") : std::string("  ");
      for (std::size_t n = 0; n < stage.neighbours[c].size(); ++n)
        out += str(n == 0 ? "" : ", ", stage.neighbours[c][n].word, " ",
                   decimals(stage.neighbours[c][n].cosine, 2));
      out += "\n";
    }
  }
  if (words.stages.size() == 1)
    out +=
        "\n(the words of this decoder do not attend to each other, so there is no other stage)\n";
  return out;
}

Json neighbours_json(const WordNeighbours& words) {
  Json stages = Json::array();
  for (const WordStage& stage : words.stages) {
    Json captions = Json::array();
    for (const std::vector<WordNeighbour>& caption : stage.neighbours) {
      Json list = Json::array();
      for (const WordNeighbour& one : caption) {
        list.push_back({{"word", one.word}, {"cosine", one.cosine}});
        if (!one.caption.empty()) list.back()["caption"] = one.caption;
      }
      captions.push_back(std::move(list));
    }
    stages.push_back({{"name", stage.name},
                      {"between", stage.between ? Json(*stage.between) : Json()},
                      {"neighbours", std::move(captions)}});
  }
  return {{"word", words.word},
          {"captions", words.captions},
          {"tokens", words.tokens},
          {"stages", std::move(stages)}};
}

}  // namespace saccade
