#include "experiments/compare/finished_runs.h"

#include <algorithm>
#include <set>

#include "captioning/data/data_sets.h"
#include "captioning/learning/runs/run_directory.h"
#include "captioning/learning/training/choosing_metric.h"
#include "core/base/error.h"
#include "core/config/idle.h"
#include "core/config/traits.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// Whether a checkpoint has a digest of what a file of its config holds: of the data set, and of the
// network of a frozen encoder. It has none of boxes, nor of the weights with which an encoder
// starts that is trained.
bool has_digest(const std::string& path, const FinishedRun& run) {
  if (path.starts_with("encoder.")) return !run.data.encoder.empty();
  return path.starts_with("data.") && path != "data.boxes";
}

// Whether the files of two runs that have digests hold the same.
bool same_content(const FinishedRun& a, const FinishedRun& b) {
  return a.data.name == b.data.name && a.data.digest == b.data.digest &&
         a.data.encoder == b.data.encoder;
}

// The places of files whose content is compared by its digest.
enum class Places { kKept, kLeftOut };

// Joined sets without what is in the digest of their images and captions. Boxes have none, and
// matter to what a run learns where attention is supervised by them.
NamedValuesList what_no_digest_has(const ExperimentConfig& config) {
  NamedValuesList out;
  for (const NamedDataConfig& set : joined_sets(config.data)) {
    NamedValues& one = out.emplace_back(NamedValues{.name = set.name, .values = {}});
    one.values.emplace_back("share", str(set.config.share));
    if (config.supervision.boxes > 0) one.values.emplace_back("boxes", yaml_text(set.config.boxes));
  }
  return out;
}

// The config without its seed, the values that never change a result and the options that its
// choices leave unread, so that equal texts mean equal experiments.
ExperimentConfig essence(const FinishedRun& run, Places places) {
  LoadedConfig loaded{.config = run.config, .origins = {}};
  for (const std::string& path : paths_with(run.config, Trait::kNoResult))
    reset_option(loaded, path);
  for (const std::string& path : unread_options(run.config)) reset_option(loaded, path);
  if (places == Places::kLeftOut)
    for (const std::string& path : paths_with(run.config, Trait::kFile))
      if (has_digest(path, run)) reset_option(loaded, path);
  if (places == Places::kLeftOut && run.config.data.type == DataKind::kJoined) {
    loaded.config.data.sets = what_no_digest_has(run.config);
    reset_option(loaded, "data.share");  // is among them
  }
  loaded.config.seed = 1;  // runs of one experiment differ in it
  return loaded.config;
}

// The last part of a path, or the one before it for the run of a comparison, whose directory is
// <arm>/seed-<n>.
std::string name_of(const fs::path& directory) {
  fs::path path = fs::absolute(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename().string().starts_with("seed-")) path = path.parent_path();
  return path.filename().string();
}

std::string set_value(const std::string& value) { return value == "null" ? "unset" : value; }

bool differ(const std::vector<RunGroup>& groups) {
  std::set<std::string> names;
  for (const RunGroup& group : groups) names.insert(group.arm.name);
  return names.size() == groups.size();
}

}  // namespace

FinishedRun find_run(const fs::path& directory) {
  FinishedRun run{.directory = directory,
                  .checkpoint = resolve_checkpoint(directory),
                  .config = {},
                  .data = {},
                  .vocabulary = {},
                  .update = 0};
  const LoadedModel loaded = load_model(run.checkpoint);
  run.config = loaded.config;
  run.data = loaded.data;
  run.update = loaded.state.update;
  run.vocabulary = loaded.model->vocabulary().digest();
  return run;
}

std::vector<RunGroup> group_runs(const std::vector<FinishedRun>& runs) {
  std::vector<RunGroup> groups;
  std::vector<std::string> texts;
  for (const FinishedRun& run : runs) {
    const std::string text = str(print_config(essence(run, Places::kLeftOut)), run.data.name, " ",
                                 run.data.digest, " ", run.data.encoder);
    const auto at = std::find(texts.begin(), texts.end(), text) - texts.begin();
    if (at == std::ssize(texts)) {
      texts.push_back(text);
      groups.push_back(
          {.arm = {.name = run.config.name, .folder = {}, .values = {}, .config = run.config},
           .runs = {}});
    }
    RunGroup& group = groups[static_cast<std::size_t>(at)];
    for (const FinishedRun& other : group.runs)
      if (other.config.seed == run.config.seed)
        throw UsageError(str(other.directory.string(), " and ", run.directory.string(),
                             " are the same experiment with the same seed, ", run.config.seed,
                             "; leave out one of them"));
    group.runs.push_back(run);
  }
  if (!differ(groups))
    for (RunGroup& group : groups) group.arm.name = name_of(group.runs[0].directory);
  if (!differ(groups))
    for (RunGroup& group : groups) group.arm.name = group.runs[0].directory.string();
  for (RunGroup& group : groups) group.arm.folder = group.arm.name;
  return groups;
}

std::string arm_differences(const std::vector<RunGroup>& groups) {
  std::string out;
  const FinishedRun& first = groups[0].runs[0];
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const FinishedRun& other = groups[g].runs[0];
    const Places places = same_content(first, other) ? Places::kLeftOut : Places::kKept;
    // What one of the two does not read follows from another choice, so it is not listed.
    std::set<std::string> unread;
    for (const FinishedRun* run : {&first, &other})
      for (std::string& path : unread_options(run->config)) unread.insert(std::move(path));
    const auto add = [&](const Difference& one) {
      out += str("  ", groups[g].arm.name, ": ", one.path, " is ", set_value(one.second), ", not ",
                 set_value(one.first), "\n");
    };
    const std::vector<Difference> shares = share_differences(first.config.data, other.config.data);
    for (const Difference& one : config_differences(essence(first, places), essence(other, places)))
      if (!unread.contains(one.path) &&
          (one.path != "data.sets" || shares.empty() || places == Places::kKept))
        add(one);
    std::for_each(shares.begin(), shares.end(), add);
  }
  return out;
}

std::string unfinished_runs(const std::vector<FinishedRun>& runs) {
  std::string out;
  std::error_code error;
  for (const FinishedRun& run : runs)
    if (const fs::path metrics = run.directory / "metrics.jsonl";
        fs::exists(metrics, error) && !read_run_record(metrics).finished)
      out += str("\n  ", run.directory.string(),
                 " is not finished; its best checkpoint is of update ", run.update);
  return out;
}

std::string data_differences(const std::vector<FinishedRun>& runs) {
  std::string out;
  const FinishedRun& first = runs.front();
  for (const FinishedRun& run : runs) {
    const auto add = [&](const char* what) {
      out += str("\n  ", run.directory.string(), " has ", what, " than ", first.directory.string());
    };
    if (run.data.name != first.data.name || run.data.digest != first.data.digest)
      add("other images or captions");
    if (run.vocabulary != first.vocabulary) add("another vocabulary");
  }
  return out;
}

std::string meteor_differences(const std::vector<FinishedRun>& runs) {
  std::set<std::string> tables;
  std::string out;
  for (const FinishedRun& run : runs) {
    if (!chosen_by(run.config.train, "METEOR")) continue;
    const std::string& table = run.data.paraphrases;
    tables.insert(table);
    out += str("\n  ", run.directory.string(), ": ",
               table.empty() ? "without paraphrases" : "with the paraphrases " + table);
  }
  return tables.size() > 1 ? out : "";
}

}  // namespace saccade
