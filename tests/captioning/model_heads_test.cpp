// Heads by name, and models that do without some of them, against what is computed by hand.
#include "captioning/study/inspection/model_heads.h"

#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

Names texts(std::span<const HeadName> heads) {
  Names out;
  for (const HeadName& head : heads) out.push_back(head.text());
  return out;
}

Names named(const Experiment& experiment, const Names& names) {
  return texts(heads_of_names(model_heads(experiment.model, experiment.config), names));
}

void remove(Experiment& experiment, const Names& names) {
  remove_heads(experiment.model, experiment.config,
               heads_of_names(model_heads(experiment.model, experiment.config), names));
}

ExperimentConfig refined() {
  ExperimentConfig config = small_experiment();
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 2;
  return config;
}

ExperimentConfig transformer(std::int64_t heads) {
  ExperimentConfig config = small_experiment();
  config.decoder.type = "transformer";
  config.decoder.layers = 2;
  config.decoder.heads = 3;
  config.attention.heads = heads;
  return config;
}

// Plain arithmetic on rows of a parameter store's numbers.
class ByHand {
 public:
  explicit ByHand(const ParameterStore& store, std::string scope)
      : store_(store), scope_(std::move(scope)) {}

  // rows [L, in] through the dense layer of a name.
  Numbers dense(const std::string& name, const Numbers& rows) const {
    const ConstView weight = get(name + ".weight"), bias = get(name + ".bias");
    const auto in = static_cast<std::size_t>(weight.shape[0]),
               out = static_cast<std::size_t>(weight.shape[1]);
    Numbers y(rows.size() / in * out);
    for (std::size_t r = 0; r < rows.size() / in; ++r)
      for (std::size_t j = 0; j < out; ++j) {
        double sum = static_cast<double>(bias[static_cast<Index>(j)]);
        for (std::size_t i = 0; i < in; ++i)
          sum += rows[r * in + i] * static_cast<double>(weight[static_cast<Index>(i * out + j)]);
        y[r * out + j] = sum;
      }
    return y;
  }

  // Every row less its mean, over its deviation, with gain and shift.
  Numbers norm(const std::string& name, const Numbers& rows) const {
    const ConstView gain = get(name + ".gain"), shift = get(name + ".shift");
    const auto width = static_cast<std::size_t>(gain.size());
    Numbers y(rows.size());
    for (std::size_t first = 0; first < rows.size(); first += width) {
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < width; ++i) mean += rows[first + i] / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        square += (rows[first + i] - mean) * (rows[first + i] - mean) / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        y[first + i] = (rows[first + i] - mean) / std::sqrt(square + 1e-5) *
                           static_cast<double>(gain[static_cast<Index>(i)]) +
                       static_cast<double>(shift[static_cast<Index>(i)]);
    }
    return y;
  }

 private:
  ConstView get(const std::string& name) const {
    const int index = store_.find(scope_ + "." + name);
    REQUIRE(index >= 0);
    return store_.value(index);
  }
  const ParameterStore& store_;
  std::string scope_;
};

TEST_CASE("a model without a head is one whose head gives zeros, computed by hand") {
  Experiment experiment(refined());
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
  const InputBatch input = experiment.inputs.batch(images);
  TestTape tape(experiment.model.parameters().views(), Recording::kNo);
  Numbers entered, maps;
  const auto watch = [&](const TransformerBlock& block, Var x, const AttentionMask& mask) {
    for (const Real value : x.value().span()) entered.push_back(static_cast<double>(value));
    for (const Real weight : block.weights(tape, x, mask).span())
      maps.push_back(static_cast<double>(weight));
  };
  experiment.model.encode(tape, input.view(), {.regions = watch});
  const ByHand block(experiment.model.parameters(), "refine.0");
  const std::size_t regions = 16, width = entered.size() / regions, half = width / 2;
  const Numbers values = block.dense("attention.value", block.norm("attention_norm", entered));
  // Head 1, the second half of the width, gives nothing.
  Numbers contexts(entered.size(), 0);
  for (std::size_t t = 0; t < regions; ++t)
    for (std::size_t s = 0; s < regions; ++s)
      for (std::size_t i = 0; i < half; ++i)
        contexts[t * width + i] += maps[t * regions + s] * values[s * width + i];
  Numbers expected = block.dense("attention.output", contexts);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += entered[i];
  Numbers hidden = block.dense("widen", block.norm("dense_norm", expected));
  for (double& x : hidden) x = std::max(x, 0.0);
  const Numbers added = block.dense("narrow", hidden);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += added[i];

  const auto features = [&] {
    Arena own;
    Tape fresh(own);
    fresh.set_recording(false);
    fresh.set_parameters(experiment.model.parameters().views());
    const ConstView out = experiment.model.encode(fresh, input.view()).features.value();
    return Numbers(out.span().begin(), out.span().end());
  };
  const auto distance = [&] {
    const Numbers own = features();
    REQUIRE(own.size() == expected.size());
    double most = 0, largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      most = std::max(most, std::abs(own[i] - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
    return most / largest;
  };
  CHECK(distance() > 1e-2);  // with both heads it is another model
  remove(experiment, {"refine.0.1"});
  CHECK(distance() < 1e-4);
}

// The logits of the last word of a caption, for an image.
Numbers last_logits(const Experiment& experiment, Index image, const std::vector<int>& words) {
  TestTape tape(experiment.model.parameters().views(), Recording::kNo);
  const std::vector<Index> one{image};
  const InputBatch input = experiment.inputs.batch(one);
  const Decoder& decoder = experiment.model.decoder();
  const AttentionMemory memory =
      decoder.prepare(tape, experiment.model.encode(tape, input.view()), 1);
  std::vector<Var> state = decoder.start(tape, memory);
  Numbers out;
  for (std::size_t t = 0; t < words.size(); ++t) {
    const StepOutput step = decoder.step(tape, std::span(words).subspan(t, 1), state, memory,
                                         {.step = static_cast<Index>(t)});
    state = step.state;
    const auto logits = step.logits.value().span();
    out.assign(logits.begin(), logits.end());
  }
  return out;
}

double apart(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST_CASE(
    "a decoder without its heads for the image does not see it, and one without its heads "
    "for words does not see earlier words") {
  for (const std::int64_t heads : {1, 2}) {
    Experiment experiment(transformer(heads));
    make_heads_even(experiment);
    const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 2);
    const std::vector<int> one{1, 5, 7}, other{1, 6, 7};
    const auto by_image = [&] {
      return apart(last_logits(experiment, images[0], one),
                   last_logits(experiment, images[1], one));
    };
    const auto by_word = [&] {
      return apart(last_logits(experiment, images[0], one),
                   last_logits(experiment, images[0], other));
    };
    CHECK(by_image() > 1e-4);
    CHECK(by_word() > 1e-4);
    remove(experiment, {"decoder.0", "decoder.1"});
    CHECK(by_image() == 0);
    CHECK(by_word() > 1e-4);
    remove(experiment, {"words.0", "words.1.0", "words.1.2"});
    CHECK(by_word() > 1e-4);  // head words.1.1 is left
    remove(experiment, {"words.1.1"});
    CHECK(by_word() == 0);
  }
}

TEST_CASE("regions of an encoder without heads are made of their own patches alone") {
  ExperimentConfig config = small_experiment();
  config.encoder.type = "vit";
  config.encoder.vit = {.width = 12, .layers = 2, .heads = 3, .patch = 8};
  Experiment experiment(config);
  make_heads_even(experiment);
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
  InputBatch input = experiment.inputs.batch(images);
  const auto features = [&] {
    TestTape tape(experiment.model.parameters().views(), Recording::kNo);
    const ConstView out = experiment.model.encode(tape, input.view()).features.value();
    return Numbers(out.span().begin(), out.span().end());
  };
  // How much the last region changes with the first pixel of the first one.
  const auto change = [&] {
    const Numbers before = features();
    const Real pixel = input.values()[0];
    input.values()[0] = pixel + 3;
    const Numbers after = features();
    input.values()[0] = pixel;
    CHECK(apart(before, after) > 1e-4);
    const std::size_t width = before.size() / 16;
    return apart(Numbers(before.end() - static_cast<std::ptrdiff_t>(width), before.end()),
                 Numbers(after.end() - static_cast<std::ptrdiff_t>(width), after.end()));
  };
  CHECK(change() > 0);
  remove(experiment, {"encoder.0.0", "encoder.0.1", "encoder.0.2", "encoder.1"});
  CHECK(change() == 0);
}

TEST_CASE("tokens of a text whose encoder has no heads are made of themselves alone") {
  ExperimentConfig config = small_text_experiment();
  config.encoder.type = "text_transformer";
  // Another number of heads than a vision transformer of the default size has.
  config.encoder.text = {.length = 6, .width = 8, .layers = 2, .heads = 4};
  Experiment experiment(config);
  const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
  InputBatch input = experiment.inputs.batch(images);
  // How much the second token changes with the first one.
  const auto change = [&] {
    const auto second = [&](float first) {
      input.values()[0] = first;
      TestTape tape(experiment.model.parameters().views(), Recording::kNo);
      const ConstView out = experiment.model.encode(tape, input.view()).features.value();
      const auto features = out.span().subspan(8, 8);
      return Numbers(features.begin(), features.end());
    };
    return apart(second(1), second(2));
  };
  CHECK(change() > 1e-4);
  CHECK(model_heads(experiment.model, experiment.config)[3].name.text() == "encoder.0.3");
  remove(experiment, {"encoder.0.0", "encoder.0.1", "encoder.0.2", "encoder.1"});
  CHECK(change() > 1e-4);  // head encoder.0.3 is left
  remove(experiment, {"encoder.0.3"});
  CHECK(change() == 0);
}

TEST_CASE("a single head with a matrix of its own can be removed from a recurrent decoder") {
  for (const bool value : {true, false}) {
    INFO(value);
    ExperimentConfig config = small_experiment();
    config.attention.value_projection = value;
    config.attention.output_projection = !value;
    config.decoder.first_state = FirstState::kNone;  // the other one would show the image, too
    Experiment experiment(config);
    const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 2);
    const std::vector<int> words{1, 5, 7};
    const auto by_image = [&] {
      return apart(last_logits(experiment, images[0], words),
                   last_logits(experiment, images[1], words));
    };
    CHECK(by_image() > 1e-6);
    remove(experiment, {"decoder.0.0"});
    CHECK(by_image() == 0);
  }
}

TEST_CASE("heads of every attention among words can be removed") {
  for (const std::string kind : {"window", "linear", "differential", "graph"}) {
    INFO(kind);
    ExperimentConfig config = transformer(1);
    config.decoder.self_attention.type = kind;
    Experiment experiment(config);
    const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
    const auto by_word = [&] {
      return apart(last_logits(experiment, images[0], {1, 5, 7}),
                   last_logits(experiment, images[0], {1, 6, 7}));
    };
    CHECK(by_word() > 1e-6);
    remove(experiment, {"words.0", "words.1"});
    CHECK(by_word() == 0);
  }
}

TEST_CASE("all heads of a model have names, which stand for one of them or for a layer") {
  ExperimentConfig config = transformer(2);
  config.encoder.refine.layers = 1;
  config.encoder.refine.heads = 2;
  const Experiment experiment(config);
  CHECK(named(experiment, {"decoder.1", "refine.0.1", "decoder.1.0"}) ==
        Names{"refine.0.1", "decoder.1.0", "decoder.1.1"});
  CHECK(model_heads(experiment.model, experiment.config).size() == 2 + 2 * 3 + 2 * 2);
  for (const char* wrong : {"words.2.0", "words.0.3", "words", "1.0", "encoder.0.0", "words.0.x",
                            "words.0.0.0", "", "words..0", "words.-1.0"}) {
    INFO(wrong);
    const std::string message = message_of<UsageError>([&] { named(experiment, {wrong}); });
    CHECK(message.find(str("'", wrong, "'")) != std::string::npos);
    CHECK(message.find("refine.0.0 to refine.0.1, words.0.0 to words.1.2, decoder.0.0 to "
                       "decoder.1.1") != std::string::npos);
  }
  // Where one place has heads, its name may be left out.
  ExperimentConfig several = small_experiment();
  several.attention.heads = 2;
  const Experiment recurrent(several);
  CHECK(named(recurrent, {"0.1"}) == Names{"decoder.0.1"});
  const Experiment single(small_experiment());
  CHECK(message_of<UsageError>([&] { named(single, {"decoder.0.0"}); }).find("only head") !=
        std::string::npos);
}

TEST_CASE("heads of every kind of refinement can be removed") {
  for (const std::string kind :
       {"self_attention", "window", "linear", "linformer", "differential", "graph", "geometry"}) {
    ExperimentConfig config = refined();
    config.encoder.refine.type = kind;
    Experiment experiment(config);
    INFO(kind);
    const std::vector<Index> images = evaluation_images(experiment.data.dataset, Split::kVal, 1);
    const std::vector<int> words{1, 5, 7};
    const Numbers whole = last_logits(experiment, images[0], words);
    remove(experiment, {"refine.0.0"});
    const Numbers without = last_logits(experiment, images[0], words);
    CHECK(apart(whole, without) > 1e-6);
    remove(experiment, {"refine.0.0"});
    CHECK(apart(without, last_logits(experiment, images[0], words)) == 0);
  }
}

}  // namespace
}  // namespace saccade::test
