#include "experiments/runs/manifest.h"

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/parallel/parallel.h"
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

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// The manifest of the run that is resumed; an empty object if it cannot be read.
Json earlier(const std::filesystem::path& path) {
  std::ifstream in(path);
  Json json = Json::parse(in, nullptr, false);
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
                {"processor", processor()}};
  if (resumed) start["resumed_from_update"] = content.resumed_update;
  starts.push_back(std::move(start));
  const Json json = {
      {"schema_version", 1},
      {"name", content.config->name},
      {"seed", content.config->seed},
      {"versions", Json::parse(version_json())},
      {"dataset", {{"name", content.dataset->name}, {"digest", content.dataset->digest}}},
      {"vocabulary",
       {{"size", content.vocabulary->size()}, {"digest", content.vocabulary->digest()}}},
      {"init_from", resumed ? before.value("init_from", Json()) : weights_json(content.weights)},
      {"starts", std::move(starts)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace saccade
