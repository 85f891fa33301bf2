// Attention pictures: the heat of a cell lies on the part of the photo that the cell shows,
// whatever happened to the image before.
#include "vision/drawing/overlay.h"

#include "tests/support/catch.h"
#include "tests/vision/pictures.h"
#include "vision/drawing/text_painter.h"
#include "vision/images/augment.h"

namespace saccade::overlay_test {
namespace {

std::vector<float> one_hot(Index size, Index cell, float weight = 1) {
  std::vector<float> weights(static_cast<std::size_t>(size));
  weights[static_cast<std::size_t>(cell)] = weight;
  return weights;
}

Overlay make_overlay(const Image& image, const Geometry& geometry) {
  return {.image = std::make_shared<Image>(image), .geometry = geometry, .words = {}};
}

LabelledMap word_on(Index rows, Index cols, const std::string& text, std::vector<float> weights) {
  return {.text = text, .map = {.weights = std::move(weights), .layout = {{rows, cols}}}};
}

int distance(const std::uint8_t* a, const std::uint8_t* b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

// The cells of the grid at whose centres two pictures of the original differ clearly.
std::vector<Index> changed_cells(const Overlay& overlay, const Image& a, const Image& b) {
  std::vector<Index> changed;
  const GridSize grid = overlay.words[0].map.layout.grid;
  for (Index cell = 0; cell < grid.cells(); ++cell) {
    const Rect box = cell_box(overlay.geometry, grid, cell);
    const auto x = static_cast<Index>(box.x + box.width / 2);
    const auto y = static_cast<Index>(box.y + box.height / 2);
    if (distance(a.pixel(y, x), b.pixel(y, x)) > 60) changed.push_back(cell);
  }
  return changed;
}

TEST_CASE("attention on one cell is drawn on that cell") {
  const PrepareOptions squash{.height = 96, .width = 96};
  const PrepareOptions crop{.height = 96, .width = 96, .mode = ResizeMode::kCrop};
  for (const auto& [height, width] : {std::pair<Index, Index>{210, 340}, {330, 190}}) {
    const Image image = test_picture(height, width);
    Geometry mirrored = plan_geometry(height, width, crop);
    mirrored.mirrored = true;
    for (const Geometry& geometry :
         {plan_geometry(height, width, squash), plan_geometry(height, width, crop), mirrored}) {
      for (const auto& [rows, cols] : {std::pair<Index, Index>{7, 7}, {4, 9}, {1, 49}, {1, 1}}) {
        Overlay overlay = make_overlay(image, geometry);
        const Index last = rows * cols - 1;
        for (const Index cell : {Index{0}, last, last / 2, last / 3})
          overlay.words.push_back(word_on(rows, cols, "x", one_hot(rows * cols, cell)));
        overlay.words.push_back(
            word_on(rows, cols, "none", std::vector<float>(static_cast<std::size_t>(rows * cols))));
        for (const OverlayStyle style : {OverlayStyle::kHeat, OverlayStyle::kCells}) {
          const Image cold = draw_panel(overlay, 4, {.style = style});
          for (Index word = 0; word < 4; ++word) {
            const Image lit = draw_panel(overlay, word, {.style = style});
            REQUIRE(lit.height == height);
            REQUIRE(lit.width == width);
            const auto& weights = overlay.words[static_cast<std::size_t>(word)].map.weights;
            const Index cell = std::max_element(weights.begin(), weights.end()) - weights.begin();
            INFO("grid " << rows << "x" << cols << ", cell " << cell << ", " << width << "x"
                         << height << ", crop " << static_cast<int>(geometry.mode));
            REQUIRE(changed_cells(overlay, lit, cold) == std::vector<Index>{cell});
          }
        }
      }
    }
  }
}

// A bright spot of the photo lights one cell of the network image, and attention on that cell must
// be drawn on the spot.
TEST_CASE("heat returns to the pixels that caused it, through crop, shift and mirroring") {
  Random random({.seed = 4, .stream = Stream::kTest});
  int wrong = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    Image image(200, 300, 30);
    const auto x = static_cast<Index>(80 + random.below(140));
    const auto y = static_cast<Index>(30 + random.below(140));
    for (Index dy = -6; dy <= 6; ++dy)
      for (Index dx = -6; dx <= 6; ++dx) image.pixel(y + dy, x + dx)[1] = 255;
    const Prepared input =
        prepare_augmented(image, {.height = 70, .width = 70, .mode = ResizeMode::kCrop},
                          {.flip = 0.5, .scale = 0.9, .shift_x = 0.1, .shift_y = 0.1},
                          Random({.seed = 4, .stream = Stream::kAugment, .step = 0, .sample = i}));
    std::vector<float> green(35 * 35);
    for (Index v = 0; v < 70; ++v)
      for (Index u = 0; u < 70; ++u)
        green[static_cast<std::size_t>(v / 2 * 35 + u / 2)] += input.image.pixel(v, u)[1];
    const Index cell = std::max_element(green.begin(), green.end()) - green.begin();
    Overlay overlay = make_overlay(image, input.geometry);
    overlay.words = {word_on(35, 35, "spot", one_hot(35 * 35, cell)),
                     word_on(35, 35, "none", std::vector<float>(35 * 35))};
    const Image lit = draw_panel(overlay, 0, {.style = OverlayStyle::kCells});
    const Image cold = draw_panel(overlay, 1, {.style = OverlayStyle::kCells});
    Index off = 0, changed = 0;
    for (Index v = 0; v < image.height; ++v)
      for (Index u = 0; u < image.width; ++u)
        if (distance(lit.pixel(v, u), cold.pixel(v, u)) > 20) {
          ++changed;
          if (std::abs(u - x) > 12 || std::abs(v - y) > 12) ++off;
        }
    if (off > 0 || changed < 9) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the map of a padded picture lies on the picture, all over it and nowhere else") {
  const PrepareOptions padded{.height = 96, .width = 96, .mode = ResizeMode::kPad};
  for (const auto& [height, width] : {std::pair<Index, Index>{210, 340}, {330, 190}, {100, 100}})
    for (const bool mirrored : {false, true})
      for (const auto& [rows, cols] : {std::pair<Index, Index>{7, 7}, {4, 9}, {12, 12}}) {
        CAPTURE(height, width, mirrored, rows, cols);
        const Image image = test_picture(height, width);
        Geometry geometry = plan_geometry(height, width, padded);
        geometry.mirrored = mirrored;
        const CellBlock cells = picture_cells(picture_area(geometry), {rows, cols});
        Overlay overlay = make_overlay(image, geometry);
        std::vector<float> even(static_cast<std::size_t>(rows * cols)), outside = even;
        for (Index cell = 0; cell < rows * cols; ++cell)
          (cells.has(cell / cols, cell % cols) ? even : outside)[static_cast<std::size_t>(cell)] =
              1;
        const Index middle = rows / 2 * cols + cols / 2;
        overlay.words = {word_on(rows, cols, "even", even), word_on(rows, cols, "padding", outside),
                         word_on(rows, cols, "none", one_hot(rows * cols, 0, 0)),
                         word_on(rows, cols, "middle", one_hot(rows * cols, middle))};
        Overlay squashed = make_overlay(image, plan_geometry(height, width, {}));
        squashed.words = {word_on(rows, cols, "all", std::vector<float>(even.size(), 1))};
        for (const OverlayStyle style : {OverlayStyle::kHeat, OverlayStyle::kCells}) {
          const OverlayOptions options{
              .style = style, .scale = HeatScale::kFixed, .fixed_max = 1.9};
          // The map is as warm at its border as elsewhere, because weights on padding are not part
          // of it.
          CHECK(difference(draw_panel(overlay, 0, options), draw_panel(squashed, 0, options)) <
                0.1);
          const Image cold = draw_panel(overlay, 2, options);
          CHECK(draw_panel(overlay, 1, options).rgb == cold.rgb);
          const Image lit = draw_panel(overlay, 3, options);
          const Rect box = cell_box(geometry, {rows, cols}, middle);
          const auto x = static_cast<Index>(box.x + box.width / 2);
          const auto y = static_cast<Index>(box.y + box.height / 2);
          CHECK(distance(lit.pixel(y, x), cold.pixel(y, x)) > 30);
          CHECK(distance(lit.pixel(1, 1), cold.pixel(1, 1)) == 0);
        }
        // Where half of the chosen cell is padding, its frame still lies on the picture.
        overlay.words[2].map.chosen = static_cast<int>(cells.top * cols + cells.left);
        const Image framed = draw_panel(overlay, 2, {});
        const Index corner = mirrored ? width - 1 : 0;
        CHECK(framed.pixel(0, corner)[0] == 0);
      }
}

TEST_CASE("what the network did not see is dark and never tinted") {
  const Image image = test_picture(100, 200);
  Overlay overlay = make_overlay(
      image, plan_geometry(100, 200, {.height = 50, .width = 50, .mode = ResizeMode::kCrop}));
  overlay.words = {word_on(5, 5, "all", std::vector<float>(25, 1.f))};
  const Image panel = draw_panel(overlay, 0, {});
  for (const Index x : {Index{0}, Index{49}, Index{150}, Index{199}})
    for (int c = 0; c < 3; ++c)
      CHECK(std::abs(panel.pixel(50, x)[c] - 0.35 * image.pixel(50, x)[c]) <= 1);
  for (const Index x : {Index{50}, Index{100}, Index{149}}) CHECK(int{panel.pixel(50, x)[0]} > 150);
}

TEST_CASE("maps of zeros, of equal weights and of one cell: the scale starts at 0") {
  const Image image = test_picture(40, 40);
  Overlay overlay = make_overlay(image, plan_geometry(40, 40, {.height = 8, .width = 8}));
  overlay.words = {word_on(2, 2, "zero", std::vector<float>(4, 0.f)),
                   word_on(2, 2, "even", std::vector<float>(4, 0.25f)),
                   word_on(2, 2, "sure", one_hot(4, 3))};
  CHECK(largest_weight(overlay) == 1);
  const auto red = [&](Index word, const OverlayOptions& options) {
    return int{draw_panel(overlay, word, options).pixel(10, 10)[0]};
  };
  CHECK(red(0, {}) < red(1, {}));
  CHECK(red(1, {}) < red(1, {.scale = HeatScale::kPerWord}));
  CHECK(red(0, {.scale = HeatScale::kPerWord}) == red(0, {}));
  CHECK(red(1, {.scale = HeatScale::kFixed, .fixed_max = 0.25}) ==
        red(1, {.scale = HeatScale::kPerWord}));
  overlay.words.resize(1);  // only zeros are left
  CHECK(red(0, {.scale = HeatScale::kPerWord}) == red(0, {}));
  CHECK(draw_sheet({&overlay, 1}, {}).width > 0);
}

TEST_CASE("the chosen cell is outlined, and no other") {
  const Image image(120, 120, 100);
  Overlay overlay = make_overlay(image, plan_geometry(120, 120, {.height = 8, .width = 8}));
  overlay.words = {
      {.text = "a", .map = {.weights = one_hot(16, 0), .layout = {{4, 4}}, .chosen = 6}},
      word_on(4, 4, "a", one_hot(16, 0))};
  const Image with = draw_panel(overlay, 0, {}), without = draw_panel(overlay, 1, {});
  const std::vector<std::uint8_t> white(3, 255);
  CHECK(distance(with.pixel(31, 61), white.data()) == 0);
  CHECK(distance(with.pixel(45, 75), without.pixel(45, 75)) == 0);
  int outside = 0;
  for (Index y = 0; y < 120; ++y)
    for (Index x = 0; x < 120; ++x)
      if (distance(with.pixel(y, x), without.pixel(y, x)) > 0 &&
          (x < 60 || x >= 90 || y < 30 || y >= 60))
        ++outside;
  CHECK(outside == 0);
}

TEST_CASE("a panel by itself is as large as the photo, or smaller where that is asked for") {
  const Image image = test_picture(200, 300);
  Overlay overlay = make_overlay(image, plan_geometry(200, 300, {.height = 8, .width = 8}));
  overlay.words = {word_on(2, 3, "a", {0, 0, 0, 0, 0, 1})};
  const auto size = [&](Index longest) {
    const Image panel = draw_panel(overlay, 0, {.longest_side = longest});
    return std::pair(panel.height, panel.width);
  };
  CHECK(size(0) == std::pair<Index, Index>{200, 300});
  CHECK(size(300) == std::pair<Index, Index>{200, 300});
  CHECK(size(150) == std::pair<Index, Index>{100, 150});
  CHECK(size(1) == std::pair<Index, Index>{1, 1});
  // The map lies on the same part of the photo.
  const Image large = draw_panel(overlay, 0, {}),
              small = draw_panel(overlay, 0, {.longest_side = 150});
  for (Index y = 5; y < 100; y += 10)
    for (Index x = 5; x < 150; x += 10)
      CHECK(distance(small.pixel(y, x), large.pixel(2 * y, 2 * x)) < 60);
  CHECK(panel_file(overlay, 0, {.longest_side = 150}, PictureFormat::kSvg).find("width=\"150\"") !=
        std::string::npos);
}

TEST_CASE("overlays whose sizes do not agree are refused") {
  const Image image = test_picture(20, 30);
  Overlay good = make_overlay(image, plan_geometry(20, 30, {.height = 8, .width = 8}));
  good.words = {word_on(2, 3, "a", std::vector<float>(6, 0.1f))};
  CHECK_NOTHROW(draw_panel(good, 0, {}));
  CHECK_THROWS_AS(draw_panel(good, 1, {}), ShapeError);
  Overlay bad = good;
  bad.words[0].map.weights.resize(4);
  CHECK_THROWS_WITH(draw_panel(bad, 0, {}), Catch::Contains("4 weights for a 2 x 3 grid"));
  bad = good;
  bad.words[0].map.weights[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(draw_sheet({&bad, 1}, {}), ShapeError);
  bad = good;
  bad.words[0].map.chosen = 6;
  CHECK_THROWS_AS(draw_panel(bad, 0, {}), ShapeError);
  bad = good;
  bad.geometry.original_width = 31;
  CHECK_THROWS_AS(draw_panel(bad, 0, {}), ShapeError);
  CHECK_THROWS_AS(draw_panel(good, 0, {.fixed_max = 0}), UsageError);
  CHECK_THROWS_AS(draw_sheet({&good, 1}, {.panel_width = 5}), UsageError);
  CHECK_THROWS_AS(draw_sheet({&good, 1}, {.font = "/no/such.ttf"}), DataError);
  CHECK_THROWS_AS(draw_sheet({}, {}), ShapeError);
}

// The number of pixels of the page that are neither white nor grey: photos, heat and the colour
// bar.
Index coloured(const Image& page) {
  Index count = 0;
  for (std::size_t i = 0; i < page.rgb.size(); i += 3) {
    const auto [least, most] = std::minmax({page.rgb[i], page.rgb[i + 1], page.rgb[i + 2]});
    count += most - least > 24;
  }
  return count;
}

TEST_CASE("a sheet has one panel per word and stays below its limit") {
  const Image image = test_picture(300, 400);
  Overlay overlay = make_overlay(image, plan_geometry(300, 400, {.height = 8, .width = 8}));
  for (int i = 0; i < 5; ++i)
    overlay.words.push_back({.text = "word",
                             .map = {.weights = one_hot(9, i), .layout = {{3, 3}}, .gate = 0.5},
                             .log_probability = -1});
  const Image three = draw_sheet({&overlay, 1}, {.columns = 3, .panel_width = 200});
  CHECK(three.width > 600);
  CHECK(three.width < 700);
  CHECK(three.height > 2 * 150);
  const Image six = draw_sheet({&overlay, 1}, {.columns = 6, .panel_width = 200});
  CHECK(six.width > 1200);
  CHECK(six.height < three.height);
  CHECK(coloured(six) > 200 * 150);  // at least the plain image

  Overlay big = overlay;
  big.image = std::make_shared<Image>(test_picture(3000, 4000));
  big.geometry = plan_geometry(3000, 4000, {.height = 8, .width = 8});
  big.words.resize(40, overlay.words[0]);
  const Image page = draw_sheet({&big, 1}, {.panel_width = 4000});
  CHECK(page.height * page.width <= kMaxSheetPixels);
  CHECK(page.height * page.width > kMaxSheetPixels / 2);
  const std::vector<Overlay> models(6, big);
  const Image comparison = draw_sheet(models, {.panel_width = 2000});
  CHECK(comparison.height * comparison.width <= kMaxSheetPixels);
  overlay.words.resize(20000, overlay.words[0]);
  CHECK_THROWS_AS(draw_sheet({&overlay, 1}, {}), DataError);
}

TEST_CASE("a sheet for a paper has its width, and letters that can be read in it") {
  const Image image = test_picture(300, 400);
  Overlay overlay = make_overlay(image, plan_geometry(300, 400, {.height = 8, .width = 8}));
  overlay.title = "a model: a picture";
  for (int i = 0; i < 9; ++i)
    overlay.words.push_back({.text = "word",
                             .map = {.weights = one_hot(9, i), .layout = {{3, 3}}},
                             .log_probability = -1});
  const auto svg = [&](const OverlayOptions& options) {
    return sheet_file({&overlay, 1}, options, PictureFormat::kSvg);
  };
  // The numbers that follow a text in an SVG.
  const auto numbers = [](const std::string& file, const std::string& before) {
    std::set<double> out;
    for (auto at = file.find(before); at != std::string::npos; at = file.find(before, at + 1))
      out.insert(std::stod(file.substr(at + before.size(), 20)));
    return out;
  };
  for (const double width : {4.0, 8.4, 17.8})
    for (const Index columns : {0, 2, 4, 10}) {
      INFO(width << " cm, " << columns << " columns");
      const OverlayOptions options{.columns = columns, .paper_width = width};
      if (width / static_cast<double>(std::max<Index>(1, columns)) < 1.3) {
        CHECK_THROWS_AS(svg(options), UsageError);
        continue;
      }
      const std::string file = svg(options);
      const double wide = *numbers(file, " version=\"1.1\" width=\"").begin();
      const double pixels = *numbers(file, "viewBox=\"0 0 ").begin();
      CHECK(std::abs(wide - width) < 0.01);
      CHECK(draw_sheet({&overlay, 1}, options).width == static_cast<Index>(pixels));
      for (const double size : numbers(file, "font-size=\"")) {
        const double points = size * wide / pixels / 2.54 * 72;
        CHECK(points >= 3.4);
        CHECK(points <= 10.1);
      }
      for (const double x : numbers(file, "<text x=\"")) CHECK(x < pixels);
      if (columns > 0)
        CHECK(numbers(file, "<text x=\"").size() >= static_cast<std::size_t>(columns));
    }
  CHECK(svg({.paper_width = 8.4}).find(">a model: a picture</text>") != std::string::npos);
  CHECK(svg({.paper_width = 8.4, .title = false}).find(">a model: a picture</text>") ==
        std::string::npos);
  for (const double wrong : {-1.0, 0.1, 1e9, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(svg({.paper_width = wrong}), UsageError);
}

TEST_CASE("a comparison has one scale for all models") {
  const Image image(60, 60, 120);
  Overlay weak = make_overlay(image, plan_geometry(60, 60, {.height = 8, .width = 8}));
  weak.words = {word_on(2, 2, "a", one_hot(4, 0, 0.2f))};
  Overlay strong = weak;
  strong.words[0].map.weights = one_hot(4, 0, 1.f);
  const OverlayOptions options{.colours = ColourMap::kViridis, .columns = 2, .panel_width = 60};
  // The hottest colour of viridis is yellow; on a shared scale, a weight of 0.2 is far from it.
  const auto yellow = [](const Image& page, Index from, Index to) {
    Index count = 0;
    for (Index y = from; y < to; ++y)
      for (Index x = 0; x < page.width; ++x) {
        const std::uint8_t* pixel = page.pixel(y, x);
        count += pixel[0] > 150 && pixel[1] > 150 && pixel[2] < 110;
      }
    return count;
  };
  const Image alone = draw_sheet({&weak, 1}, options);
  const Image both = draw_sheet(std::vector<Overlay>{weak, strong}, options);
  const Index half = both.height / 2 - 20;
  CHECK(yellow(alone, 0, half) > 20);
  CHECK(yellow(both, 0, half) == 0);
  CHECK(yellow(both, half, both.height) > 20);
}

TEST_CASE(
    "text of any language is drawn if a font has it, else it is refused, and it is always "
    "printable") {
  CHECK(printable("a\tb\x1B[31m\x7F") == "a b [31m ");
  CHECK(printable("caf\xC3\xA9 \xD0\xBA\xD0\xBE\xD1\x82") ==
        "caf\xC3\xA9 \xD0\xBA\xD0\xBE\xD1\x82");
  CHECK(printable("\xFF\xC3") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(printable("\xED\xA0\x80").find("\xED") == std::string::npos);  // half of a surrogate pair
  const TextPainter text({});
  Image page(60, 400, 255);
  if (!text.has_font()) {
    CHECK_THROWS_AS(text.draw(page, "\xC3\xA9", {.x = 5, .y = 40, .size = 20}), DataError);
    return;
  }
  // Every letter is drawn as itself, not as a question mark or a box.
  std::map<std::string, std::vector<std::uint8_t>> drawn;
  for (const char* letter : {"\xC3\xA9", "\xD0\xBA", "\xCE\xB2", "?", "\xEF\xBF\xBD"}) {
    page = Image(60, 400, 255);
    text.draw(page, letter, {.x = 5, .y = 40, .size = 30});
    drawn[letter] = page.rgb;
    CHECK(page.rgb != Image(60, 400, 255).rgb);
  }
  int alike = 0;
  for (const auto& [letter, pixels] : drawn)
    for (const auto& [other, others] : drawn) alike += letter != other && pixels == others;
  CHECK(alike == 0);

  const std::string long_word(200, 'w');
  CHECK(text.width(text.fitted(long_word, 16, 100), 16) <= 100);
  CHECK(text.fitted("word", 16, 100) == "word");
  const auto lines =
      text.wrapped("one two three four five six", {.size = 16, .max_width = 80, .max_lines = 3});
  CHECK(lines.size() == 3);
  for (const std::string& line : lines) CHECK(text.width(line, 16) <= 80);
  // No word is cut off where there are lines for all.
  const std::string caption = "a brown dog with a red collar is running in the air";
  for (Index size = 11; size < 44; size += 3)
    for (Index width = 10 * size; width < 30 * size; width += 5) {
      std::string all;
      for (const std::string& line :
           text.wrapped(caption, {.size = size, .max_width = width, .max_lines = 99}))
        all += (all.empty() ? "" : " ") + line;
      CHECK(all == caption);
    }
  CHECK(text.wrapped("", {.size = 16, .max_width = 80, .max_lines = 3}).empty());
}

}  // namespace
}  // namespace saccade::overlay_test
