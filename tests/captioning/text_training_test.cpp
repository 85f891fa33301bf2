// Encoders of texts from the config to the scores: models learn to turn texts round or to repeat
// them, and their maps show that they read them from the end or from the beginning. The decoders
// start with zeros, so that all they know of a text comes through the maps.
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/open_model.h"
#include "captioning/learning/train_captioner.h"
#include "captioning/scoring/statistics/pearson.h"
#include "captioning/study/evaluation/evaluate.h"
#include "core/config/config.h"
#include "core/io/checkpoint.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

const std::string kReverse = R"(
name: reverse
data:
  type: sequences
  min_count: 1
  max_length: 8
  sequences: {task: reverse, train: 12800, val: 50, test: 200, symbols: 10, shortest: 2, longest: 6}
encoder: {type: bigru, text: {length: 6, width: 48}}
attention: {score: additive, gate: none, hidden: 48}
decoder: {type: gru, hidden: 48, embedding: 24, first_state: none, dropout: 0}
objective: {doubly_stochastic: 0}
optimizer: {type: adam, lr: 4e-3, clip_norm: 5, schedule: cosine, warmup: 50, final_lr: 1e-4}
train: {batch: 64, shard: 32, bucket: 1, stop: 10e, validate_every: 10e, best_metric: exact_match}
search: {mode: greedy, max_length: 8}
)";

// What a checkpoint does with the test texts.
struct Tested {
  LoadedModel loaded;
  LoadedData data;
  std::unique_ptr<InputPipeline> pipeline;
  DatasetInputs inputs;
  EvaluationReport report;

  explicit Tested(const std::filesystem::path& checkpoint)
      : loaded(load_model(checkpoint)),
        data(load_data(loaded.config.data)),
        pipeline(pipeline_of(loaded, {})),
        inputs(data, *pipeline, loaded.config.encoder, {}),
        report(evaluate(*loaded.model, data, inputs,
                        {.split = Split::kTest,
                         .search = search_options(loaded.config, loaded.config.search,
                                                  loaded.model->vocabulary()),
                         .regimes = evaluation_regimes(loaded.config)})) {}

  double score(const std::string& name) const { return first_scores(report).at(name); }

  // The mean correlation between a word's place and the place on which its map is largest.
  double slope() const {
    double sum = 0, count = 0;
    for (const DecodedCaption& caption : report.regimes[0].captions) {
      std::vector<double> words, places;
      for (const DecodedWord& word : caption.words) {
        words.push_back(static_cast<double>(words.size()));
        const auto& weights = word.map.weights;
        places.push_back(static_cast<double>(std::max_element(weights.begin(), weights.end()) -
                                             weights.begin()));
      }
      const double one = pearson(words, places);
      if (std::isnan(one)) continue;
      sum += one, ++count;
    }
    REQUIRE(count > 100);
    return sum / count;
  }
};

// `direction`: 1 where texts are read from their beginning, -1 where from their end.
void learns(const std::vector<std::string>& set, double direction, double least) {
  const TempFolder folder("text-training");
  const TrainedCaptioner trained =
      train_captioner({.yaml = kReverse, .set = set, .directory = folder.path() / "run"});
  const Tested tested(trained.checkpoint);
  INFO("exact " << tested.score("exact_match") << ", aligned " << tested.score("alignment_accuracy")
                << ", slope " << tested.slope());
  CHECK(tested.score("exact_match") > least);
  CHECK(tested.score("token_accuracy") >= tested.score("exact_match"));
  CHECK(tested.slope() * direction > 0.9);
  // No weight lies behind the end of a text.
  for (std::size_t i = 0; i < tested.report.images.size(); ++i) {
    const std::size_t length = tested.data.text(tested.report.images[i])->tokens.size();
    for (const DecodedWord& word : tested.report.regimes[0].captions[i].words) {
      REQUIRE(word.map.weights.size() == 6);
      for (std::size_t place = length; place < 6; ++place) CHECK(word.map.weights[place] == 0);
    }
  }
  const std::vector<LengthScores>& lengths = tested.report.regimes[0].by_length;
  REQUIRE(lengths.size() == 5);
  Index texts = 0;
  for (const LengthScores& one : lengths) texts += one.texts;
  CHECK(texts == 200);
  // A checkpoint for captioning alone knows the tokens, too.
  const std::filesystem::path half = folder / "half.h5";
  save_archive(half, half_checkpoint(trained.checkpoint, {}, {}));
  CHECK(Tested(half).score("exact_match") > least);
}

TEST_CASE("a bidirectional GRU and attention learn to turn texts round") { learns({}, -1, 0.9); }

TEST_CASE("a transformer over texts and attention learn to repeat texts") {
  learns({"encoder.type=text_transformer", "encoder.positions=sinusoidal", "encoder.text.layers=2",
          "encoder.text.multiple=2", "data.sequences.task=copy", "optimizer.lr=2e-3"},
         1, 0.8);
}

TEST_CASE("a model that gets a text as one vector learns something, and has no maps") {
  const TempFolder folder("text-vector");
  const TrainedCaptioner trained =
      train_captioner({.yaml = kReverse,
                       .set = {"decoder.image=every_word", "encoder.pooled=last_state"},
                       .directory = folder.path() / "run"});
  const Tested tested(trained.checkpoint);
  CHECK_FALSE(tested.loaded.model->has_attention());
  CHECK(first_scores(tested.report).count("alignment_accuracy") == 0);
  CHECK(tested.score("token_accuracy") > 0.3);  // a guess has 0.1
}

TEST_CASE("training on texts has the same bits with any number of threads") {
  std::vector<std::vector<Real>> all;
  for (const int threads : {1, 2, 4})
    for (const char* type : {"bigru", "text_transformer"}) {
      const TempFolder folder("text-threads");
      const TrainedCaptioner trained = train_captioner(
          {.yaml = kReverse,
           .set = {str("encoder.type=", type), "encoder.text.dropout=0.1", "train.stop=6u",
                   "train.validate_every=6u", "data.sequences.train=200", "optimizer.warmup=1"},
           .directory = folder.path() / "run",
           .threads = threads});
      const LoadedModel loaded = load_model(trained.last);
      const auto values = loaded.model->parameters().flat().span();
      all.emplace_back(values.begin(), values.end());
    }
  for (std::size_t k = 2; k < all.size(); ++k) CHECK(all[k] == all[k % 2]);
  CHECK(all[0] != all[1]);
}

TEST_CASE("a config of texts is checked as a whole") {
  const auto message = [](const std::vector<std::string>& set) {
    const auto loaded = parse_config<ExperimentConfig>(kReverse, "e.yaml", set);
    return message_of<UsageError>([&] { check_config(loaded.config); });
  };
  CHECK(message({}).empty());
  CHECK_THAT(message({"encoder.type=cnn"}),
             Contains("data.type sequences consists of texts, and encoder.type cnn reads pictures; "
                      "choose encoder.type bigru or text_transformer"));
  CHECK_THAT(message({"data.type=scenes"}), Contains("encoder.type bigru reads texts"));
  CHECK_THAT(message({"encoder.text.length=5"}),
             Contains("encoder.text.length is 5, and the longest text of data.sequences has 6"));
  CHECK_THAT(message({"data.sequences.longest_test=9"}), Contains("encoder.text.length is 6"));
  CHECK_THAT(message({"search.max_length=5"}), Contains("search.max_length is 5"));
  CHECK_THAT(message({"encoder.refine.layers=1", "encoder.refine.type=linformer"}),
             Contains("encoder.type bigru cannot be"));
  CHECK(message({"encoder.pooled=last_state", "decoder.image=every_word"}).empty());
  CHECK_THAT(message({"encoder.type=text_transformer", "encoder.pooled=last_state"}),
             Contains("encoder.pooled last_state needs encoder.type bigru: text_transformer has no "
                      "states"));
  CHECK_THAT(message({"encoder.type=text_transformer", "encoder.pooled=class_token"}),
             Contains("encoder.pooled class_token needs encoder.type vit, hybrid or features"));
}

TEST_CASE("a model of texts says what it cannot read") {
  EncoderConfig config;
  config.type = "bigru";
  config.text.length = 4;
  config.words = {"may", "of", "the"};
  const InputPipeline pipeline(config);
  std::vector<float> out(4);
  const auto read = [&](const std::vector<std::string>& tokens) {
    return message_of<DataError>([&] { pipeline.run_text(tokens, out); });
  };
  CHECK(read({"the", "may"}).empty());
  CHECK(out == std::vector<float>{3, 1, 0, 0});
  CHECK_THAT(read({"the", "mai"}), Contains("does not know 'mai' (did you mean 'may'?)"));
  CHECK_THAT(read({"of", "of", "of", "of", "of"}), Contains("5 tokens") && Contains("at most 4"));
  CHECK_THAT(read({}), Contains("no tokens"));
  CHECK_THROWS_WITH(pipeline.run(Image(8, 8), out), Contains("reads texts"));
  CHECK_THROWS_WITH(InputPipeline(EncoderConfig()).run_text(std::vector<std::string>{"a"}, out),
                    Contains("describes pictures"));
}

}  // namespace
}  // namespace saccade::test
