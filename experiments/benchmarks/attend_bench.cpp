// saccade_attend_bench WORKLOAD [--length L,...] [--batch B,...] [--seconds S] [--only TEXT]
// [--draws N] [--json] [--svg FILE]: measures the processor time of attention mechanisms on one
// thread, each in turns with a baseline, and what the scale of scores does.
//   glimpses   a decoder's attention: every choice of every axis against additive, global, softmax,
//              soft, scalar gate. Times `prepare` for a batch (once per image), a glimpse
//              with prepared keys, and a glimpse of training, forward and backward
//   sequences  layers over a whole grid: every mechanism of refinements, a convolution and a GRU
//              against self_attention, for one sequence, forward alone and with backward, beside
//              the multiplications, the steps that wait for each other and the longest path between
//              two positions; --svg draws the forward times
//   scaling    no times: scores q' k and q' k / sqrt(d_k) of --draws random queries and --length
//              keys, for d_k of 1 .. 1024
// Prints a table, or with --json one line for each measurement. Ratios are to the baseline,
// measured in the same rounds; the baseline's own row shows how far chance goes.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "core/attention/attention_config.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/parallel/parallel.h"
#include "experiments/benchmarks/attention_bench.h"
#include "experiments/benchmarks/print_measured.h"
#include "experiments/benchmarks/score_scaling.h"
#include "experiments/benchmarks/sequence_bench.h"
#include "experiments/benchmarks/timing.h"
#include "experiments/process/progress.h"
#include "vision/drawing/interval_chart.h"

namespace saccade {
namespace {

// The largest --length and --batch; larger ones do not fit into memory.
constexpr int kMostCells = 65536;

struct BenchOptions {
  std::string workload, only, svg;
  std::vector<Index> lengths, batches = {1, 64};
  Index draws = 1000;
  double seconds = 0.3;
  bool json = false;
};

// The grid of this many cells that is nearest to a square.
GridSize grid_of(Index cells) {
  Index rows = 1;
  for (Index r = 2; r * r <= cells; ++r)
    if (cells % r == 0) rows = r;
  return {.rows = rows, .cols = cells / rows};
}

// Prints the lines of one run.
class Printer {
 public:
  explicit Printer(const BenchOptions& options)
      : form_(options.json ? MeasuredForm::kJson : MeasuredForm::kTable) {}
  void operator()(const MeasuredLine& line) {
    print_measured(line, form_, first_);
    first_ = false;
  }

 private:
  MeasuredForm form_;
  bool first_ = true;
};

void add(MeasuredLine& line, const std::string& what, const PairedTiming& timing) {
  line[what + "_ms"] = timing.ms;
  line[what + "_ratio"] = timing.ratio;
}

struct Choice {
  std::string name;
  AttentionConfig config;
};

// The default configuration, which is the baseline, and then every other choice of each axis.
std::vector<Choice> attention_choices() {
  std::vector<Choice> out;
  const auto add = [&](const std::string& key, const std::string& value) {
    Loaded<AttentionConfig> loaded;
    const std::string before = print_config(loaded.config);
    apply_override(loaded, key + "=" + value);
    if (!out.empty() && print_config(loaded.config) == before) return;
    out.push_back({key + "=" + value, loaded.config});
  };
  add("score", "additive");
  for (const FieldInfo& field : describe_config<AttentionConfig>())
    if (field.path.find('.') == std::string::npos)
      for (const ChoiceInfo& choice : field.choices) add(field.path, choice.name);
  add("heads", "8");
  add("sentinel", "true");
  // Windows on the largest grids: only the regions in them are scored.
  for (const char* scope : {"local_m", "local_p", "window"}) {
    Loaded<AttentionConfig> loaded;
    apply_override(loaded, str("scope=", scope));
    apply_override(loaded, "radius=3");
    out.push_back({str("scope=", scope, " radius=3"), loaded.config});
  }
  return out;
}

void time_attention(const BenchOptions& options) {
  Printer print(options);
  const std::vector<Choice> choices = attention_choices();
  const std::size_t all = choices.size() * options.lengths.size() * options.batches.size();
  std::size_t done = 0;
  Progress progress("glimpses");
  for (const Index length : options.lengths)
    for (const Index batch : options.batches) {
      const AttentionSizes sizes{.batch = batch, .grid = grid_of(length)};
      const Tensor features = normal_numbers({batch, length, AttentionSizes::kWidth}, 4);
      AttentionBench baseline(choices.front().config, sizes, features.view());
      for (const Choice& choice : choices) {
        progress.show(static_cast<double>(done++) / static_cast<double>(all),
                      str(choice.name, ", ", length, " regions, batch ", batch));
        if (choice.name.find(options.only) == std::string::npos) continue;
        AttentionBench subject(choice.config, sizes, features.view());
        MeasuredLine line = {{"choice", choice.name}, {"length", length}, {"batch", batch}};
        const auto in_turns = [&](const char* what, void (AttentionBench::*work)(), Index times) {
          PairedTiming timing = time_in_turns(
              options.seconds, [&] { (baseline.*work)(); }, [&] { (subject.*work)(); });
          timing.ms /= static_cast<double>(times);
          add(line, what, timing);
        };
        in_turns("prepare", &AttentionBench::prepare, 1);
        in_turns("glimpse", &AttentionBench::attend, AttentionSizes::kWords);
        in_turns("train", &AttentionBench::train, AttentionSizes::kWords);
        progress.clear();
        print(line);
      }
    }
}

// The memory of differential attention grows with the square of the length; it is skipped beyond
// this.
constexpr Index kLongestMap = 1024;

void time_sequences(const BenchOptions& options) {
  Printer print(options);
  const std::vector<SequenceLayer> all = sequence_layers();
  std::vector<SequenceLayer> layers;
  for (const SequenceLayer& layer : all)
    if (layer.name.find(options.only) != std::string::npos) layers.push_back(layer);
  IntervalChart chart{.title = "Forward pass over a sequence, in ms",
                      .note = "Width 256, 8 heads, windows of radius 8, one thread."};
  for (const SequenceLayer& layer : layers) chart.rows.push_back(layer.name);
  if (layers.front().name == all.front().name) chart.reference = 0;
  for (const Index length : options.lengths) {
    const SequenceSizes sizes{.grid = grid_of(length)};
    SequenceBench baseline(all.front(), sizes);
    IntervalPanel& panel = chart.panels.emplace_back();
    panel.name = str(length, " positions");
    for (const SequenceLayer& layer : layers) {
      IntervalDot& dot = panel.dots.emplace_back();
      if (layer.name == "differential" && length > kLongestMap) continue;
      SequenceBench subject(layer, sizes);
      const PairedTiming forward = time_in_turns(
          options.seconds, [&] { baseline.forward(); }, [&] { subject.forward(); });
      const PairedTiming train = time_in_turns(
          options.seconds, [&] { baseline.train(); }, [&] { subject.train(); });
      const LayerCost cost = cost_of(layer, sizes);
      MeasuredLine line = {{"choice", layer.name},
                           {"length", length},
                           {"multiplications", cost.multiplications},
                           {"steps", cost.steps},
                           {"path", cost.path}};
      add(line, "forward", forward);
      add(line, "train", train);
      print(line);
      dot.value = forward.ms;
    }
  }
  if (!options.svg.empty())
    write_file(options.svg, interval_chart_file(chart, PictureFormat::kSvg));
}

void show_scaling(const BenchOptions& options) {
  constexpr Index kWidest = 1024;
  Printer print(options);
  for (const Index length : options.lengths)
    for (Index width = 1; width <= kWidest; width *= 2) {
      const ScalingRow row = measure_scaling(width, {.regions = length, .queries = options.draws});
      for (const auto& [scores, side] :
           {std::pair{"q'k", row.plain}, std::pair{"q'k / sqrt(d_k)", row.scaled}})
        print({{"scores", scores},
               {"length", length},
               {"d_k", width},
               {"variance", side.variance},
               {"entropy", side.entropy},
               {"largest", side.largest},
               {"jacobian", side.jacobian},
               {"median", side.median_norm}});
    }
}

// Refuses options that the workload does not read, and an --only that leaves nothing.
void check(const BenchOptions& options, const CLI::App& app) {
  const std::map<std::string, std::string> readers = {
      {"--batch", "glimpses"}, {"--svg", "sequences"}, {"--draws", "scaling"}};
  for (const auto& [option, workload] : readers)
    if (app.count(option) > 0 && options.workload != workload)
      throw UsageError(option + " has an effect only with " + workload + "; leave it out");
  if (options.only.empty()) return;
  if (options.workload == "scaling")
    throw UsageError("--only has no effect with scaling; leave it out");
  std::vector<std::string> names;
  if (options.workload == "sequences")
    for (const SequenceLayer& layer : sequence_layers()) names.push_back(layer.name);
  else
    for (const Choice& choice : attention_choices()) names.push_back(choice.name);
  std::string all;
  for (const std::string& name : names) {
    if (name.find(options.only) != std::string::npos) return;
    all += (all.empty() ? "" : ", ") + name;
  }
  throw UsageError("--only " + options.only + " leaves nothing to measure; there are " + all);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Times attention mechanisms on one thread, in turns with a baseline; shows the scale of "
      "scores"};
  BenchOptions options;
  app.add_option(
         "workload", options.workload,
         "glimpses: the attention of a decoder; sequences: layers over a whole grid; scaling: "
         "scores with and without 1 / sqrt(d_k)")
      ->required()
      ->check(CLI::IsMember({"glimpses", "sequences", "scaling"}));
  app.add_option("--length", options.lengths, "numbers of regions, with commas between them")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostCells));
  app.add_option("--batch", options.batches, "batch sizes of glimpses, with commas between them")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostCells));
  app.add_option("--seconds", options.seconds, "for how long each pair is measured")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--only", options.only, "measure only choices with this text in their name");
  app.add_option("--draws", options.draws, "with scaling: random queries per width")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--json", options.json, "print one JSON line for each measurement");
  app.add_option("--svg", options.svg,
                 "with sequences: draw the times of each length into this file");
  CLI11_PARSE(app, argc, argv);
  check(options, app);
  if (options.lengths.empty()) {
    if (options.workload == "scaling") options.lengths = {49};
    if (options.workload == "glimpses") options.lengths = {49, 196, 784};
    if (options.workload == "sequences") options.lengths = {49, 196, 784, 3136};
  }
  std::sort(options.lengths.begin(), options.lengths.end());
  parallel::set_threads(1);
  if (options.workload == "scaling") {
    if (options.lengths.front() < 2) throw UsageError("scaling needs a --length of 2 or more");
    show_scaling(options);
  } else {
    options.workload == "glimpses" ? time_attention(options) : time_sequences(options);
  }
  return 0;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) { return saccade::run_benchmark(saccade::run, argc, argv); }
