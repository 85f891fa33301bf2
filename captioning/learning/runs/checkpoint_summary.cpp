#include "captioning/learning/runs/checkpoint_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "captioning/learning/runs/published_model.h"
#include "core/base/digest.h"
#include "core/base/json_text.h"
#include "core/config/config.h"
#include "core/config/idle.h"
#include "core/io/checkpoint.h"

namespace saccade {

using Json = nlohmann::ordered_json;

std::string numbers_digest(const Archive& archive, const std::string& prefix) {
  Digest digest;
  for (const auto& [name, entry] : archive.entries()) {
    if (!name.starts_with(prefix)) continue;
    digest.add(name);
    digest.add(Archive::describe(entry));
    const auto add = [&](const auto& values) {
      digest.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    };
    if (const auto* floats = std::get_if<NumberArray<float>>(&entry)) add(floats->values());
    if (const auto* doubles = std::get_if<NumberArray<double>>(&entry)) add(doubles->values());
    if (const auto* ints = std::get_if<NumberArray<std::int64_t>>(&entry)) add(ints->values());
  }
  return digest.hex();
}

Table table_of(const ParameterStore& store) {
  Table table{.columns = {{.key = "name"}, {.key = "shape"}, {.key = "numbers"}}};
  for (const ParameterInfo& info : store.infos()) {
    std::vector<Index> shape;
    for (int a = 0; a < info.shape.rank(); ++a) shape.push_back(info.shape[a]);
    table.add({info.name, std::move(shape), info.shape.size()});
  }
  return table;
}

Table parts_of(const ParameterStore& store) {
  Table table{.columns = {{.key = "name"}, {.key = "numbers"}}};
  std::vector<std::pair<std::string, Index>> parts;
  for (const ParameterInfo& info : store.infos()) {
    const std::string part = info.name.substr(0, info.name.find('.', info.name.find('.') + 1));
    if (parts.empty() || parts.back().first != part) parts.emplace_back(part, 0);
    parts.back().second += info.shape.size();
  }
  for (const auto& [part, numbers] : parts) table.add({part, numbers});
  return table;
}

Json checkpoint_json(const std::string& path, const LoadedModel& loaded) {
  const bool published = !loaded.published.empty();
  const Archive archive = published ? published_archive(loaded) : load_archive(path);
  const TrainingState& state = loaded.state;
  const GridShape& grid = loaded.model->grid();
  return {
      {"schema_version", 1},
      {"checkpoint", path},
      {"published", published ? Json(loaded.published) : Json()},
      {"content_digest", published ? Json() : Json(archive_digest(path))},
      {"parameters_digest", numbers_digest(archive, "parameters/")},
      {"optimizer_digest", numbers_digest(archive, "optimizer/")},
      {"dataset", {{"name", loaded.data.name}, {"digest", loaded.data.digest}}},
      {"vocabulary_size", loaded.model->vocabulary().size()},
      {"grid", {{"rows", grid.rows}, {"cols", grid.cols}, {"features", grid.features}}},
      {"state",
       {{"update", state.update},
        {"epoch", state.epoch},
        {"batch", state.batch},
        {"seconds", state.seconds},
        {"finished", state.finished},
        {"validations_without_gain", state.validations_without_gain},
        {"reward_baseline", state.baseline.all.started ? Json(state.baseline.all.value) : Json()},
        {"best", state.best}}},
      {"weights_only", loaded.weights_only},
      {"parameter_count", loaded.model->parameters().number_count()},
      {"parameters", rows_json(table_of(loaded.model->parameters()))},
      {"config", print_config(loaded.config)}};
}

std::string chosen_values(const ExperimentConfig& config) {
  const std::vector<std::string> unread = unread_options(config);
  std::string text;
  for (const Difference& one : config_differences(ExperimentConfig(), config))
    if (std::find(unread.begin(), unread.end(), one.path) == unread.end())
      text += one.path + ": " + one.second + "\n";
  return text;
}

}  // namespace saccade
