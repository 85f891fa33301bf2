#include "captioning/scoring/judgements.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "captioning/data/csv.h"
#include "captioning/scoring/match.h"
#include "captioning/statistics/kendall.h"
#include "core/base/error.h"

namespace saccade {

namespace {

template <class Number>
std::optional<Number> whole_text(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t column(const CsvRow& header, const char* name, const std::string& file) {
  const auto found = std::find(header.fields.begin(), header.fields.end(), name);
  if (found == header.fields.end()) {
    throw DataError(str(file, ":", header.line, ": column '", name,
                        "' is missing; the header must have image, caption and score"));
  }
  return static_cast<std::size_t>(found - header.fields.begin());
}

}  // namespace

std::vector<JudgedCaption> read_judgements(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::vector<CsvRow> rows = read_csv(path, "judgements");
  if (rows.size() < 2) throw DataError(file + ": needs a header and judgements below it");
  const std::size_t image = column(rows[0], "image", file);
  const std::size_t caption = column(rows[0], "caption", file);
  const std::size_t score = column(rows[0], "score", file);
  std::vector<JudgedCaption> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const std::vector<std::string>& fields = rows[r].fields;
    const std::string place = str(file, ":", rows[r].line);
    if (fields.size() != rows[0].fields.size()) {
      throw DataError(
          str(place, ": has ", fields.size(), " fields, the header ", rows[0].fields.size()));
    }
    const auto value = whole_text<double>(fields[score]);
    if (!value || !std::isfinite(*value)) {
      throw DataError(str(place, ": score must be a number; got '", fields[score], "'"));
    }
    const auto number = whole_text<std::int64_t>(fields[image]);
    out.push_back({.result = {.name = number ? "" : fields[image],
                              .number = number,
                              .caption = fields[caption],
                              .place = place},
                   .score = *value});
  }
  return out;
}

std::vector<MetricAgreement> score_judgements(const ReferenceFile& references,
                                              const std::vector<JudgedCaption>& judgements,
                                              const ScoringOptions& options) {
  const ImageIndex index(references);
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> captions;
  std::vector<double> judged;
  for (const JudgedCaption& one : judgements) {
    const auto image = index.find(one.result);
    if (!image) {
      throw DataError(str(
          one.result.place, ": ", references.path, " has no image ",
          one.result.number ? std::to_string(*one.result.number) : "'" + one.result.name + "'"));
    }
    candidates.push_back(one.result.caption);
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
