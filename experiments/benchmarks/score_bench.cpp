// saccade_score_bench REFERENCES [--threads N] [--rounds R] [--repeat K]: times the caption metrics
// and prints one JSON line. The first reference of every image is the candidate and the others are
// the references; the corpus is repeated K times. Times in milliseconds, medians over the rounds:
//   read_ms     reading and parsing the file (once)
//   ngrams_ms   PTB tokens, BLEU, ROUGE-L and CIDEr of all images
//   all_ms      the same with METEOR
// The first round is also given by itself, because it includes making tables that later rounds
// reuse.
#include <CLI/CLI.hpp>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "core/parallel/parallel.h"
#include "experiments/benchmarks/print_measured.h"
#include "experiments/benchmarks/timing.h"

namespace saccade {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"Times the caption metrics and prints one JSON line"};
  std::string path;
  int threads = 1, rounds = 5, repeat = 1;
  app.add_option("references", path, "file of reference captions, as saccade score reads it")
      ->required();
  app.add_option("--threads", threads, "number of threads (default: 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "number of rounds (default: 5)")->check(CLI::PositiveNumber);
  app.add_option("--repeat", repeat, "how often the corpus is repeated (default: 1)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  parallel::set_threads(threads);

  CaptionFile file;
  const double read = milliseconds_of([&] { file = read_references(path); });
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> references;
  std::size_t captions = 0;
  for (int k = 0; k < repeat; ++k) {
    for (const ListedImage& image : file.images) {
      if (image.captions.size() < 2) continue;
      candidates.push_back(image.captions[0]);
      references.emplace_back(image.captions.begin() + 1, image.captions.end());
      captions += references.back().size();
    }
  }
  std::vector<double> ngrams, all;
  for (int round = 0; round < rounds; ++round) {
    ngrams.push_back(milliseconds_of([&] { score_captions(candidates, references, {}); }));
    all.push_back(milliseconds_of([&] {
      const Meteor meteor;
      score_captions(candidates, references, {.meteor = &meteor});
    }));
  }
  print_measured({{"images", candidates.size()},
                  {"references", captions},
                  {"threads", threads},
                  {"read_ms", read},
                  {"ngrams_first_ms", ngrams.front()},
                  {"ngrams_ms", median(ngrams)},
                  {"all_first_ms", all.front()},
                  {"all_ms", median(all)},
                  {"peak_rss_mib", peak_rss_mib()}});
  return 0;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) { return saccade::run_benchmark(saccade::run, argc, argv); }
