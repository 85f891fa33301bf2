// The labels of maps, measures other than the weights, and which maps a comparison calls dead.
#include "experiments/pictures/view_overlays.h"

#include "captioning/scoring/words/tokenizer.h"
#include "experiments/compare/comparison_text.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

struct Fixture {
  Vocabulary vocabulary = Vocabulary::count(std::vector<Words>(3, Words{"a", "dog"}), 1);
  CaptionRecord record;
  CaptionSource source;

  // The caption has a uniform map and one with all weight on a single cell, on a grid of 2 x 2.
  explicit Fixture(const Geometry& geometry) {
    record.geometry = geometry;
    record.caption.words = {{.id = 4, .map = map({0.25f, 0.25f, 0.25f, 0.25f}, 0.5)},
                            {.id = 5, .map = map({0, 1, 0, 0}, 0.25)}};
    source = {.vocabulary = &vocabulary, .layout = {{.rows = 2, .cols = 2}}};
  }
  static AttentionMap map(std::vector<float> weights, double gate) {
    return {.weights = std::move(weights), .layout = {{2, 2}}, .gate = gate};
  }
  Overlay overlay() const {
    return make_overlay(Image(record.geometry.original_height, record.geometry.original_width),
                        record, source);
  }
};

}  // namespace

TEST_CASE("a map is called uniform if its weights are equal over the unmasked regions") {
  Fixture fixture(plan_geometry(8, 8, {.height = 8, .width = 8}));
  const Overlay overlay = fixture.overlay();
  CHECK(is_uniform(overlay.words[0].map));
  CHECK_FALSE(is_uniform(overlay.words[1].map));
  // If the other cells are padding, equal weights on these two cells are a uniform map.
  fixture.record.caption.words[1].map.weights = {0.5f, 0.5f, 0, 0};
  CHECK_FALSE(is_uniform(fixture.overlay().words[1].map));
  fixture.record.caption.words[1].map.mask = {1, 1, 0, 0};
  CHECK(is_uniform(fixture.overlay().words[1].map));
  // Whether a view is uniform depends on its own maps.
  fixture.record.views = {{Fixture::map({1, 0, 0, 0}, 1), fixture.record.caption.words[1].map}};
  const Overlay view = view_overlays(overlay, fixture.record)[0].overlay;
  CHECK_FALSE(is_uniform(view.words[0].map));
  CHECK(is_uniform(view.words[1].map));
}

TEST_CASE("a request may draw maps divided by equal weights or times their gates") {
  Fixture fixture(plan_geometry(8, 8, {.height = 8, .width = 8}));
  const auto drawn = [&](MapMeasure measure) {
    return view_overlays(fixture.overlay(), fixture.record, measure).at(0).overlay;
  };
  const auto weights = [](const Overlay& overlay, std::size_t word) {
    return measured(overlay.words[word].map, overlay.measure).weights;
  };
  const Overlay plain = drawn(MapMeasure::kWeight);
  CHECK(weights(plain, 1) == fixture.record.caption.words[1].map.weights);
  CHECK(largest_weight(plain) == 1);
  const Overlay relative = drawn(MapMeasure::kRelative);
  CHECK(weights(relative, 0) == std::vector<float>(4, 1));
  CHECK(is_uniform(relative.words[0].map));
  CHECK(weights(relative, 1)[1] == 4);
  CHECK(largest_weight(relative) == 4);
  const Overlay gated = drawn(MapMeasure::kGated);
  CHECK(weights(gated, 0)[0] == 0.125f);
  CHECK(weights(gated, 1)[1] == 0.25f);
  CHECK(largest_weight(gated) == 0.25);
  // The uniform map is over the cells that show some of the picture.
  fixture.record.caption.words[1].map.mask = {1, 1, 1, 0};
  CHECK(weights(drawn(MapMeasure::kRelative), 1)[1] == 3);
  fixture.record.caption.words[1].map.gate.reset();
  CHECK_THROWS_AS(drawn(MapMeasure::kGated), UsageError);
  CHECK_THROWS_AS(measured(fixture.record.caption.words[1].map, MapMeasure::kGated), ShapeError);
}

TEST_CASE("the colour bar of weights divided by equal weights has a line at 1") {
  const Fixture fixture(plan_geometry(8, 8, {.height = 8, .width = 8}));
  const auto sheet = [&](MapMeasure measure, HeatScale scale) {
    const Overlay overlay = view_overlays(fixture.overlay(), fixture.record, measure).at(0).overlay;
    return sheet_file({&overlay, 1}, {.scale = scale}, PictureFormat::kSvg);
  };
  const std::string relative = sheet(MapMeasure::kRelative, HeatScale::kShared);
  CHECK(relative.find("attention weight over equal weights (line: 1)") != std::string::npos);
  CHECK(relative.find("uniform") != std::string::npos);
  const auto boxes = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = svg.find("<rect"); at != std::string::npos;
         at = svg.find("<rect", at + 1))
      ++count;
    return count;
  };
  // The line is two boxes. Where each panel has a scale of its own, there is none.
  CHECK(boxes(relative) == boxes(sheet(MapMeasure::kWeight, HeatScale::kShared)) + 2);
  CHECK(boxes(sheet(MapMeasure::kRelative, HeatScale::kPerWord)) ==
        boxes(sheet(MapMeasure::kWeight, HeatScale::kPerWord)));
}

TEST_CASE("the table of a comparison names the models whose maps seem dead") {
  const ArmResult arm;
  const auto row = [&](double same, double from_uniform, Index images = 500) {
    Row out;
    out.arm = &arm;
    out.images = images;
    out.metrics = {{"attention_static_share", spread_of({same})},
                   {"attention_from_uniform", spread_of({from_uniform})}};
    return out;
  };
  const auto cells = [](const std::vector<Row>& rows) {
    const Table table = means_table(rows, true);
    std::vector<std::string> out;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      for (const Table::Cells& own : table.rows)
        if (table.columns[c].key == "attention") out.push_back(shown_text(own[c]));
    return out;
  };
  CHECK(cells({row(0.5, 0.6), row(0.95, 0.9), row(0.95, 0.3)}) ==
        std::vector<std::string>{"", "dead: static", "dead: static, uniform"});
  CHECK(cells({row(0.5, 0.6)}).empty());
  // Few images cannot tell, and neither can a number near the limit.
  CHECK(cells({row(0.95, 0.3, 29), row(0.91, 0.49)}).empty());
}

}  // namespace saccade::test
