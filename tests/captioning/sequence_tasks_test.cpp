// Tasks whose alignment is known: a decoder that attends to a sequence of symbols has to repeat it
// backwards (or in order), which it can only do by attending to the right place for each symbol.
// The maps must show this: the anti-diagonal, or the diagonal.
#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/search/search.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "core/optim/gradient_step.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade {
namespace {

constexpr SpecialWords kSpecial;
constexpr int kFirstSymbol = 4, kSymbols = 10;
constexpr Index kLength = 8, kBatch = 64, kUpdates = 1500, kTests = 300;

enum class Task { kReverse, kCopy };

struct Batch {
  std::vector<int> symbols;                // [B * length], row by row
  std::vector<std::vector<int>> captions;  // the targets
};

Batch make_batch(Task task, Index count, std::uint64_t number) {
  Batch batch;
  Random random({7, Stream::kTest, number, 0});
  for (Index b = 0; b < count; ++b) {
    std::vector<int> sequence;
    for (Index l = 0; l < kLength; ++l)
      sequence.push_back(kFirstSymbol + static_cast<int>(random.uniform() * kSymbols));
    batch.symbols.insert(batch.symbols.end(), sequence.begin(), sequence.end());
    if (task == Task::kReverse) std::reverse(sequence.begin(), sequence.end());
    batch.captions.push_back(std::move(sequence));
  }
  return batch;
}

// Symbols and places have learned embeddings, which are added. The regions of the memory are the
// places.
class Sequencer {
 public:
  Sequencer(const std::string& kind, const AttentionConfig& attention) {
    const ParamScope scope(store_, "encoder");
    symbols_ = scope.declare("symbols", {kFirstSymbol + kSymbols, kWidth}, Init::normal(0.5));
    places_ = scope.declare("places", {kLength, kWidth}, Init::normal(0.5));
    decoder_ = make_decoder(
        {.type = kind,
         .hidden = kWidth,
         .embedding = 24,
         .dropout = 0,
         .init_hidden = kWidth,
         .layers = 1,
         .heads = 4,
         .widen = 2},
        attention,
        {.features = kWidth, .vocabulary = kFirstSymbol + kSymbols, .grid = {1, kLength}},
        ParamScope(store_, "decoder"));
    store_.initialise(1);
  }

  void train(Task task) {
    OptimizerConfig config;
    config.lr = 4e-3;
    const auto optimizer = make_optimizer(config, store_);
    GradientStep step(store_, *optimizer, {.norm = 5});
    CaptionLossOptions options;
    options.doubly_stochastic = 0;
    test::TestTape tape;
    for (Index update = 0; update < kUpdates; ++update) {
      const Batch batch = make_batch(task, kBatch, static_cast<std::uint64_t>(update) + 1);
      tape.reset();
      tape.set_parameters(store_.views());
      tape.set_training(true);
      tape.set_random(1, static_cast<std::uint64_t>(update), 0);
      ShardLoss loss(tape, *decoder_, features(tape, batch),
                     pack_captions(batch.captions, kSpecial.bos, kSpecial.eos), options,
                     {.batch_captions = kBatch});
      loss.backward({});
      Tape* const tapes[]{&tape};
      const double left = 1 - static_cast<double>(update) / kUpdates;
      step.apply(tapes, config.lr * left);
    }
  }

  // The share of sequences that are decoded without a fault, and the share of symbols whose map is
  // largest at their place.
  struct Outcome {
    double exact = 0, aligned = 0;
  };
  Outcome test(Task task) const {
    const Batch batch = make_batch(task, kTests, 0);
    test::TestTape tape(store_.views(), test::Recording::kNo);
    const auto decoded = search(*decoder_, store_.views(), features(tape, batch).value(), kSpecial,
                                {.mode = SearchMode::kGreedy, .max_length = kLength + 2}, 0);
    double exact = 0, aligned = 0;
    for (std::size_t b = 0; b < decoded.size(); ++b) {
      std::vector<int> words;
      for (std::size_t t = 0; t < decoded[b].words.size(); ++t) {
        const DecodedWord& word = decoded[b].words[t];
        words.push_back(word.id);
        const auto top = std::max_element(word.map.weights.begin(), word.map.weights.end());
        const Index place =
            task == Task::kCopy ? static_cast<Index>(t) : kLength - 1 - static_cast<Index>(t);
        aligned += top - word.map.weights.begin() == place;
      }
      exact += words == batch.captions[b];
    }
    return {exact / static_cast<double>(kTests), aligned / static_cast<double>(kTests * kLength)};
  }

 private:
  static constexpr Index kWidth = 48;

  Var features(Tape& tape, const Batch& batch) const {
    std::vector<int> places;
    for (std::size_t i = 0; i < batch.symbols.size(); ++i)
      places.push_back(static_cast<int>(static_cast<Index>(i) % kLength));
    const Var rows = ops::add(ops::embedding(tape.parameter(symbols_), batch.symbols),
                              ops::embedding(tape.parameter(places_), places));
    return ops::reshape(rows, {rows.rows() / kLength, kLength, kWidth});
  }

  ParameterStore store_;
  int symbols_, places_;
  std::unique_ptr<Decoder> decoder_;
};

AttentionConfig mechanism(const std::string& score) {
  AttentionConfig config;
  config.score = score;
  config.gate = "none";
  config.hidden = 48;
  return config;
}

void learns(const char* name, Task task, const AttentionConfig& attention,
            const std::string& decoder = "lstm") {
  Sequencer model(decoder, attention);
  model.train(task);
  const Sequencer::Outcome outcome = model.test(task);
  INFO(name << ": exact " << outcome.exact << ", aligned " << outcome.aligned);
  std::printf("%-22s exact %.3f  aligned %.3f\n", name, outcome.exact, outcome.aligned);
  CHECK(outcome.exact >= 0.99);
  CHECK(outcome.aligned >= 0.95);
}

}  // namespace

TEST_CASE("additive attention learns to reverse") {
  learns("additive", Task::kReverse, mechanism("additive"));
}
TEST_CASE("dot attention learns to reverse") { learns("dot", Task::kReverse, mechanism("dot")); }
TEST_CASE("general attention learns to reverse") {
  learns("general", Task::kReverse, mechanism("general"));
}
TEST_CASE("scaled_dot attention learns to reverse") {
  learns("scaled_dot", Task::kReverse, mechanism("scaled_dot"));
}
TEST_CASE("attention with several heads learns to reverse") {
  AttentionConfig attention = mechanism("scaled_dot");
  attention.heads = 4;
  learns("scaled_dot, 4 heads", Task::kReverse, attention);
}
TEST_CASE("local attention with a predicted centre learns to reverse") {
  AttentionConfig attention = mechanism("general");
  attention.scope = "local_p";
  learns("local_p", Task::kReverse, attention);
}
TEST_CASE("local attention with a moving centre learns to copy") {
  AttentionConfig attention = mechanism("general");
  attention.scope = "local_m";
  learns("local_m", Task::kCopy, attention);
}
TEST_CASE("monotonic attention learns to copy") {
  AttentionConfig attention = mechanism("additive");
  attention.scope = "monotonic";
  learns("monotonic", Task::kCopy, attention);
}
TEST_CASE("a decoder that attends with its new state learns to reverse") {
  learns("luong", Task::kReverse, mechanism("dot"), "luong");
}
TEST_CASE("a transformer learns to reverse") {
  learns("transformer", Task::kReverse, mechanism("scaled_dot"), "transformer");
}

}  // namespace saccade
