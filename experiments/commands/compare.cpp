#include "experiments/commands/compare.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "experiments/commands/report.h"
#include "experiments/compare/comparison_report.h"
#include "experiments/compare/run_arm.h"
#include "experiments/process_memory.h"

namespace saccade {

namespace {

constexpr std::size_t kPageColumns = 100;  // where the output is no terminal

struct CompareOptions {
  std::string config, out;
  std::vector<std::string> overrides;
  bool json = false;
  bool threads_given = false;
  Index report_images = 24;
};

std::size_t output_columns() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kPageColumns;
}

void refuse_training_run(const std::filesystem::path& out) {
  std::error_code error;
  if (std::filesystem::exists(checkpoint_folder(out), error) ||
      std::filesystem::exists(out / "manifest.json", error))
    throw BusyError(out.string() + ": is the directory of a training run; choose another --out");
}

void refuse_equal_seeds(const std::vector<std::int64_t>& seeds) {
  std::set<std::int64_t> known;
  for (const std::int64_t seed : seeds)
    if (!known.insert(seed).second)
      throw UsageError(str("compare.seeds: ", seed, " is there twice; list every seed once"));
}

// Data that no arm can have is an error of the comparison, not of each arm. Throws what loading it
// throws.
void load_shared_data(ArmRunner& runner, const std::vector<Arm>& arms) {
  const ExperimentConfig& first = arms.front().config;
  if (std::all_of(arms.begin(), arms.end(),
                  [&](const Arm& arm) { return same_data(first, arm.config); }))
    runner.load(first);
}

int run_compare(const CompareOptions& options) {
  const StopSignal signal;
  const LoadedConfig loaded = load_config<ExperimentConfig>(options.config, options.overrides);
  const ExperimentConfig& config = loaded.config;
  refuse_equal_seeds(config.compare.seeds);
  const std::vector<Arm> arms = expand_arms(loaded);
  if (!options.threads_given && config.threads > 0)
    parallel::set_threads(static_cast<int>(config.threads));
  const std::filesystem::path out = options.out.empty()
                                        ? std::filesystem::path("runs") / config.name
                                        : std::filesystem::path(options.out);
  refuse_training_run(out);
  ArmRunner runner(out, signal);
  check_arms(arms);
  for (const Arm& arm : arms)
    for (const std::int64_t seed : config.compare.seeds) runner.refuse_other_config(arm, seed);
  RunDirectory directory(out, RunDirectory::Mode::kResume);
  load_shared_data(runner, arms);
  Comparison comparison{
      .name = config.name, .dataset = {}, .seeds = config.compare.seeds, .arms = {}};
  const std::size_t runs = arms.size() * comparison.seeds.size();
  std::size_t number = 0;
  for (const Arm& arm : arms) {
    ArmResult& result = comparison.arms.emplace_back(ArmResult{arm, {}});
    for (const std::int64_t seed : comparison.seeds) {
      const std::string label = str(++number, "/", runs, " ", arm.name, ", seed ", seed);
      std::cerr << label << "\n";
      result.seeds.push_back(runner.run(arm, seed, label));
      if (signal.number() != 0) {
        std::cerr << "stopped; the same command goes on with the arms that are left\n";
        return signal_exit_code(signal.number());
      }
    }
  }
  runner.describe(comparison);
  const std::string json = comparison_json(comparison);
  directory.write_text("config.yaml", print_config(config));
  directory.write_text("compare.md", comparison_markdown(comparison));
  for (const std::filesystem::path& sheet : runner.write_sheets())
    std::cerr << "wrote " << sheet.string() << "\n";
  directory.write_text("compare.json", json);  // last: it says that everything is there
  std::cout << (options.json ? json : comparison_table(comparison, output_columns()));
  std::cerr << "wrote " << (out / "compare.json").string() << "\n";
  offer_report(out, options.report_images);
  return static_cast<int>(comparison.complete() ? ExitCode::kOk : ExitCode::kPartial);
}

}  // namespace

CommandRun bind_compare(Options& options) {
  const auto args = std::make_shared<CompareOptions>();
  options.argument("config", args->config, "experiment file with a section `compare`", "CONFIG");
  options.arguments("overrides", args->overrides, "values that replace those of the file",
                    "KEY.PATH=VALUE");
  options.text("--out", args->out,
               "directory of the comparison (default: runs/NAME); what is finished in it is kept",
               "DIR");
  options.count("--report-images", args->report_images,
                "images in the attention explorer of report.html (0: no report)", 0);
  options.flag("--json", args->json, "print compare.json instead of the table");
  return [args, options] {
    args->threads_given = options.given("--threads");
    return run_compare(*args);
  };
}

}  // namespace saccade
