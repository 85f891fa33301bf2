#include "captioning/learning/runs/stored_state.h"

#include <array>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr const char *kPosition = "state/position", *kClock = "state/clock",
                     *kBaseline = "state/reward_baseline",
                     *kByLength = "state/reward_baseline_by_length",
                     *kEstimator = "state/estimator", *kFinished = "state/finished",
                     *kBestNames = "state/best_names", *kBestValues = "state/best_values";
// Of a checkpoint for captioning alone: [updates, epoch], seconds, and the best scores.
constexpr const char *kUpdates = "trained/updates", *kSeconds = "trained/seconds",
                     *kScores = "trained/scores", *kScoreNames = "trained/score_names";

constexpr double kMostSeconds = 1e12;

void add_scores(Archive& archive, const TrainingState& state, const char* name_entry,
                const char* value_entry) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : state.best) names.push_back(name), values.push_back(value);
  const auto count = static_cast<Index>(values.size());
  archive.add_strings(name_entry, std::move(names));
  archive.add_doubles(value_entry, {count}, std::move(values));
}

// Reads the numbers of an archive and refuses those that no run can have.
class StateReader {
 public:
  explicit StateReader(const Archive& archive) : archive_(archive) {}

  template <class T>
  [[noreturn]] void refuse(const char* entry, const char* what, T found,
                           const std::string& allowed) const {
    throw CheckpointError(str(archive_.source(), ": entry '", entry, "': ", what, " is ", found,
                              "; it must be ", allowed, "; use another checkpoint of the run"));
  }

  void count(const char* entry, const char* what, Index found, Index most) const {
    if (found < 0 || found > most) refuse(entry, what, found, str("from 0 to ", most));
  }

  void number(const char* entry, const char* what, double found) const {
    if (!std::isfinite(found)) refuse(entry, what, found, "finite");
  }

  void time(const char* entry, const char* what, double found, double most) const {
    if (!(found >= 0 && found <= most)) refuse(entry, what, found, str("from 0 to ", most));
  }

  RewardBaseline::Average average(const char* entry, double started, double value) const {
    if (started != 0 && started != 1) refuse(entry, "the mark of a start", started, "0 or 1");
    number(entry, "an average", value);
    return {.started = started != 0, .value = value};
  }

  void scores(const char* name_entry, const char* value_entry, TrainingState& state) const {
    const auto& names = archive_.strings(name_entry);
    const auto values =
        archive_.doubles(value_entry, std::array<Index, 1>{static_cast<Index>(names.size())});
    for (std::size_t i = 0; i < names.size(); ++i) state.best[names[i]] = values[i];
  }

 private:
  const Archive& archive_;
};

void read_position(const Archive& archive, const StateReader& reader, TrainingState& state) {
  const auto position = archive.int64s(kPosition, std::array<Index, 1>{4});
  state.update = position[0], state.epoch = position[1], state.batch = position[2];
  state.validations_without_gain = position[3];
  reader.count(kPosition, "the number of updates", state.update, kMostUpdates);
  reader.count(kPosition, "the epoch", state.epoch, state.update);
  reader.count(kPosition, "the batch", state.batch, state.update);
  // One validation may come before the first update.
  reader.count(kPosition, "the number of validations without a gain",
               state.validations_without_gain, state.update + 1);
}

void read_clock(const Archive& archive, const StateReader& reader, TrainingState& state) {
  const auto clock = archive.doubles(kClock, std::array<Index, 1>{5});
  state.seconds = clock[0];
  state.last_validation = clock[1], state.last_validation_seconds = clock[2];
  state.last_checkpoint = clock[3], state.last_checkpoint_seconds = clock[4];
  reader.time(kClock, "the time of training", state.seconds, kMostSeconds);
  const auto updates = static_cast<double>(state.update);
  reader.time(kClock, "the update of the last validation", state.last_validation, updates);
  reader.time(kClock, "the time of the last validation", state.last_validation_seconds,
              state.seconds);
  reader.time(kClock, "the update of the last checkpoint", state.last_checkpoint, updates);
  reader.time(kClock, "the time of the last checkpoint", state.last_checkpoint_seconds,
              state.seconds);
}

void read_baseline(const Archive& archive, const StateReader& reader, TrainingState& state) {
  const auto all = archive.doubles(kBaseline, std::array<Index, 1>{2});
  state.baseline.all = reader.average(kBaseline, all[0], all[1]);
  if (!archive.contains(kByLength)) return;  // none before hard attention drew anything
  const NumberArray<double>& averages = archive.doubles(kByLength);
  const auto lengths = static_cast<Index>(averages.values().size()) / 2;
  const auto values = archive.doubles(kByLength, std::array<Index, 2>{lengths, 2});
  for (std::size_t i = 0; i < values.size(); i += 2)
    state.baseline.by_length.push_back(reader.average(kByLength, values[i], values[i + 1]));
}

void read_estimator(const Archive& archive, const StateReader& reader, TrainingState& state) {
  if (!archive.contains(kEstimator)) return;  // only between validations of hard attention
  const auto sums = archive.doubles(kEstimator, std::array<Index, 1>{7});
  for (const double sum : sums) reader.number(kEstimator, "a sum", sum);
  reader.time(kEstimator, "the number of updates", sums[0], static_cast<double>(state.update));
  state.estimator = {.sums = {.expectation_share = sums[1],
                              .advantage = sums[2],
                              .advantage_variance = sums[3],
                              .gradient_variance = sums[4],
                              .distinct_cells = sums[5],
                              .entropy = sums[6]},
                     .updates = static_cast<Index>(sums[0])};
}

}  // namespace

void add_state(Archive& archive, const TrainingState& state) {
  archive.add_int64s(kPosition, {4},
                     {state.update, state.epoch, state.batch, state.validations_without_gain});
  archive.add_doubles(kClock, {5},
                      {state.seconds, state.last_validation, state.last_validation_seconds,
                       state.last_checkpoint, state.last_checkpoint_seconds});
  archive.add_doubles(kBaseline, {2},
                      {state.baseline.all.started ? 1.0 : 0.0, state.baseline.all.value});
  if (!state.baseline.by_length.empty()) {
    std::vector<double> averages;
    for (const RewardBaseline::Average& average : state.baseline.by_length)
      averages.push_back(average.started ? 1.0 : 0.0), averages.push_back(average.value);
    const auto count = static_cast<Index>(state.baseline.by_length.size());
    archive.add_doubles(kByLength, {count, 2}, std::move(averages));
  }
  if (const EstimatorMeans& all = state.estimator; all.updates > 0)
    archive.add_doubles(kEstimator, {7},
                        {static_cast<double>(all.updates), all.sums.expectation_share,
                         all.sums.advantage, all.sums.advantage_variance,
                         all.sums.gradient_variance, all.sums.distinct_cells, all.sums.entropy});
  archive.add_uint64(kFinished, state.finished ? 1 : 0);
  add_scores(archive, state, kBestNames, kBestValues);
}

TrainingState read_state(const Archive& archive) {
  const StateReader reader(archive);
  TrainingState state;
  read_position(archive, reader, state);
  read_clock(archive, reader, state);
  read_baseline(archive, reader, state);
  read_estimator(archive, reader, state);
  const std::uint64_t finished = archive.uint64(kFinished);
  if (finished > 1) reader.refuse(kFinished, "the mark of an end", finished, "0 or 1");
  state.finished = finished != 0;
  reader.scores(kBestNames, kBestValues, state);
  return state;
}

void add_trained(Archive& archive, const TrainingState& state) {
  archive.add_int64s(kUpdates, {2}, {state.update, state.epoch});
  archive.add_doubles(kSeconds, {1}, {state.seconds});
  add_scores(archive, state, kScoreNames, kScores);
}

TrainingState read_trained(const Archive& archive) {
  const StateReader reader(archive);
  TrainingState state;
  const auto updates = archive.int64s(kUpdates, std::array<Index, 1>{2});
  state.update = updates[0], state.epoch = updates[1];
  reader.count(kUpdates, "the number of updates", state.update, kMostUpdates);
  reader.count(kUpdates, "the epoch", state.epoch, state.update);
  state.seconds = archive.doubles(kSeconds, std::array<Index, 1>{1})[0];
  reader.time(kSeconds, "the time of training", state.seconds, kMostSeconds);
  reader.scores(kScoreNames, kScores, state);
  return state;
}

}  // namespace saccade
