#include "captioning/scoring/scores/judgements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/caption_forms.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/files/csv.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/statistics/holm.h"
#include "captioning/scoring/statistics/kendall.h"
#include "captioning/scoring/statistics/pearson.h"
#include "core/base/error.h"
#include "core/base/listing.h"
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

// The column of people's scores.
std::size_t score_column(const CsvRow& header, const std::string& file) {
  constexpr std::array<std::string_view, 6> kNames = {"score",    "rating",     "judgement",
                                                      "judgment", "humanscore", "humanjudgement"};
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    std::string name;
    for (const char c : header.fields[i])
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name == kNames[0]) return i;
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) found.push_back(i);
  }
  if (found.empty()) refuse_header(header, "score", file);
  if (found.size() > 1)
    throw DataError(str(file, ":", header.line, ": '", header.fields[found[0]], "' and '",
                        header.fields[found[1]],
                        "' could both hold the score; call one of them score"));
  return found.front();
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

Judgements read_judgements(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = read_captions_text(path, "judgements");
  if (captions_form(text) == CaptionsForm::kJson)
    throw DataError(file +
                    ": is JSON; write the judgements as a table whose first line is "
                    "image,caption,score");
  const char separator = header_separator(text).value_or(',');
  const std::vector<CsvRow> rows = parse_csv(text, path, separator).rows;
  if (rows.size() < 2) throw DataError(file + ": needs a header and judgements below it");
  const std::vector<std::string>& names = rows[0].fields;
  const CaptionColumns columns = caption_columns(names, str(file, ":", rows[0].line));
  if (!columns.name()) refuse_header(rows[0], "image", file);
  if (columns.captions.size() != 1) refuse_header(rows[0], "caption", file);
  const std::size_t score = score_column(rows[0], file);
  Judgements out{.form = "", .captions = {}};
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const std::vector<std::string>& fields = rows[r].fields;
    const std::string place = str(file, ":", rows[r].line);
    if (fields.size() != columns.count)
      throw DataError(str(place, ": ", fields.size(), " fields, the header has ", columns.count,
                          "; a caption with a ", separator_name(separator), " must be quoted"));
    const auto value = number_of(fields[score]);
    if (!value || !std::isfinite(*value)) {
      const bool comma = fields[score].find(',') != std::string::npos;
      throw DataError(str(place, ": score must be a number; got '", fields[score], "'",
                          comma ? "; write it with a point, as in 3.5" : ""));
    }
    out.captions.push_back({.image = image_id(fields[*columns.name()]),
                            .caption = fields[columns.captions[0]],
                            .place = place,
                            .score = *value});
  }
  out.form = str("judgements: ", file, ", read as ", table_name(separator), " (",
                 names[*columns.name()], ", ", names[columns.captions[0]], ", ", names[score],
                 "): ", counted(std::ssize(out.captions), "judgement"));
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
                .metrics = {},
                .marks = scores.marks};
  // An image that was judged several times is one image.
  std::erase_if(out.marks, [](const ScoreMark& mark) { return mark.metrics.front() == "CIDEr"; });
  for (ScoreMark& mark : cider_marks(images.size())) out.marks.push_back(std::move(mark));
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
