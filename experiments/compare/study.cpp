#include "experiments/compare/study.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "captioning/learning/runs/check_config.h"
#include "core/attention/plugin.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/compare/jobs.h"
#include "experiments/compare/tuning.h"
#include "experiments/process/model_places.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// One training run of an arm or of one of its trials.
struct Run {
  Arm arm;
  std::int64_t seed;
  std::string label;
};

class Study {
 public:
  Study(const StudyRequest& request, ArmRunner& runner, const StopSignal& signal)
      : request_(request), runner_(runner), signal_(signal) {
    for (const Arm& arm : request.arms) trials_.push_back(trials_of(arm));
  }

  Comparison work() {
    load_shared_data();
    Comparison out{.name = request_.name,
                   .dataset = {},
                   .seeds = request_.compare.seeds,
                   .against = request_.compare.against,
                   .arms = {}};
    for (const Arm& arm : request_.arms)
      out.arms.push_back({.arm = arm, .seeds = {}, .trials = {}});
    tune(out);
    out.signal = stopped_by();
    if (out.signal != 0) return out;
    out.jobs = static_cast<Index>(request_.jobs);
    std::vector<Run> runs;
    for (const ArmResult& arm : out.arms)
      for (const std::int64_t seed : out.seeds)
        runs.push_back({arm.arm, seed, label(arm.arm, seed, runs.size() + 1)});
    train_beside(runs);
    out.signal = stopped_by();
    if (!parallel::is_first_rank()) return out;
    const parallel::OverRanks alone(nullptr);
    std::size_t next = 0;
    for (ArmResult& arm : out.arms)
      for (std::size_t k = 0; k < out.seeds.size() && !stopped(); ++k) {
        const Run& run = runs[next++];
        std::cerr << run.label << "\n";
        arm.seeds.push_back(runner_.run(run.arm, run.seed, run.label));
      }
    out.signal = signal_.number();
    return out;
  }

 private:
  bool stopped() const { return signal_.number() != 0; }
  // The signal that any rank received; 0: none.
  int stopped_by() const {
    for (const double number : parallel::join_numbers({static_cast<double>(signal_.number())}))
      if (number != 0) return static_cast<int>(number);
    return 0;
  }

  std::string label(const Arm& arm, std::int64_t seed, std::size_t number) const {
    return str(number, "/", request_.arms.size() * request_.compare.seeds.size(), " ", arm.name,
               ", seed ", seed);
  }

  // Loads the data that all arms share, so that an error in it is one of the comparison and not of
  // every arm.
  void load_shared_data() {
    const ExperimentConfig& first = request_.arms.front().config;
    if (std::all_of(request_.arms.begin(), request_.arms.end(),
                    [&](const Arm& arm) { return same_data(first, arm.config); })) {
      runner_.load(first);
      check_all(runner_.loaded());
    }
  }

  // Finds what any run would be refused for, before the first of them is trained for hours.
  void check_all(const LoadedData& data) const {
    std::vector<Arm> all = request_.arms;
    for (const auto& trials : trials_) all.insert(all.end(), trials.begin(), trials.end());
    ArmMistakes wrong(all);
    for (const Arm& arm : all) {
      try {
        check_with_data(arm.config, data);
      } catch (const UsageError& error) {
        wrong.add(arm.name, error.what(), error.code());
      }
    }
    wrong.raise();
  }

  void tune(Comparison& comparison) {
    std::vector<Run> runs;
    std::size_t count = 0;
    for (const auto& trials : trials_) count += trials.size();
    for (const auto& trials : trials_)
      for (const Arm& trial : trials)
        runs.push_back({trial, request_.compare.seeds[0],
                        str("tuning ", runs.size() + 1, "/", count, " ", trial.name)});
    train_beside(runs);
    std::size_t next = 0;
    for (std::size_t a = 0; a < trials_.size(); ++a) {
      ArmResult& arm = comparison.arms[a];
      std::string best;  // empty: none
      if (parallel::is_first_rank()) {
        const parallel::OverRanks alone(nullptr);
        for (std::size_t t = 0; t < trials_[a].size() && !stopped(); ++t) {
          const Run& run = runs[next++];
          std::cerr << run.label << "\n";
          arm.trials.push_back(runner_.try_out(run.arm, run.seed, run.label));
        }
        if (!trials_[a].empty() && !stopped())
          if (const auto found = best_trial(arm.trials, arm.arm.config.train.best_metric))
            best = str(*found);
      }
      best = parallel::of_first_rank(best);
      if (!best.empty()) arm.arm = tuned_arm(arm.arm, trials_[a][std::stoul(best)]);
    }
    if (stopped_by() != 0) return;
    for (const ArmResult& arm : comparison.arms)
      for (const std::int64_t seed : comparison.seeds) runner_.refuse_other_config(arm.arm, seed);
  }

  // Trains the unfinished runs in processes of their own. A run that fails there is tried again
  // afterwards, alone.
  void train_beside(const std::vector<Run>& runs) {
    if (parallel::ranks()) return train_over_ranks(runs);
    if (request_.jobs < 2) return;
    std::vector<Job> jobs;
    const int threads = std::max(1, parallel::threads() / static_cast<int>(request_.jobs));
    for (const Run& run : runs) {
      if (runner_.is_finished(run.arm, run.seed)) continue;
      const fs::path folder = runner_.directory(run.arm, run.seed);
      const fs::path config = runner_.write_config(run.arm, run.seed);
      jobs.push_back({.label = run.label,
                      .arguments = {"train", config.string(), "--out", folder.string(), "--resume",
                                    "--report-images", "0", "--threads", str(threads)},
                      .log = folder.string() + ".log"});
      for (std::string& option : model_place_options())
        jobs.back().arguments.push_back(std::move(option));
      for (const LoadedPlugin& plugin : loaded_plugins())
        for (const std::string& option : {std::string("--plugin"), plugin.file.string()})
          jobs.back().arguments.push_back(option);
      if (!request_.paraphrases.empty())
        for (const std::string& option : {std::string("--paraphrases"), request_.paraphrases})
          jobs.back().arguments.push_back(option);
      // Fills the cache of a frozen network before the processes share it.
      runner_.load(run.arm.config);
    }
    runner_.forget();
    run_jobs(jobs, request_.jobs, signal_);
    std::error_code error;
    for (const Job& job : jobs) fs::remove(job.arguments[1], error);  // the run has its own copy
  }

  // Trains the unfinished runs one by one, each group of ranks every so many of them.
  void train_over_ranks(const std::vector<Run>& runs) {
    parallel::Ranks& ranks = *parallel::ranks();
    const int groups = static_cast<int>(request_.jobs), size = ranks.count() / groups;
    const int own_group = ranks.rank() / size;
    std::string finished;  // a letter for each run
    for (const Run& run : runs) finished += runner_.is_finished(run.arm, run.seed) ? 'x' : '-';
    finished = parallel::of_first_rank(finished);
    std::vector<const Run*> own;
    int next = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (finished[i] == 'x') continue;
      runner_.load(runs[i].arm.config);  // all ranks fill the cache of a frozen network together
      if (next++ % groups == own_group) own.push_back(&runs[i]);
    }
    {
      const std::unique_ptr<parallel::Ranks> group = parallel::neighbours(ranks, size);
      const parallel::OverRanks over(group.get());
      const int first = own_group * size;
      for (const Run* run : own) {
        if (stopped_by() != 0) break;
        if (parallel::is_first_rank())
          std::cerr << run->label << ": "
                    << (group ? str("ranks ", first, " to ", first + size - 1)
                              : str("rank ", first))
                    << "\n";
        runner_.try_out(run->arm, run->seed, run->label);
      }
    }
    parallel::of_first_rank("");  // waits for all
  }

  const StudyRequest& request_;
  ArmRunner& runner_;
  const StopSignal& signal_;
  std::vector<std::vector<Arm>> trials_;  // of each arm
};

// Checks before tuning that an existing run has the config of the arm or, for a tuned arm, that of
// one of its trials, so that no tuning is wasted.
void refuse_unreachable(const Arm& arm, const std::vector<Arm>& trials, std::int64_t seed,
                        const ArmRunner& runner) {
  if (trials.empty()) return runner.refuse_other_config(arm, seed);
  std::string reason;
  for (const Arm& trial : trials) {
    try {
      return runner.refuse_other_config(tuned_arm(arm, trial), seed);
    } catch (const BusyError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  throw BusyError(reason);
}

}  // namespace

void refuse_other_configs(const StudyRequest& request, const ArmRunner& runner) {
  for (const Arm& arm : request.arms) {
    const std::vector<Arm> trials = trials_of(arm);
    for (const Arm& trial : trials) runner.refuse_other_config(trial, request.compare.seeds[0]);
    for (const std::int64_t seed : request.compare.seeds)
      refuse_unreachable(arm, trials, seed, runner);
  }
}

Comparison run_study(const StudyRequest& request, ArmRunner& runner, const StopSignal& signal) {
  return Study(request, runner, signal).work();
}

}  // namespace saccade
