#include "captioning/scoring/judgements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "captioning/data/caption_columns.h"
#include "captioning/data/csv.h"
#include "captioning/scoring/match.h"
#include "captioning/statistics/holm.h"
#include "captioning/statistics/kendall.h"
#include "captioning/statistics/pearson.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr double kNoAgreement = std::numeric_limits<double>::quiet_NaN();

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

struct TauReplicates {
  std::vector<double> b, c;
};

// The taus of each metric [metrics, replicates] over images that are drawn with replacement, each
// with all of its judgements. NaN for a single image, and where a sample is tied.
std::vector<TauReplicates> resample_taus(const std::vector<std::vector<double>>& automatic,
                                         const std::vector<double>& judged,
                                         const std::vector<std::vector<std::size_t>>& images,
                                         const Resampling& resampling) {
  const auto replicates = static_cast<std::size_t>(resampling.replicates);
  std::vector<TauReplicates> out(automatic.size(), {std::vector<double>(replicates, kNoAgreement),
                                                    std::vector<double>(replicates, kNoAgreement)});
  if (images.size() < 2) return out;
  constexpr Index kTogether = 8;
  parallel::for_blocks(resampling.replicates, kTogether, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      Random random(
          {resampling.seed, Stream::kBootstrap, static_cast<std::uint64_t>(r), images.size()});
      std::vector<std::size_t> drawn;
      for (std::size_t i = 0; i < images.size(); ++i) {
        const auto& own = images[random.below(images.size())];
        drawn.insert(drawn.end(), own.begin(), own.end());
      }
      std::vector<double> x(drawn.size()), y(drawn.size());
      for (std::size_t i = 0; i < drawn.size(); ++i) y[i] = judged[drawn[i]];
      for (std::size_t m = 0; m < automatic.size(); ++m) {
        for (std::size_t i = 0; i < drawn.size(); ++i) x[i] = automatic[m][drawn[i]];
        const KendallCounts counts = count_kendall(x, y);
        out[m].b[static_cast<std::size_t>(r)] = tau_b(counts).value_or(kNoAgreement);
        out[m].c[static_cast<std::size_t>(r)] = tau_c(counts).value_or(kNoAgreement);
      }
    }
  });
  return out;
}

// Tests the correlation of every metric against the largest one.
void compare_with_best(const std::vector<std::vector<double>>& automatic, Agreement& agreement) {
  std::optional<std::size_t> best;
  for (std::size_t m = 0; m < automatic.size(); ++m) {
    const double r = agreement.metrics[m].correlation;
    if (!std::isnan(r) && (!best || r > agreement.metrics[*best].correlation)) best = m;
  }
  if (!best) return;
  agreement.best = agreement.metrics[*best].metric;
  if (agreement.images < static_cast<std::size_t>(kFewestImages)) return;
  std::vector<double> p_values;
  for (std::size_t m = 0; m < automatic.size(); ++m)
    p_values.push_back(m == *best ? kNoAgreement
                                  : williams_p_value(agreement.metrics[*best].correlation,
                                                     agreement.metrics[m].correlation,
                                                     pearson(automatic[*best], automatic[m]),
                                                     static_cast<double>(agreement.images)));
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t m = 0; m < automatic.size(); ++m) agreement.metrics[m].p_williams = corrected[m];
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

Agreement score_judgements(const CaptionFile& references,
                           const std::vector<JudgedCaption>& judgements,
                           const ScoringOptions& options, const Resampling& resampling) {
  const ImageIndex index(references);
  std::vector<std::string> candidates;
  std::vector<std::vector<std::string>> captions;
  std::vector<double> judged;
  std::map<std::size_t, std::vector<std::size_t>> of_image;  // the judgements of each image
  for (const JudgedCaption& one : judgements) {
    const auto image = index.find(one.image);
    if (!image || references.images[*image].captions.empty()) {
      throw DataError(str(one.place, ": ", references.path,
                          image ? " has no reference of image " : " has no image ",
                          one.image.number ? one.image.shown() : "'" + one.image.name + "'"));
    }
    of_image[*image].push_back(judged.size());
    candidates.push_back(one.caption);
    captions.push_back(references.images[*image].captions);
    judged.push_back(one.score);
  }
  const CaptionScores scores = score_captions(candidates, captions, options);
  std::vector<std::vector<double>> automatic(scores.metrics.size());
  for (std::size_t m = 0; m < automatic.size(); ++m)
    for (std::size_t i = 0; i < judged.size(); ++i) automatic[m].push_back(scores.of_image(m, i));
  std::vector<std::vector<std::size_t>> images;
  for (const auto& [image, own] : of_image) images.push_back(own);

  Agreement out{.judgements = judged.size(),
                .images = images.size(),
                .resampling = resampling,
                .best = {},
                .metrics = {}};
  const std::vector<TauReplicates> taus = resample_taus(automatic, judged, images, resampling);
  for (std::size_t m = 0; m < automatic.size(); ++m) {
    const KendallCounts counts = count_kendall(automatic[m], judged);
    out.metrics.push_back({.metric = scores.metrics[m].metric,
                           .tau_b = tau_b(counts),
                           .tau_c = tau_c(counts),
                           .tau_b_interval = percentile_interval(taus[m].b, resampling.level),
                           .tau_c_interval = percentile_interval(taus[m].c, resampling.level),
                           .correlation = pearson(automatic[m], judged),
                           .p_williams = kNoAgreement});
  }
  compare_with_best(automatic, out);
  return out;
}

}  // namespace saccade
