#include "experiments/runs/manifest.h"

#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"
#include "core/parallel/parallel.h"
#include "experiments/process/processor.h"
#include "experiments/process/shell_word.h"
#include "experiments/process/version.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

// What identifies the program beyond its version: where it was changed, the number of its version
// says nothing.
Json program_json() {
  const SourceState source = source_state();
  return {{"version", version_number()},
          {"commit", source.commit.empty() ? Json() : Json(source.commit)},
          {"changed", source.commit.empty() ? Json() : Json(source.changed)},
          {"digest", program_digest()}};
}

Json processor_json() {
  const Processor processor = this_processor();
  return {{"name", processor.name}, {"model", processor.model}, {"features", processor.features}};
}

// The manifest of the run that is resumed; an empty object if it cannot be read.
Json earlier(const std::filesystem::path& path) {
  Json json = shallow_json(whole_file(path).value_or(""));
  return json.is_object() ? json : Json::object();
}

Json weights_json(const std::optional<WeightsOrigin>& weights) {
  if (!weights) return nullptr;
  return {{"file", weights->file}, {"update", weights->update}, {"digest", weights->digest}};
}

}  // namespace

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string argument; std::getline(in, argument, '\0');)
    line += (line.empty() ? "" : " ") + shell_word(argument);
  return line;
}

std::string manifest_json(const std::filesystem::path& previous, const ManifestContent& content) {
  const bool resumed = content.resumed_update >= 0;
  const Json before = resumed ? earlier(previous) : Json::object();
  Json starts = before.value("starts", Json::array());
  if (!starts.is_array()) starts = Json::array();
  Json start = {{"time", utc_now()},
                {"command_line", command_line()},
                {"threads", parallel::threads()},
                {"program", program_json()},
                {"processor", processor_json()}};
  if (resumed) start["resumed_from_update"] = content.resumed_update;
  starts.push_back(std::move(start));
  const Json json = {
      {"schema_version", 1},
      {"name", content.config->name},
      {"seed", content.config->seed},
      {"versions", shallow_json(version_json())},
      {"dataset", {{"name", content.dataset->name}, {"digest", content.dataset->digest}}},
      {"vocabulary",
       {{"size", content.vocabulary->size()}, {"digest", content.vocabulary->digest()}}},
      {"init_from", resumed ? before.value("init_from", Json()) : weights_json(content.weights)},
      {"meteor_tables", content.meteor_tables},
      {"starts", std::move(starts)}};
  return json_text(json);
}

}  // namespace saccade
