#include "captioning/scoring/judgements.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "captioning/data/caption_columns.h"
#include "captioning/data/csv.h"
#include "captioning/scoring/match.h"
#include "captioning/statistics/kendall.h"
#include "core/base/error.h"

namespace saccade {

namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_header(const CsvRow& header, const char* name, const std::string& file) {
  throw DataError(str(file, ":", header.line, ": column '", name,
                      "' is missing; the header must have image, caption and score"));
}

}  // namespace

std::vector<JudgedCaption> read_judgements(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::vector<CsvRow> rows = read_csv(path, "judgements");
  if (rows.size() < 2) throw DataError(file + ": needs a header and judgements below it");
  const std::vector<std::string>& names = rows[0].fields;
  const CaptionColumns columns = caption_columns(names, str(file, ":", rows[0].line));
  if (!columns.name()) refuse_header(rows[0], "image", file);
  if (columns.captions.size() != 1) refuse_header(rows[0], "caption", file);
  const auto scores = std::find(names.begin(), names.end(), "score");
  if (scores == names.end()) refuse_header(rows[0], "score", file);
  const auto score = static_cast<std::size_t>(scores - names.begin());
  std::vector<JudgedCaption> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const std::vector<std::string>& fields = rows[r].fields;
    const std::string place = str(file, ":", rows[r].line);
    if (fields.size() != rows[0].fields.size()) {
      throw DataError(
          str(place, ": has ", fields.size(), " fields, the header ", rows[0].fields.size()));
    }
    const auto value = number_of(fields[score]);
    if (!value || !std::isfinite(*value)) {
      throw DataError(str(place, ": score must be a number; got '", fields[score], "'"));
    }
    out.push_back({.image = image_id(fields[*columns.name()]),
                   .caption = fields[columns.captions[0]],
                   .place = place,
                   .score = *value});
  }
  return out;
}

std::vector<MetricAgreement> score_judgements(const CaptionFile& references,
                                              const std::vector<JudgedCaption>& judgements,
                                              const ScoringOptions& options) {
  const ImageIndex index(references);
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> captions;
  std::vector<double> judged;
  for (const JudgedCaption& one : judgements) {
    const auto image = index.find(one.image);
    if (!image || references.images[*image].captions.empty()) {
      throw DataError(str(one.place, ": ", references.path,
                          image ? " has no reference of image " : " has no image ",
                          one.image.number ? one.image.shown() : "'" + one.image.name + "'"));
    }
    candidates.push_back(one.caption);
    captions.push_back(references.images[*image].captions);
    judged.push_back(one.score);
  }
  const CaptionScores scores = score_captions(candidates, captions, options);
  std::vector<MetricAgreement> out;
  for (std::size_t m = 0; m < scores.metrics.size(); ++m) {
    std::vector<double> automatic;
    for (std::size_t i = 0; i < judged.size(); ++i) automatic.push_back(scores.of_image(m, i));
    const KendallCounts counts = count_kendall(automatic, judged);
    out.push_back({scores.metrics[m].metric, tau_b(counts), tau_c(counts)});
  }
  return out;
}

}  // namespace saccade
