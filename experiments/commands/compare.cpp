#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "captioning/learning/runs/training_run.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/report.h"
#include "experiments/commands/shown_models.h"
#include "experiments/compare/comparison_chart.h"
#include "experiments/compare/comparison_files.h"
#include "experiments/compare/comparison_report.h"
#include "experiments/compare/finished_runs.h"
#include "experiments/compare/study.h"
#include "experiments/options/given_boxes.h"
#include "experiments/options/meteor_tables.h"
#include "experiments/process/log.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPageColumns = 100;  // where the output is not a terminal

struct CompareOptions {
  std::string config, out, boxes, against, primary, paraphrases;
  std::vector<std::string> overrides, tune, margins;
  bool json = false, force = false, all = false;
  bool threads_given = false, images_given = false;
  Index jobs = 0, report_images = 24;
};

std::size_t output_columns() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kPageColumns;
}

void refuse_training_run(const fs::path& out) {
  std::error_code error;
  if (fs::exists(checkpoint_folder(out), error) || fs::exists(out / "manifest.json", error))
    throw BusyError(out.string() +
                    ": is the directory of a training run, not of a comparison; choose another "
                    "--out");
}

// The directories of the runs that a comparison recorded.
std::set<std::string> recorded_runs(const fs::path& comparison) {
  std::set<std::string> out;
  for (const ShownModel& model : shown_models({comparison.string()}).models)
    for (const auto& [label, directory] : model.seeds) out.insert(directory.string());
  return out;
}

// Protects a study from being replaced by a comparison of finished runs, and such a comparison from
// being replaced by one of other runs.
void refuse_other_comparison(const fs::path& out, const std::vector<FinishedRun>& runs) {
  std::error_code error;
  if (!is_comparison(out)) return;
  std::set<std::string> own;
  for (const FinishedRun& run : runs) own.insert(run.directory.string());
  if (fs::exists(out / "config.yaml", error) || recorded_runs(out) != own)
    throw BusyError(out.string() + ": holds another comparison; choose another --out");
}

// `--tune optimizer.lr=1e-3,3e-3` as an override of compare.tune.
std::string tune_override(const std::vector<std::string>& options) {
  std::vector<std::pair<std::string, std::string>> values;  // of each key
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      throw UsageError("--tune " + option +
                       ": write it as key=value,value,..., such as optimizer.lr=1e-3,3e-3");
    const std::string key = option.substr(0, equals), list = option.substr(equals + 1);
    const auto known = std::find_if(values.begin(), values.end(),
                                    [&](const auto& one) { return one.first == key; });
    if (known == values.end())
      values.emplace_back(key, list);
    else
      known->second += ", " + list;
  }
  std::string map;
  for (const auto& [key, list] : values) map += str(map.empty() ? "" : ", ", key, ": [", list, "]");
  return "compare.tune={" + map + "}";
}

Shown shown(const CompareOptions& options) { return options.all ? Shown::kAll : Shown::kHeadline; }

// Writes the files of a comparison. compare.json comes last, as the sign that all are complete.
void write_comparison(const CompareOptions& options, RunDirectory& directory,
                      const Comparison& comparison, const Judgement& judgement,
                      const ArmRunner& runner) {
  directory.write_text("compare.md", comparison_markdown(comparison, judgement, shown(options)));
  directory.write_text("compare.tex", comparison_latex(comparison, judgement));
  directory.write_text("compare.csv", comparison_csv(comparison, judgement));
  if (const std::string chart = comparison_svg(comparison, judgement); !chart.empty())
    directory.write_text("compare.svg", chart);
  for (const fs::path& sheet : runner.write_sheets())
    std::cerr << "wrote " << plain_text(sheet.string()) << "\n";
  directory.write_text("compare.json", comparison_json(comparison, judgement));
  std::cerr << "wrote " << plain_text((directory.path() / "compare.json").string()) << "\n";
}

void print_comparison(const CompareOptions& options, const Comparison& comparison,
                      const Judgement& judgement) {
  std::cout << (options.json
                    ? comparison_json(comparison, judgement)
                    : comparison_table(comparison, judgement,
                                       {.columns = output_columns(), .shown = shown(options)}))
            << std::flush;
}

// The number of runs that are trained at the same time.
std::size_t jobs_of(const CompareOptions& options, const std::vector<Arm>& arms) {
  const parallel::Ranks* const ranks = parallel::ranks();
  if (!ranks) return static_cast<std::size_t>(std::max<Index>(1, options.jobs));
  const Index jobs = options.jobs == 0 ? ranks->count() : options.jobs;
  if (ranks->count() % jobs != 0)
    throw UsageError(str("--jobs ", jobs, ": ", ranks->count(),
                         " ranks cannot be shared out equally among so many runs; choose a number "
                         "that divides them"));
  const auto group =
      parallel::neighbours(*parallel::ranks(), ranks->count() / static_cast<int>(jobs));
  const parallel::OverRanks over(group.get());
  for (const Arm& arm : arms) check_ranks(arm.config);
  return static_cast<std::size_t>(jobs);
}

int run_arms(const CompareOptions& options) {
  const StopSignal signal;
  const JudgeOptions given = judge_options(options.primary, options.margins);
  std::vector<std::string> overrides = options.overrides;
  if (options.force)
    throw UsageError(
        "--force is for directories of finished runs; the arms of a config are trained here, on "
        "the data that they name; leave it out");
  if (!options.tune.empty()) overrides.push_back(tune_override(options.tune));
  if (!options.against.empty()) overrides.push_back("compare.against=" + options.against);
  const LoadedConfig loaded = load_config<ExperimentConfig>(options.config, overrides);
  const ExperimentConfig& config = loaded.config;
  const std::vector<Arm> arms = expand_arms(loaded);
  if (!options.threads_given && config.threads > 0)
    parallel::set_threads(static_cast<int>(config.threads));
  const fs::path out = options.out.empty() ? fs::path("runs") / config.name : fs::path(options.out);
  refuse_training_run(out);
  if (std::error_code error; is_comparison(out) && !fs::exists(out / "config.yaml", error))
    throw BusyError(out.string() + ": holds a comparison of finished runs; choose another --out");
  for (const Arm& arm : arms) refuse_boxes_of_scenes(options.boxes, arm.config.data);
  const JudgeOptions judging = study_options(given, config.compare, arms, !options.boxes.empty());
  ArmRunner runner(out, options.boxes, meteor_options(options.paraphrases), signal);
  check_arms(arms);
  const StudyRequest request{.name = config.name,
                             .compare = config.compare,
                             .arms = arms,
                             .jobs = jobs_of(options, arms),
                             .paraphrases = options.paraphrases};
  refuse_other_configs(request, runner);
  std::optional<RunDirectory> held;
  if (parallel::is_first_rank()) held.emplace(out, RunDirectory::Mode::kResume, log::show);
  Comparison comparison = run_study(request, runner, signal);
  if (comparison.signal != 0) {
    if (held) std::cerr << "stopped; the same command continues with the arms that are left\n";
    return signal_exit_code(comparison.signal);
  }
  if (!held) return static_cast<int>(ExitCode::kOk);
  const parallel::OverRanks alone(nullptr);  // the others have nothing left to do
  RunDirectory& directory = *held;
  if (comparison.empty()) {
    std::cerr << "no run of the comparison succeeded, so there is nothing to compare; mend what is "
                 "said above, and give the same command again\n";
    return static_cast<int>(ExitCode::kPartial);
  }
  runner.describe(comparison);
  const Judgement judgement = judge(comparison, judging);
  directory.write_text("config.yaml", print_config(config));
  write_comparison(options, directory, comparison, judgement, runner);
  print_comparison(options, comparison, judgement);
  offer_report(out, options.report_images, options.boxes);
  return static_cast<int>(comparison.complete() ? ExitCode::kOk : ExitCode::kPartial);
}

// The runs that were named; a comparison stands for all of its runs that did not fail.
std::vector<FinishedRun> find_runs(const std::vector<std::string>& given) {
  std::vector<FinishedRun> runs;
  for (const std::string& one : given) {
    if (one.find('=') != std::string::npos && !fs::exists(one))
      throw UsageError(one + ": values can replace those of a config, not those of finished runs" +
                       (one.starts_with("compare.against=") ? "; use --against" : ""));
    if (!is_comparison(one)) {
      const fs::path directory = run_of(one);
      runs.push_back(find_run(directory.empty() ? fs::absolute(one) : directory));
      continue;
    }
    const ShownModels shown = shown_models({one});
    for (const std::string& label : shown.failed)
      log::warn(str(one, ": ", label, " failed and is left out"));
    for (const ShownModel& model : shown.models)
      for (const auto& [label, directory] : model.seeds)
        runs.push_back(find_run(run_of(directory)));
  }
  return runs;
}

// Refuses runs that cannot be compared fairly, or with --force warns of them.
void refuse_unlike(const CompareOptions& options, const std::vector<FinishedRun>& runs) {
  for (const FinishedRun& run : runs) refuse_boxes_of_scenes(options.boxes, run.config.data);
  if (const std::string meteors = meteor_differences(runs); !meteors.empty())
    throw UsageError(str("METEOR chose these runs, and it was not the same METEOR:", meteors,
                         "\ncompare runs of one kind, or train the others again with the same "
                         "--paraphrases"));
  const std::string other = data_differences(runs), stopped = unfinished_runs(runs);
  for (const auto& [what, why] : {std::pair{"the runs do not have the same data:", other},
                                  std::pair{"not every run was trained to its end:", stopped}}) {
    if (why.empty()) continue;
    if (!options.force)
      throw UsageError(str(what, why, "\ngive --force to compare the runs as they are"));
    log::warn(str(what, why));
  }
}

std::vector<Arm> arms_of(const std::vector<RunGroup>& groups) {
  std::vector<Arm> out;
  for (const RunGroup& group : groups) out.push_back(group.arm);
  return out;
}

Comparison score_groups(const std::vector<RunGroup>& groups, const std::string& against,
                        ArmRunner& runner, const StopSignal& signal) {
  Comparison out;
  out.name = "finished runs";
  out.against = against;
  std::string names = join(groups, "; ", [&](const RunGroup& group) { return group.arm.name; });
  if (!against.empty() && std::none_of(groups.begin(), groups.end(), [&](const RunGroup& group) {
        return group.arm.name == against;
      }))
    throw UsageError(str("--against ", against, ": there is no such arm; the arms are ", names));
  for (const RunGroup& group : groups) {
    ArmResult& arm = out.arms.emplace_back(ArmResult{.arm = group.arm, .seeds = {}, .trials = {}});
    for (const FinishedRun& run : group.runs) {
      std::cerr << plain_text(run.directory.string()) << "\n";
      arm.seeds.push_back(
          runner.score_run(group.arm, run.config.seed, run.directory, run.checkpoint));
      signal.check();
      if (std::find(out.seeds.begin(), out.seeds.end(), run.config.seed) == out.seeds.end())
        out.seeds.push_back(run.config.seed);
    }
  }
  return out;
}

// Scores finished runs, after printing how their configs differ.
int run_finished(const CompareOptions& options) {
  if (parallel::ranks())
    throw UsageError("finished runs are compared in one process; start it without mpirun or srun");
  if (options.jobs > 1 || !options.tune.empty())
    throw UsageError(
        "--jobs and --tune are for a config whose arms are trained; these runs are finished; leave "
        "them out");
  if (options.images_given && options.out.empty())
    throw UsageError(
        "--report-images: a report of finished runs is not written without --out; name a directory "
        "with --out");
  const JudgeOptions judging = judge_options(options.primary, options.margins);
  const StopSignal signal("the run that is being scored is finished first; no file is written");
  std::vector<std::string> given{options.config};
  given.insert(given.end(), options.overrides.begin(), options.overrides.end());
  const std::vector<FinishedRun> runs = find_runs(given);
  const std::vector<RunGroup> groups = group_runs(runs);
  if (!judging.primary.empty() || !judging.margins.empty())
    require_metrics(judging, judged_metrics(arms_of(groups), !options.boxes.empty()));
  if (groups.size() > 1)
    std::cerr << "arms that are compared with " << groups[0].arm.name
              << ", and how their configs differ from it:\n"
              << arm_differences(groups);
  refuse_unlike(options, runs);
  std::optional<RunDirectory> directory;
  if (!options.out.empty()) {
    refuse_training_run(options.out);
    refuse_other_comparison(options.out, runs);
    directory.emplace(options.out, RunDirectory::Mode::kResume);
  }
  ArmRunner runner(options.out, options.boxes, meteor_options(options.paraphrases), signal);
  Comparison comparison = score_groups(groups, options.against, runner, signal);
  runner.describe(comparison);
  const Judgement judgement = judge(comparison, judging);
  if (directory) {
    write_comparison(options, *directory, comparison, judgement, runner);
    offer_report(options.out, options.report_images, options.boxes);
  }
  print_comparison(options, comparison, judgement);
  return static_cast<int>(ExitCode::kOk);
}

CommandRun bind_compare(Options& options) {
  const auto args = std::make_shared<CompareOptions>();
  options.argument(
      "config", args->config,
      "experiment file with a section `compare`, or the first of several directories of finished "
      "runs and comparisons",
      "CONFIG");
  options.arguments("overrides", args->overrides,
                    "values that replace those of the experiment file, or the other directories",
                    "KEY.PATH=VALUE");
  options.text("--out", args->out,
               "directory of the comparison, in which finished runs are kept (default: runs/NAME; "
               "for finished runs none, so that no file is written)",
               "DIR");
  options.count(
      "--jobs", args->jobs,
      "number of runs that are trained at the same time, each by a process with its "
      "share of the threads (default: 1); under mpirun each by an equal part of the ranks "
      "(default: by one)",
      1);
  options.repeatable("--tune", args->tune,
                     "first try these values for every arm, and train each arm with the value that "
                     "validates best, as compare.tune does",
                     "KEY.PATH=VALUE,VALUE,...");
  options.text("--against", args->against,
               "arm against which the others are tested, instead of compare.against (default: the "
               "first arm)",
               "ARM");
  options.text("--primary", args->primary,
               "the metric that was declared before the runs were seen, so that the verdict is "
               "corrected for no other (default: compare.primary, else all headlines)",
               "METRIC");
  options.repeatable("--margin", args->margins,
                     "a difference that would not matter; the verdict says whether arms are equal "
                     "within it",
                     "METRIC=VALUE");
  options.text("--boxes", args->boxes,
               "judge the attention maps of photos by the boxes of a COCO instances JSON or of a "
               "folder of Flickr30k Entities (default: data.boxes of the config)",
               "PATH");
  add_paraphrases_option(options, args->paraphrases);
  options.flag("--force", args->force,
               "also compare finished runs with different data or vocabularies, or stopped runs");
  options.count("--report-images", args->report_images,
                "number of images in the attention explorer of report.html (default: 24; 0: no "
                "report)",
                0);
  options.flag("--all", args->all,
               "show every metric in the table and in compare.md, not only the headlines (saccade "
               "list metrics)");
  options.flag("--json", args->json, "print compare.json instead of the table");
  return [args, options] {
    args->threads_given = options.given("--threads");
    args->images_given = options.given("--report-images");
    std::error_code error;
    return fs::is_directory(args->config, error) ? run_finished(*args) : run_arms(*args);
  };
}

}  // namespace

const Command kCompareCommand = {
    "compare",
    "train and score the arms of an experiment under equal conditions, or compare finished runs",
    "saccade compare configs/quickstart.yaml --out runs/quickstart", bind_compare,
    /*over_ranks=*/true};

}  // namespace saccade
