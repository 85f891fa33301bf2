#include "experiments/options/drawing_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "captioning/scoring/words/tokenizer.h"
#include "core/base/choice.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/read_number.h"

namespace saccade {

namespace {

constexpr Index kPanelSide = 1024;

template <NamedEnum E>
E chosen(const std::string& name, const std::string& option, E otherwise) {
  return name.empty() ? otherwise : choice<E>(name, option);
}

template <NamedEnum E>
std::string names() {
  return join(enum_all_names<E>(), ", ");
}

// "8.4cm", "84mm", "3.3in" or "240pt" in centimetres.
double parse_width(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72}}};
  for (const auto& [unit, centimetres] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const ReadNumber read = read_number(text.substr(0, text.size() - unit.size()));
    if (!read.wrong.empty()) break;
    const double width = read.value * centimetres;
    if (width >= kNarrowestPaper && width <= kWidestPaper) return width;
    throw UsageError(str("--width must be between ", kNarrowestPaper, "cm and ", kWidestPaper,
                         "cm; got ", text));
  }
  throw UsageError(str(
      "--width needs a length on paper, such as 8.4cm, 84mm, 3.3in or 240pt; got '", text, "'"));
}

// Words as captions have them: "Dog, frisbee" are dog and frisbee.
std::vector<std::string> parse_words(const std::string& text) {
  const std::vector<std::string> out = tokenize(text);
  if (out.empty())
    throw UsageError(
        str("--words needs words of captions with commas between them, such as dog,frisbee; got '",
            text, "'"));
  return out;
}

void refuse(bool given, const char* option, const std::string& reason) {
  if (given) throw UsageError(str(option, " has no effect: ", reason));
}

void check_effect(const DrawingArgs& args, const Drawing& drawing, Matrices matrices) {
  const OverlayStyle style = drawing.options.style;
  refuse(matrices == Matrices::kNo && !args.colours.empty() && !has_colours(style), "--colours",
         str("--style ", enum_name(style), " shows no colours"));
  refuse(args.full_heat && drawing.options.scale != HeatScale::kFixed, "--full-heat",
         "it is the weight that full heat stands for with --scale fixed");
  refuse(!args.font.empty() && drawing.format == PictureFormat::kSvg && matrices == Matrices::kNo,
         "--font", "the text of an SVG is drawn with the fonts of the viewer's system");
}

}  // namespace

void add_drawing_options(Options& options, DrawingArgs& args) {
  options.text("--format", args.format,
               "file format of sheets and panels: png; or svg or pdf, in which text stays "
               "text (default: png)",
               "FORMAT");
  options.text("--style", args.style,
               "how a map is drawn on the photo: " + names<OverlayStyle>() + " (default: heat)",
               "STYLE");
  options.text("--measure", args.measure,
               "what is drawn of a map: weight; relative, which divides each weight by that of a "
               "uniform map (the colour bar marks 1); or gated, which multiplies it with the gate "
               "(default: weight)",
               "MEASURE");
  options.text("--scale", args.scale,
               "which weight is drawn in full heat: shared (the largest of all words), per_word "
               "(the largest of each word) or fixed (the one of --full-heat) (default: shared)",
               "SCALE");
  options.number("--full-heat", args.full_heat,
                 "with --scale fixed: the weight that is drawn in full heat", "WEIGHT");
  options.text("--colours", args.colours,
               "colour map: " + names<ColourMap>() + " (default: inferno)", "MAP");
  options.text("--font", args.font,
               "font file (.ttf) for captions with letters that DejaVu Sans does not have", "FILE");
  options.count("--panels", args.panels,
                "longest side of the panels of single words, in pixels: those of larger photos are "
                "made smaller; 0 writes no panels (default: 1024)",
                0);
  options.text("--width", args.width,
               "width of sheets on paper, such as 8.4cm or 3.3in: letters get the size of a "
               "paper's; PNG has 300 pixels per inch (default: as wide as the panels need)",
               "LENGTH");
  options.count("--columns", args.columns,
                "panels in a row of a sheet (default: as many as make a wide sheet, or as fit the "
                "--width)",
                1);
  options.text("--words", args.words,
               "only the maps of these words are drawn, below the whole caption", "WORD,...");
  options.flag("--no-title", args.no_title,
               "leave out the line with the model and the picture above the caption");
}

Drawing drawing_of(const DrawingArgs& args, Matrices matrices) {
  Drawing out{.format = chosen(args.format, "--format", PictureFormat::kPng)};
  OverlayOptions& options = out.options;
  options.style = chosen(args.style, "--style", options.style);
  out.measure = chosen(args.measure, "--measure", out.measure);
  options.scale = chosen(args.scale, "--scale", options.scale);
  options.colours = chosen(args.colours, "--colours", options.colours);
  options.font = args.font;
  if (args.full_heat && !(*args.full_heat > 0))
    throw UsageError(str("--full-heat must be above 0; got ", *args.full_heat));
  out.panels = args.panels != Index{0};
  options.longest_side = args.panels.value_or(kPanelSide);
  if (!args.width.empty()) options.paper_width = parse_width(args.width);
  options.columns = args.columns.value_or(options.columns);
  options.title = !args.no_title;
  if (!args.words.empty()) out.words = parse_words(args.words);
  check_effect(args, out, matrices);
  options.fixed_max = args.full_heat.value_or(options.fixed_max);
  return out;
}

}  // namespace saccade
