#include "experiments/commands/report.h"

#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "experiments/commands/model_session.h"
#include "experiments/plain_text.h"
#include "experiments/progress.h"
#include "experiments/run_directory.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kComparison = "compare.json";
constexpr const char* kPage = "report.html";

// What is to be shown, before it is loaded.
struct Named {
  std::string name;
  std::string checkpoint;  // as the program takes it
  fs::path directory;
  std::vector<std::pair<std::string, fs::path>> seeds;  // names and directories
};

struct Wanted {
  std::vector<Named> models;
  std::vector<std::string> remarks;
  fs::path comparison;  // of the only argument
};

bool is_comparison(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / kComparison, error);
}

// `/a/run` of `/a/run`, `/a/run/` and `/a/run/checkpoints/last`.
fs::path run_of(const fs::path& given) {
  std::error_code error;
  if (fs::is_directory(given, error)) {
    const fs::path whole = fs::absolute(given).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
  }
  const fs::path folder = fs::absolute(given).lexically_normal().parent_path();
  return folder.filename() == checkpoint_folder({}).filename() ? folder.parent_path() : fs::path();
}

// The directory of an arm's run: below the comparison, which may have been moved since it was
// written, or where a run lies that was trained before it.
fs::path seed_directory(const fs::path& comparison, const fs::path& recorded) {
  const fs::path own = comparison / recorded.parent_path().filename() / recorded.filename();
  std::error_code error;
  return fs::exists(own, error) ? own : recorded;
}

void add_arms(const fs::path& comparison, Wanted& wanted) {
  const fs::path file = comparison / kComparison;
  std::ifstream in(file);
  try {
    const Json json = Json::parse(in);
    for (const Json& arm : json.at("arms")) {
      Named named{.name = arm.at("name"), .checkpoint = {}, .directory = {}, .seeds = {}};
      for (const Json& seed : arm.at("seeds")) {
        const std::string label = str(named.name, ", seed ", seed.at("seed").get<Index>());
        if (seed.at("status") != "ok") {
          wanted.remarks.push_back(label + " failed and is not shown.");
          continue;
        }
        const fs::path directory =
            seed_directory(comparison, seed.at("directory").get<std::string>());
        if (named.seeds.empty()) named.directory = directory;
        named.seeds.emplace_back(label, directory);
      }
      if (named.seeds.empty()) continue;
      named.checkpoint = named.directory.string();
      if (named.seeds.size() > 1)
        wanted.remarks.push_back(str("Of ", named.name, " the explorer shows the first seed of ",
                                     named.seeds.size(), "; the curves show all."));
      wanted.models.push_back(std::move(named));
    }
  } catch (const Json::exception& error) {
    throw DataError(file.string() + ": is no comparison of this program (" + error.what() +
                    "); run saccade compare again");
  }
}

// "first" of runs/first, "soft, seed 1" of both/soft/seed-1.
std::string run_name(const fs::path& directory) {
  const std::string name = directory.filename().string(), mark = "seed-";
  const std::string arm = directory.parent_path().filename().string();
  if (!name.starts_with(mark) || arm.empty()) return name;
  return arm + ", seed " + name.substr(mark.size());
}

// Two models of one name get what tells them apart: the directory.
void tell_apart(std::vector<Named>& models) {
  for (Named& model : models) {
    const auto same = std::count_if(models.begin(), models.end(),
                                    [&](const Named& other) { return other.name == model.name; });
    if (same > 1) model.name += " (" + model.checkpoint + ")";
  }
}

Wanted wanted_of(const ReportArgs& args) {
  Wanted wanted;
  for (const std::string& given : args.runs) {
    if (is_comparison(given)) {
      add_arms(given, wanted);
      continue;
    }
    const fs::path directory = run_of(given);
    const std::string name =
        directory.empty() ? fs::path(given).filename().string() : run_name(directory);
    wanted.models.push_back(
        {.name = name, .checkpoint = given, .directory = directory, .seeds = {{name, directory}}});
  }
  if (wanted.models.empty())
    throw DataError(args.runs.front() + ": no arm of the comparison went well; nothing to show");
  if (args.runs.size() == 1 && is_comparison(args.runs[0]))
    wanted.comparison = fs::path(args.runs[0]) / kComparison;
  tell_apart(wanted.models);
  return wanted;
}

fs::path page_path(const ReportArgs& args) {
  if (!args.out.empty()) return args.out;
  if (args.runs.size() > 1) return kPage;
  const fs::path given = args.runs[0];
  std::error_code error;
  return (fs::is_directory(given, error) ? given : run_of(given)) / kPage;
}

std::string title_of(const ReportArgs& args, const Wanted& wanted) {
  if (!wanted.comparison.empty()) return run_of(args.runs[0]).filename().string();
  std::string title;
  for (const Named& model : wanted.models) title += (title.empty() ? "" : ", ") + model.name;
  return title;
}

}  // namespace

WrittenReport make_report(const ReportArgs& args) {
  Wanted wanted = wanted_of(args);
  std::deque<ModelSession> sessions;
  ReportRequest request{.title = title_of(args, wanted),
                        .models = {},
                        .runs = {},
                        .comparison = wanted.comparison,
                        .data = nullptr,
                        .split = Split::kTest,
                        .images = args.images,
                        .remarks = {},
                        .progress = {}};
  for (const Named& named : wanted.models) {
    const ModelSession& session = sessions.emplace_back(
        ModelArgs{.checkpoint = named.checkpoint, .set = {}, .data = args.data});
    session.require_one("a report");
    for (const auto& [name, directory] : named.seeds)
      request.runs.push_back({request.models.size(), name, directory});
    const ModelSession::Member& member = session.members()[0];
    request.models.push_back({.name = named.name,
                              .checkpoint = resolve_checkpoint(named.checkpoint),
                              .directory = named.directory,
                              .loaded = &member.loaded,
                              .pipeline = member.pipeline.get()});
  }
  const LoadedData data = load_data(sessions[0].config().data);
  for (std::size_t m = 0; m < sessions.size(); ++m)
    if (sessions[m].data().digest != data.dataset.digest)
      wanted.remarks.push_back(
          str(request.models[m].name, " was trained on ",
              sessions[m].data().name == data.dataset.name ? "other content of " : "other data: ",
              sessions[m].data().name, "."));
  request.data = &data;
  request.split = args.split.empty() ? data.default_split() : parse_split(args.split);
  request.remarks = std::move(wanted.remarks);
  WrittenReport written{.path = page_path(args), .summary = {}};
  {
    Progress progress("report");
    request.progress = [&](double done) {
      progress.show(done, str(request.models.size(), " models, up to ", args.images, " images"));
    };
    written.summary = write_report(request, written.path);
  }
  return written;
}

void offer_report(const fs::path& directory, Index images) {
  if (images == 0) return;
  try {
    const WrittenReport written = make_report({.runs = {directory.string()}, .images = images});
    std::cerr << "wrote " << plain_text(written.path.string()) << "\n";
  } catch (const std::exception& error) {
    log::warn(plain_text(str(kPage, " was not written: ", error.what(), "; saccade report ",
                             directory.string(), " tries again")));
  }
}

int run_report(const ReportArgs& args) {
  const WrittenReport written = make_report(args);
  if (args.json) {
    const Json json = {{"schema_version", 1},
                       {"report", written.path.string()},
                       {"n_images", written.summary.images},
                       {"n_models", written.summary.models},
                       {"bytes", written.summary.bytes}};
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else {
    std::cout << plain_text(written.path.string()) << "\n";
  }
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_report(Options& options) {
  const auto args = std::make_shared<ReportArgs>();
  options.arguments("runs", args->runs,
                    "directories of runs or of comparisons, or checkpoint files: the models that "
                    "are shown side by side",
                    "RUN", Need::kRequired);
  options.text("--out", args->out,
               "the page (default: report.html in the only directory that is named, else here)",
               "FILE");
  options.count("--images", args->images, "images in the explorer, spread over the split", 1);
  options.text("--split", args->split, "train, val or test (default: test if there is one)",
               "SPLIT");
  options.repeatable("--data", args->data, "change where the models' data is: images=/new/place",
                     "KEY=VALUE");
  options.flag("--json", args->json, "print a JSON object instead of the page's path");
  return [args] { return run_report(*args); };
}

}  // namespace saccade
