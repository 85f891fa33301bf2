// Encoders of texts: their grid, their padding, and what they know of order.
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/text_input.h"

namespace saccade::text_encoders_test {

using Catch::Matchers::Contains;

namespace {

constexpr Index kLength = 6, kWidth = 12;
constexpr const char* kKinds[] = {"bigru", "text_transformer"};

EncoderConfig small(const std::string& kind) {
  EncoderConfig config;
  config.type = kind;
  config.words = {"a", "b", "c", "d"};
  config.text = {.length = kLength, .width = kWidth, .layers = 2, .heads = 3, .multiple = 2};
  return config;
}

// Texts and their lengths, as an input.
struct Texts {
  Tensor numbers;
  std::vector<PictureArea> areas;

  explicit Texts(const std::vector<std::vector<int>>& texts)
      : numbers({static_cast<Index>(texts.size()), kLength}) {
    for (std::size_t b = 0; b < texts.size(); ++b) {
      std::copy(texts[b].begin(), texts[b].end(), numbers.view().row(static_cast<Index>(b)));
      areas.push_back({.right = static_cast<double>(texts[b].size()) / kLength});
    }
  }
};

struct Model {
  explicit Model(const EncoderConfig& config)
      : encoder(make_encoder(config, ParamScope(parameters, ""))) {
    parameters.initialise(1);
    for (Real& x : parameters.flat().span()) x *= 2;  // so that maps are not flat
  }
  Tensor encode(const Texts& texts) const {
    test::TestTape tape(parameters.views(), test::Recording::kNo);
    const ConstView features =
        encoder->forward_padded(tape, tape.constant(texts.numbers.view()), texts.areas).value();
    return Tensor(features.shape, features.span());
  }
  ParameterStore parameters;
  std::unique_ptr<Encoder> encoder;
};

// The largest difference between the first `count` cells of two texts of two batches.
double apart(const Tensor& a, Index text_a, const Tensor& b, Index text_b, Index count) {
  double most = 0;
  for (Index i = 0; i < count * kWidth; ++i)
    most = std::max(most, std::abs(double{a[text_a * kLength * kWidth + i]} -
                                   double{b[text_b * kLength * kWidth + i]}));
  return most;
}

}  // namespace

TEST_CASE("the grid of a text is one row with a cell for each place") {
  for (const std::string kind : kKinds) {
    const Model model(small(kind));
    CHECK(model.encoder->grid() == GridShape{{.rows = 1, .cols = kLength}, kWidth});
    CHECK(model.encoder->input_shape() == Shape{kLength});
    CHECK(model.encoder->words().size() == 4);
    CHECK(model.encode(Texts({{1, 2}, {3, 4, 1}})).shape() == Shape({2, kLength, kWidth}));
  }
  EncoderConfig config = small("bigru");
  config.positions = PositionKind::kCoordinates;
  CHECK(Model(config).encoder->grid().features == kWidth + 2);
}

TEST_CASE("a text is encoded by itself, whatever stands beside it and behind its end") {
  for (const std::string kind : kKinds) {
    INFO(kind);
    const Model model(small(kind));
    Texts both({{1, 2, 3}, {4, 3, 2, 1, 1, 2}});
    const Tensor together = model.encode(both), alone = model.encode(Texts({{1, 2, 3}}));
    CHECK(apart(together, 0, alone, 0, 3) < 1e-5);
    both.numbers.view().row(0)[4] = 2;  // behind the end
    CHECK(apart(model.encode(both), 0, together, 0, 3) == 0);
    both.numbers.view().row(0)[1] = 4;
    for (Index cell = 0; cell < 3; ++cell)
      CHECK(apart(model.encode(both), 0, together, 0, cell + 1) > 1e-3);
  }
}

TEST_CASE("a GRU knows the order of a text, and a transformer needs positions to know it") {
  const auto moved = [](const EncoderConfig& config) {
    const Model model(config);
    const Tensor one = model.encode(Texts({{1, 2, 3, 4}})),
                 other = model.encode(Texts({{1, 3, 2, 4}}));
    return apart(one, 0, other, 0, 1);  // of the token that stays where it is
  };
  CHECK(moved(small("bigru")) > 1e-3);
  EncoderConfig config = small("text_transformer");
  CHECK(moved(config) < 1e-5);
  for (const PositionKind positions : {PositionKind::kSinusoidal, PositionKind::kLearned}) {
    config.positions = positions;
    CHECK(moved(config) > 1e-4);
  }
}

TEST_CASE("the last states of a GRU are those that have read the whole text") {
  const Model model(small("bigru"));
  const Texts texts({{1, 2, 3}, {4, 3, 2, 1, 1, 2}});
  const Tensor features = model.encode(texts);
  test::TestTape tape;
  const Var state = model.encoder->last_state(tape, tape.constant(features.view()), texts.areas);
  REQUIRE(state.shape() == Shape({2, kWidth}));
  const Index ends[] = {2, 5};
  for (Index b = 0; b < 2; ++b)
    for (Index d = 0; d < kWidth; ++d) {
      const Index cell = d < kWidth / 2 ? ends[b] : 0;
      CHECK(state.value().row(b)[d] == features[(b * kLength + cell) * kWidth + d]);
    }
  CHECK_THROWS_AS(Model(small("text_transformer"))
                      .encoder->last_state(tape, tape.constant(features.view()), texts.areas),
                  ShapeError);
}

TEST_CASE("the features of texts have the same bits with any number of threads") {
  for (const std::string kind : kKinds) {
    const Model model(small(kind));
    const Texts texts({{1, 2, 3}, {4, 3, 2, 1, 1, 2}, {2}, {3, 3, 3, 3}});
    test::same_for_threads([&] {
      const Tensor features = model.encode(texts);
      return std::vector<Real>(features.span().begin(), features.span().end());
    });
  }
}

TEST_CASE("encoders of texts refuse what they cannot read") {
  for (const std::string kind : kKinds) {
    const Model model(small(kind));
    Texts unknown({{1, 5}});
    CHECK_THROWS_AS(model.encode(unknown), ShapeError);
    CHECK_THROWS_AS(model.encoder->receptive_field(), UsageError);
  }
  EncoderConfig odd = small("bigru");
  odd.text.width = 7;
  CHECK_THROWS_WITH(Model(odd), Contains("encoder.text.width is 7"));
  EncoderConfig heads = small("text_transformer");
  heads.text.heads = 5;
  CHECK_THROWS_WITH(Model(heads), Contains("encoder.text.heads"));
  heads = small("text_transformer");
  heads.positions = PositionKind::kCoordinates;
  CHECK_THROWS_WITH(Model(heads), Contains("choose sinusoidal, sinusoidal_2d, learned or none"));
}

}  // namespace saccade::text_encoders_test
