#include "captioning/scoring/statistics/image_statistics.h"

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kBleuWidth = 10;

void append(std::vector<double>& rows, const BleuCounts& counts) {
  for (const std::int64_t count : counts.correct) rows.push_back(static_cast<double>(count));
  for (const std::int64_t count : counts.guess) rows.push_back(static_cast<double>(count));
  rows.push_back(static_cast<double>(counts.length));
  rows.push_back(static_cast<double>(counts.reference_length));
}

// Sums of counts are whole numbers far below 2^53, so a double holds them exactly.
BleuCounts to_counts(std::span<const double> sums) {
  BleuCounts out;
  for (std::size_t k = 0; k < 4; ++k) {
    out.correct[k] = static_cast<std::int64_t>(sums[k]);
    out.guess[k] = static_cast<std::int64_t>(sums[4 + k]);
  }
  out.length = static_cast<std::int64_t>(sums[8]);
  out.reference_length = static_cast<std::int64_t>(sums[9]);
  return out;
}

std::shared_ptr<const std::vector<double>> shared(std::vector<double> rows) {
  return std::make_shared<const std::vector<double>>(std::move(rows));
}

void check_pair(const ImageStatistics& a, const ImageStatistics& b) {
  if (a.metric != b.metric || a.images != b.images || a.width != b.width) {
    throw DataError(str("a comparison pairs ", a.metric, " of ", a.images, " images (", a.width,
                        " numbers each) with ", b.metric, " of ", b.images, " (", b.width,
                        "); score both systems on the same images by the same metrics"));
  }
}

}  // namespace

void ImageStatistics::check() const {
  if (images <= 0) {
    throw DataError(str("statistics of ", metric, ": no images; score at least one image"));
  }
  const std::size_t numbers = rows ? rows->size() : 0;
  SACCADE_CHECK(width > 0 && static_cast<Index>(numbers) == images * width,
                "[image statistics] rows of ", metric, " must be [images, width]; got ", numbers,
                " numbers for ", images, " x ", width);
  SACCADE_CHECK(score != nullptr, "[image statistics] ", metric, " has no score function");
}

std::span<const double> ImageStatistics::row(std::size_t image) const {
  const auto size = static_cast<std::size_t>(width);
  return std::span(*rows).subspan(image * size, size);
}

std::vector<double> ImageStatistics::sums() const {
  std::vector<double> out(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows->size(); ++i) out[i % out.size()] += (*rows)[i];
  return out;
}

double ImageStatistics::whole() const {
  check();
  return score(sums(), images);
}

ImageStatistics mean_statistics(std::string metric, std::span<const double> scores) {
  return {.metric = std::move(metric),
          .images = static_cast<Index>(scores.size()),
          .width = 1,
          .rows = shared({scores.begin(), scores.end()}),
          .score = [](std::span<const double> sums, Index images) {
            return sums[0] / static_cast<double>(images);
          }};
}

ImageStatistics ratio_statistics(std::string metric, std::span<const double> parts,
                                 std::span<const double> wholes) {
  SACCADE_CHECK(parts.size() == wholes.size(), "[image statistics] ", metric, " has ", parts.size(),
                " parts of ", wholes.size(), " wholes");
  std::vector<double> rows;
  for (std::size_t i = 0; i < parts.size(); ++i) rows.insert(rows.end(), {parts[i], wholes[i]});
  return {.metric = std::move(metric),
          .images = static_cast<Index>(parts.size()),
          .width = 2,
          .rows = shared(std::move(rows)),
          .score = [](std::span<const double> sums, Index) { return sums[0] / sums[1]; }};
}

std::vector<ImageStatistics> bleu_statistics(std::span<const BleuCounts> counts) {
  std::vector<double> rows;
  for (const BleuCounts& image : counts) append(rows, image);
  const auto shared_rows = shared(std::move(rows));
  const auto named = named_bleu({});
  std::vector<ImageStatistics> out;
  for (std::size_t m = 0; m < named.size(); ++m) {
    out.push_back({.metric = named[m].first,
                   .images = static_cast<Index>(counts.size()),
                   .width = kBleuWidth,
                   .rows = shared_rows,
                   .score = [m](std::span<const double> sums, Index) {
                     // In the order of named_bleu, whose texts would take most of a bootstrap's
                     // time.
                     const BleuScores scores = score_bleu(to_counts(sums));
                     return m < kGramOrders ? scores.bleu[m] : scores.no_bp[m - kGramOrders];
                   }});
    out.back().check();
  }
  return out;
}

ImageStatistics meteor_statistics(std::span<const MeteorStats> images) {
  std::vector<double> rows;
  for (const MeteorStats& image : images) {
    MeteorStats summand;  // counts its chunks as a sum does
    summand += image;
    for (const std::int64_t value : summand.values()) rows.push_back(static_cast<double>(value));
  }
  ImageStatistics out{.metric = "METEOR",
                      .images = static_cast<Index>(images.size()),
                      .width = static_cast<Index>(MeteorStats::kValues),
                      .rows = shared(std::move(rows)),
                      .score = [](std::span<const double> sums, Index) {
                        std::array<std::int64_t, MeteorStats::kValues> values{};
                        for (std::size_t k = 0; k < values.size(); ++k) {
                          values[k] = static_cast<std::int64_t>(sums[k]);
                        }
                        return meteor_score(MeteorStats::from(values));
                      }};
  out.check();
  return out;
}

void check_same_metrics(std::span<const ImageStatistics> a, std::span<const ImageStatistics> b) {
  if (a.size() != b.size()) {
    throw DataError(str("a comparison of ", a.size(), " metrics with ", b.size(),
                        "; score both systems by the same metrics"));
  }
  for (std::size_t m = 0; m < a.size(); ++m) check_pair(a[m], b[m]);
}

}  // namespace saccade
