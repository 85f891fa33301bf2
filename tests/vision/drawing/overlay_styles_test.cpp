// Styles and formats: every way of drawing a map puts it in the same place, and words stay text.
#include <cstdlib>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/drawing/xml_reader.h"
#include "tests/vision/pictures.h"
#include "vision/drawing/heat_field.h"
#include "vision/drawing/overlay.h"

namespace saccade {
namespace {

using test::TempFolder;

std::vector<OverlayStyle> all_styles() {
  std::vector<OverlayStyle> out;
  for (const auto& row : enum_table(OverlayStyle{})) out.push_back(row.value);
  return out;
}

// A photo that a network saw cropped or not, mirrored or not. One word attends to the cell in its
// upper left corner, one to no cell, and one to all cells.
Overlay upper_left(ResizeMode mode, bool mirrored, Index rows = 6, Index cols = 6) {
  const Image image = test_picture(180, 240);
  Overlay overlay{.image = std::make_shared<Image>(image),
                  .geometry = plan_geometry(180, 240, {.height = 48, .width = 48, .mode = mode}),
                  .words = {}};
  overlay.geometry.mirrored = mirrored;
  std::vector<float> weights(static_cast<std::size_t>(rows * cols));
  const auto add = [&](const char* text, const std::vector<float>& map) {
    overlay.words.push_back({.text = text, .map = {.weights = map, .layout = {{rows, cols}}}});
  };
  add("none", weights);
  weights[static_cast<std::size_t>(mirrored ? cols - 1 : 0)] = 1;
  add("caf\xC3\xA9", weights);
  add("\xD0\xBA\xD0\xBE\xD1\x82", std::vector<float>(weights.size(), 0.01f));
  overlay.title = "a <model> & \xCE\xB2";
  return overlay;
}

int light(const std::uint8_t* pixel) { return pixel[0] + pixel[1] + pixel[2]; }

TEST_CASE(
    "in every style a map of the upper left cell is drawn there, and the photo keeps its size") {
  for (const ResizeMode mode : {ResizeMode::kSquash, ResizeMode::kCrop})
    for (const bool mirrored : {false, true})
      for (const OverlayStyle style : all_styles()) {
        CAPTURE(enum_name(mode), mirrored, enum_name(style));
        const Overlay overlay = upper_left(mode, mirrored);
        const Image& photo = *overlay.image;
        const OverlayOptions options{.style = style};
        const Image cold = draw_panel(overlay, 0, options), lit = draw_panel(overlay, 1, options);
        REQUIRE(lit.height == photo.height);
        REQUIRE(lit.width == photo.width);
        const Rect cell = cell_box(overlay.geometry, {6, 6}, mirrored ? 5 : 0);
        double changed = 0, inside = 0;
        for (Index y = 0; y < photo.height; ++y)
          for (Index x = 0; x < photo.width; ++x) {
            if (std::memcmp(lit.pixel(y, x), cold.pixel(y, x), 3) == 0) continue;
            ++changed;
            // With interpolation, a cell is visible up to two cells away from its own.
            inside += static_cast<double>(x) < cell.right() + 2 * cell.width &&
                      static_cast<double>(y) < cell.bottom() + 2 * cell.height &&
                      static_cast<double>(x) >= cell.x - 5;  // the width of a line
          }
        CHECK(changed > 50);
        CHECK(inside == changed);
        const auto x = static_cast<Index>(cell.x + cell.width / 2);
        const auto y = static_cast<Index>(cell.y + cell.height / 2);
        // Blending shows colours that are lighter than the photo.
        CHECK(light(lit.pixel(y, x)) > light(lit.pixel(photo.height - 20, 120)));
        // (The centre of a pixel is not exactly the centre of a cell.)
        if (style == OverlayStyle::kAlpha)
          CHECK(std::abs(light(lit.pixel(y, x)) - light(photo.pixel(y, x))) <= 6);
        if (style == OverlayStyle::kAlpha) CHECK(light(lit.pixel(photo.height - 1, 120)) == 0);
        if (style == OverlayStyle::kBlend)
          CHECK(std::memcmp(lit.pixel(150, 120), photo.pixel(150, 120), 3) == 0);
      }
}

// CIE 1976 lightness of an sRGB colour, 0 to 100.
double lightness(const Colour& colour) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(colour[0] / 255.0) + 0.7152 * linear(colour[1] / 255.0) +
                   0.0722 * linear(colour[2] / 255.0);
  return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

TEST_CASE("every colour map becomes lighter from its cold end to its hot one") {
  for (const auto& row : enum_table(ColourMap{})) {
    CAPTURE(row.name);
    const auto table = colour_table(row.value);
    for (std::size_t i = 1; i < table.size(); ++i)
      CHECK(lightness(table[i]) > lightness(table[i - 1]) - 0.3);  // 0.3: steps of 8 bits
    for (std::size_t i = 16; i < table.size(); ++i)
      CHECK(lightness(table[i]) > lightness(table[i - 16]) + 1);
  }
}

TEST_CASE("an SVG sheet is XML, its words are text, its photo is in it once") {
  const Overlay overlay = upper_left(ResizeMode::kCrop, true);
  for (const OverlayStyle style : all_styles()) {
    CAPTURE(enum_name(style));
    const std::string text = sheet_file({&overlay, 1}, {.style = style}, PictureFormat::kSvg);
    const XmlReader svg(text);
    for (const std::string& label : {overlay.title, overlay.words[1].text, overlay.words[2].text,
                                     std::string("none caf\xC3\xA9 \xD0\xBA\xD0\xBE\xD1\x82")})
      CHECK(has_text(svg, label));
    const auto count = [&](const char* name) {
      return std::count_if(svg.elements().begin(), svg.elements().end(),
                           [&](const Element& element) { return element.name == name; });
    };
    // The photo is stored twice where a paler copy lies below colours, and one map per word where
    // the map is pixels.
    const bool pale = style == OverlayStyle::kHeat || style == OverlayStyle::kCells;
    const bool pixels = style != OverlayStyle::kCells;
    CHECK(count("image") == (pale ? 2 : 1) + (pixels ? 3 : 0));
    CHECK(count("use") == (pale ? 2 : 3));
    if (style != OverlayStyle::kCells) continue;
    // For the second word, the cell at the upper left of what the network saw is the only hot one.
    const auto hot = std::find_if(svg.elements().begin(), svg.elements().end(), [](const auto& e) {
      return e.name == "title" && e.text == "row 0, column 5: 1";
    });
    REQUIRE(hot != svg.elements().end());
    const auto use = std::find_if(svg.elements().begin(), svg.elements().end(),
                                  [](const auto& e) { return e.name == "use"; });
    const Element& box = *(hot - 1);
    const Colour colour = colour_table(ColourMap::kInferno)[255];
    CHECK(box["fill"] == str("#", std::hex, int{colour[0]}, int{colour[1]}, int{colour[2]}));
    CHECK(use != svg.elements().end());
  }
}

// Returns whether the tools of poppler-utils are installed.
bool has_poppler() { return std::system("pdftotext -v >/dev/null 2>&1") == 0; }

TEST_CASE("a PDF sheet shows the picture of the PNG, and its words can be extracted as text") {
  if (!has_poppler()) {
    WARN("skipped: pdftotext is not installed (poppler-utils)");
    return;
  }
  const TempFolder folder("pdf");
  Overlay overlay = upper_left(ResizeMode::kCrop, false);
  overlay.words[1].map.chosen = 0;
  overlay.field = ReceptiveField{{-2, 8, 12}, {-2, 8, 12}};
  for (const OverlayStyle style : all_styles()) {
    CAPTURE(enum_name(style));
    const OverlayOptions options{.style = style};
    const auto file =
        folder.write("sheet.pdf", sheet_file({&overlay, 1}, options, PictureFormat::kPdf));
    const std::string base = (folder / "page").string();
    REQUIRE(std::system(("pdftoppm -r 96 -png -singlefile '" + file.string() + "' '" + base +
                         "' && pdftotext '" + file.string() + "' '" + base + ".txt'")
                            .c_str()) == 0);
    const Image pdf = read_image(base + ".png");
    const Image png = draw_sheet({&overlay, 1}, options);
    CHECK(difference(pdf, png) < 3);
    const std::string text = TempFolder::read(base + ".txt");
    for (const std::string& words :
         {overlay.title, std::string("none caf\xC3\xA9 \xD0\xBA\xD0\xBE\xD1\x82")})
      CHECK(text.find(words) != std::string::npos);
  }
  // Accents composed of two characters, and letters that are joined from right to left.
  overlay.words.clear();
  overlay.title = "e\xCC\x81t\xC3\xA9";
  overlay.caption = "\xD9\x85\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7";
  const auto file = folder.write("sheet.pdf", sheet_file({&overlay, 1}, {}, PictureFormat::kPdf));
  REQUIRE(std::system(("pdftotext '" + file.string() + "'").c_str()) == 0);
  const std::string text = TempFolder::read(folder / "sheet.txt");
  CAPTURE(text);
  CHECK(text.find(overlay.title) != std::string::npos);
  CHECK(text.find(overlay.caption) != std::string::npos);
}

TEST_CASE("the picture of an empty caption names it as empty") {
  Overlay overlay = upper_left(ResizeMode::kSquash, false);
  overlay.words.clear();
  const std::string text = sheet_file({&overlay, 1}, {}, PictureFormat::kSvg);
  CHECK(has_text(XmlReader(text), "(empty caption)"));
}

TEST_CASE("in the strips of several models, words of the same place are below each other") {
  Overlay first = upper_left(ResizeMode::kSquash, false), second = first;
  second.words.resize(2);
  second.words[1].text = "other";
  const std::string text = sheet_file(std::vector<Overlay>{first, second}, {}, PictureFormat::kSvg);
  const XmlReader svg(text);
  const auto place = [&](const std::string& word) {
    const auto found =
        std::find_if(svg.elements().begin(), svg.elements().end(),
                     [&](const Element& e) { return e.name == "text" && e.text == word; });
    REQUIRE(found != svg.elements().end());
    return std::pair(std::stoi((*found)["x"]), std::stoi((*found)["y"]));
  };
  CHECK(place("other").first == place("caf\xC3\xA9").first);
  CHECK(place("other").second > place("\xD0\xBA\xD0\xBE\xD1\x82").second);
  CHECK(place("caf\xC3\xA9").second == place("\xD0\xBA\xD0\xBE\xD1\x82").second);
}

}  // namespace
}  // namespace saccade
