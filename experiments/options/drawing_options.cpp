#include "experiments/options/drawing_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "captioning/text/tokenizer.h"
#include "core/base/error.h"
#include "experiments/options/choice.h"
#include "experiments/options/number.h"

namespace saccade {

namespace {

constexpr Index kPanelSide = 1024;

template <NamedEnum E>
E chosen(const std::string& name, const std::string& option, E otherwise) {
  return name.empty() ? otherwise : choice<E>(name, option);
}

template <NamedEnum E>
std::string names() {
  std::string out;
  for (const std::string& name : enum_all_names<E>()) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The numbers of "0.5,0.8".
std::vector<double> parse_shares(const std::string& text) {
  std::vector<double> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const ReadNumber read = read_number(text.substr(at, comma - at));
    if (!read.wrong.empty())
      throw UsageError(str(
          "--shares needs numbers with commas between them, such as 0.5,0.8; got '", text, "'"));
    // Checked here, before any file is written, and not only when the picture is drawn.
    if (!(read.value > (out.empty() ? 0 : out.back()) && read.value < 1))
      throw UsageError(
          str("--shares must rise and lie between 0 and 1, such as 0.5,0.8; got '", text, "'"));
    out.push_back(read.value);
    at = comma + 1;
  }
  return out;
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
  const std::string name = str("--style ", enum_name(style));
  if (matrices == Matrices::kNo) {
    refuse(!args.colours.empty() && !has_colours(style), "--colours", name + " shows no colours");
    refuse(!args.scale.empty() && !has_scale(style), "--scale",
           name + " draws shares of each word's own weight and has no common scale");
  }
  refuse(!args.measure.empty() && !has_scale(style), "--measure",
         name + " draws shares of each word's own weight");
  const bool encloses = style == OverlayStyle::kMask || style == OverlayStyle::kContour;
  refuse(!args.shares.empty() && !encloses, "--shares",
         name + " draws all of the weight; use --style contour or mask");
  if (style == OverlayStyle::kMask && drawing.options.shares.size() > 1)
    throw UsageError("--shares: --style mask shows one part of the photo; give one number");
  refuse(args.full_heat && drawing.options.scale != HeatScale::kFixed, "--full-heat",
         "it is the weight that full heat stands for with --scale fixed");
  refuse(args.seconds_per_word && drawing.format != PictureFormat::kApng, "--seconds-per-word",
         "only --format apng is an animation");
  refuse(args.panels.has_value() && drawing.format == PictureFormat::kApng, "--panels",
         "beside an animation there are no panels");
  const char* animation = "an animation shows one word after the other on the screen";
  refuse(!args.width.empty() && drawing.format == PictureFormat::kApng, "--width", animation);
  refuse(args.columns && drawing.format == PictureFormat::kApng, "--columns", animation);
  refuse(!args.words.empty() && drawing.format == PictureFormat::kApng, "--words", animation);
  refuse(!args.font.empty() && drawing.format == PictureFormat::kSvg && matrices == Matrices::kNo,
         "--font", "the text of an SVG is drawn with the fonts of the viewer's system");
}

}  // namespace

void add_drawing_options(Options& options, DrawingArgs& args) {
  options.text("--format", args.format,
               "file format of sheets and panels: png; svg or pdf, in which text stays text; or "
               "apng, an animation that shows one word after the other (default: png)",
               "FORMAT");
  options.text("--style", args.style,
               "how a map is drawn on the photo: " + names<OverlayStyle>() + " (default: heat)",
               "STYLE");
  options.text("--shares", args.shares,
               "with --style contour or mask: the shares of a word's weight that are enclosed "
               "(default: 0.5,0.8; for mask 0.5)",
               "SHARE,...");
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
  options.number("--seconds-per-word", args.seconds_per_word,
                 "with --format apng: how long each word is shown (default: 0.8; the last word is "
                 "shown three times as long)",
                 "SECONDS");
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
  if (options.style == OverlayStyle::kMask) options.shares = {0.5};
  if (!args.shares.empty()) options.shares = parse_shares(args.shares);
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
  options.seconds_per_word = args.seconds_per_word.value_or(options.seconds_per_word);
  return out;
}

}  // namespace saccade
