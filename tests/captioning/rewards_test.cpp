// Rewards against values computed by hand.
#include "captioning/learning/objectives/rewards.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using Ending = CaptionRewards::Ending;

bool near(double a, double b) { return std::abs(a - b) <= 1e-8; }  // BLEU adds 1e-9 to counts

// The words p q r v w have the ids 4 to 8.
Vocabulary letters() {
  std::vector<std::string> words = Vocabulary().words();
  for (const char* word : {"p", "q", "r", "v", "w"}) words.emplace_back(word);
  return Vocabulary(words);
}
constexpr int kP = 4, kQ = 5, kR = 6;

Dataset two_images(std::vector<std::string> first) {
  Dataset data;
  data.images.resize(2);
  data.images[0].id = "first";
  data.images[0].captions = std::move(first);
  data.images[1].captions = {"V w!"};
  return data;
}

struct Rewards {
  Dataset data;
  std::vector<Index> images{0, 1};
  CaptionRewards rewards;
  Rewards(std::vector<std::string> first, const RewardConfig& weights)
      : data(two_images(std::move(first))), rewards(data, images, letters(), weights) {}
  double operator()(const std::vector<int>& words, Ending ending = Ending::kEos) const {
    return rewards.score(0, words, ending);
  }
};

}  // namespace

TEST_CASE("the end token is part of n-grams but has no weight by itself") {
  const Rewards reward({"P q."}, {});
  // p, q; "p q", "q </s>"; "p q </s>": log 2 each. The end token is in every image and has weight
  // 0.
  CHECK(near(reward({kP, kQ}), 10.0 / 4 * 3));
  // Cut: the same words, one of two bigrams, no trigram, one bigram shorter.
  CHECK(near(reward({kP, kQ}, Ending::kCut),
             10.0 / 4 * (1 + 1 / std::sqrt(2)) * std::exp(-1.0 / 72)));
  CHECK(reward({}) == 0);
  CHECK(reward({}, Ending::kCut) == 0);
  CHECK(reward({kR}) == 0);
}

TEST_CASE("a reward is averaged over the references and mixed by its weights") {
  RewardConfig weights;
  weights = {.cider_d = 0.5, .bleu_4 = 2};
  const Rewards mixed({"p q r", "..."}, weights);
  // The caption equals the reference, with the end token four words: CIDEr-D 10 and BLEU-4 1.
  CHECK(near(mixed({kP, kQ, kR}), 0.5 * 10 + 2));
  weights = {.cider_d = 0, .bleu_4 = 1};
  CHECK(near(Rewards({"p q r"}, weights)({kP, kQ, kR}, Ending::kEos), 1));
  CHECK(Rewards({"p q r"}, weights)({kP, kQ, kR}, Ending::kCut) < 0.1);
  const Rewards two({"p q", "r"}, {});
  CHECK(near(two({kR}), 10.0 / 4 * 2 / 2));
}

TEST_CASE("nothing matches words outside the vocabulary") {
  const Rewards reward({"zebra"}, {});
  CHECK(reward({static_cast<int>(Vocabulary::kUnk)}) == 0);
  CHECK_THROWS_AS(Rewards({"..."}, {}), DataError);
}

}  // namespace saccade
