#include "captioning/learning/runs/model_parameters.h"

#include <utility>
#include <vector>

namespace saccade {

std::set<std::string> supervision_parameters(const ModelConfig& config, Vocabulary vocabulary,
                                             const GridShape& frozen_grid) {
  const CaptionModel model = CaptionModel::declared(config, std::move(vocabulary), frozen_grid);
  std::set<std::string> names;
  for (const ParameterInfo& info : model.parameters().infos())
    if (info.use == ParameterUse::kSupervision) names.insert(info.name);
  return names;
}

std::map<std::string, int> word_axes(const ModelConfig& config, const GridShape& frozen_grid) {
  // Where one more word makes an array longer, it has a place for each word.
  std::vector<std::string> words = Vocabulary().words();
  words.emplace_back("word");
  const CaptionModel few = CaptionModel::declared(config, Vocabulary(), frozen_grid),
                     more = CaptionModel::declared(config, Vocabulary(words), frozen_grid);
  std::map<std::string, int> axes;
  for (const ParameterInfo& info : few.parameters().infos()) {
    const Shape& longer = more.parameters().info(more.parameters().find(info.name)).shape;
    for (int a = 0; a < info.shape.rank(); ++a)
      if (longer[a] != info.shape[a]) axes[info.name] = a;
  }
  return axes;
}

}  // namespace saccade
