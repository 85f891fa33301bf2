// Scores captions against references: those of two files, or two captions that are written here.
#include <saccade/captioning/scoring/scorer.h>
#include <saccade/core/base/error.h>

#include <iostream>

int main(int argc, char** argv) try {
  const saccade::Scorer scorer({.threads = 2, .listener = [](saccade::Severity, const auto& text) {
                                  std::cerr << text << "\n";
                                }});
  std::vector<saccade::MetricScore> scores;
  if (argc == 3) {
    scores = scorer.score_files(argv[1], argv[2]);
  } else {
    const std::vector<std::string> captions = {"a dog runs on the beach", "two people on a bench"};
    scores = scorer.score(captions, {{{"a dog runs along the beach", "a brown dog on the sand"},
                                      {"two people sit on a bench", "a couple on a park bench"}}});
  }
  for (const saccade::MetricScore& metric : scores)
    std::cout << metric.name << " " << metric.corpus << " (first image " << metric.images[0]
              << ")\n";
} catch (const saccade::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
