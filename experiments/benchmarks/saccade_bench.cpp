// saccade_bench WORKLOAD [--threads N] [--batch B] [--seconds S] [--bf16] [--floor]
//     [--checkpoint RUN --photo FILE]:
// times one piece of work and prints one JSON line, in the form of peer programs (peer.sh runs them
// in turns).
//   sat_vec        a training step of the soft captioner on given features
//   sat_hard       the same with hard attention and its estimator
//   sat_gru        the same as sat_vec with the GRU
//   tdec_train     the same with a transformer of six layers, width 512, eight heads
//   beam3_batched  beam-3 captions of `batch` images, 20 words each
//   tdec_beam3     the same with that transformer, with cached keys
//   marginal_beam3 the same as beam3_batched with hard attention, in the regime marginal
//   cnn            a training step of the small CNN with the decoder, on 64 x 64 images
//   scst           a self-critical training step over `batch` images: five captions of at most 20
//                  words are drawn for each and rewarded with CIDEr-D; reward_share is the share of
//                  the time that the rewards take
//   NET_fwd        the grids of `batch` images of 224 x 224; NET is r18, r50, vgg19, vit_t, vit_s
//   NET_train      a training step of that network as a classifier of 1,000 classes
//   NET_photo, beam3_photo, tdec_photo, marginal_photo
//                  the same as NET_fwd and NAME_beam3 for a single photo, whose kernels are cut
//                  (kernel_parts.h)
//   caption_photo  the caption of the picture --photo by the model --checkpoint, without reading
//                  the file
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <map>

#include "core/kernels/precision.h"
#include "core/parallel/kernel_parts.h"
#include "experiments/benchmarks/captioner_work.h"
#include "experiments/benchmarks/encoder_work.h"
#include "experiments/benchmarks/floor.h"
#include "experiments/benchmarks/print_measured.h"

namespace saccade {
namespace {

using Work = std::function<Timing(const WorkSize&)>;

// The same work as for one photo.
Work alone(const Work& work) {
  return [work](const WorkSize& size) {
    const parallel::SplitKernels split;
    return work(size);
  };
}

bool is_photo(const std::string& workload) { return workload.ends_with("_photo"); }

std::map<std::string, Work> all_work() {
  std::map<std::string, Work> all;
  for (const std::string name : {"sat_vec", "sat_hard", "sat_gru", "tdec_train", "cnn"})
    all[name] = [=](const WorkSize& size) { return train_captioner(name, size); };
  for (const std::string name : {"beam3_batched", "tdec_beam3", "marginal_beam3"}) {
    all[name] = [=](const WorkSize& size) { return search_beam(name, size); };
    all[name.substr(0, name.find('_')) + "_photo"] = alone(all[name]);
  }
  all["caption_photo"] = caption_photo;
  all["scst"] = train_self_critical;
  for (const std::string& name : encoder_work_names()) {
    all[name + "_fwd"] = [=](const WorkSize& size) { return encode_images(name, size); };
    all[name + "_photo"] = alone(all[name + "_fwd"]);
    all[name + "_train"] = [=](const WorkSize& size) { return train_encoder(name, size); };
  }
  return all;
}

int run(int argc, char** argv) {
  CLI::App app{"Times one piece of work and prints one JSON line"};
  const std::map<std::string, Work> all = all_work();
  std::vector<std::string> names;
  for (const auto& [name, work] : all) names.push_back(name);
  std::string workload;
  WorkSize size;
  app.add_option("workload", workload, "the piece of work")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--threads", size.threads, "number of threads (default: 1)");
  app.add_option("--batch", size.batch, "captions or images per batch (default: 32)");
  app.add_option("--seconds", size.seconds, "for how long the work is repeated (default: 8)");
  app.add_option("--checkpoint", size.checkpoint, "for caption_photo: a run or a checkpoint");
  app.add_option("--photo", size.photo, "for caption_photo: a picture file");
  bool bf16 = false;
  app.add_flag("--bf16", bf16, "round the operands of products to bfloat16 (precision: bf16)");
  bool floor = false;
  app.add_flag(
      "--floor", floor,
      "also measure the least time that the work could take on this machine: its products, "
      "convolutions, exponentials and updates, each at the speed that it has alone");
  CLI11_PARSE(app, argc, argv);
  if (bf16) set_precision(Precision::kBf16);
  if (is_photo(workload)) size.batch = 1;
  if (workload == "caption_photo" && (size.checkpoint.empty() || size.photo.empty())) {
    throw UsageError("caption_photo needs --checkpoint and --photo");
  }
  parallel::set_threads(size.threads);
  const Timing timing = all.at(workload)(size);
  const double median = timing.times[timing.times.size() / 2];
  MeasuredLine line = {{"workload", workload},
                       {"threads", size.threads},
                       {"precision", bf16 ? "bf16" : "f32"},
                       {"batch", size.batch},
                       {"min_ms", timing.times.front()},
                       {"median_ms", median},
                       {"n", timing.times.size()},
                       {"items_per_s", static_cast<double>(size.batch) / median * 1e3},
                       {"peak_rss_mib", peak_rss_mib()},
                       {"first_loss", timing.first_loss}};
  if (workload == "scst") line["reward_share"] = timing.reward_share;
  if (floor) {
    WorkSize few = size;
    few.seconds = 0;
    Floor least;
    {
      WorkLog log;
      const Timing counted = all.at(workload)(few);
      const WorkLog::Pause pause;
      least = measure_floor(log, static_cast<Index>(counted.times.size()) + kWarmUps, size.threads,
                            counted.parameters);
    }
    line["floor_ms"] = least.sum();
    line["floor_share"] = least.sum() / median;
    line["products_ms"] = least.products;
    line["products_gflops"] = least.product_gflops;
    line["convolutions_ms"] = least.convolutions;
    line["exponentials_ms"] = least.exponentials;
    line["weights_ms"] = least.weights;
  }
  print_measured(line);
  return 0;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) { return saccade::run_benchmark(saccade::run, argc, argv); }
