#include "captioning/scoring/statistics/randomisation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/scoring/statistics/weighted_sums.h"
#include "core/base/error.h"
#include "core/base/random.h"

namespace saccade {

namespace {

struct Replicates {
  PValueKind kind;
  Index count;
};

Replicates plan(Index images, const Randomisation& randomisation) {
  if (randomisation.replicates < 1) {
    throw UsageError(str("randomisation test: ", randomisation.replicates,
                         " replicates; use at least 1, 10000 are usual"));
  }
  constexpr Index kMostBits = 62;
  if (images <= kMostBits && (Index{1} << images) <= randomisation.replicates) {
    return {PValueKind::kExact, Index{1} << images};
  }
  return {PValueKind::kSampled, randomisation.replicates};
}

// Weight 1 where the image keeps its outputs, and 0 where a and b exchange them.
void draw_keeps(std::uint64_t seed, Index replicate, std::span<double> weights) {
  Random random({seed, Stream::kSwaps, static_cast<std::uint64_t>(replicate), 0});
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    bits = i % 32 == 0 ? random.bits() : bits >> 1;
    weights[i] = bits & 1U;
  }
}

void enumerate_keeps(Index replicate, std::span<double> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<double>(replicate >> i & 1);
}

// The scores of a metric's two systems after an exchange.
class Exchange {
 public:
  Exchange(const ImageStatistics& a, const ImageStatistics& b)
      : a_(a), b_(b), total_a_(a.sums()), total_b_(b.sums()) {}

  // The difference of the scores, from the sums of the rows that were kept.
  double difference(std::span<const double> kept_a, std::span<const double> kept_b) const {
    std::vector<double> new_a(kept_a.size()), new_b(kept_b.size());
    for (std::size_t w = 0; w < kept_a.size(); ++w) {
      new_a[w] = kept_a[w] + (total_b_[w] - kept_b[w]);
      new_b[w] = kept_b[w] + (total_a_[w] - kept_a[w]);
    }
    return a_.score(new_a, a_.images) - b_.score(new_b, b_.images);
  }

 private:
  const ImageStatistics &a_, &b_;
  std::vector<double> total_a_, total_b_;
};

double p_value(const std::vector<double>& differences, double least, PValueKind kind) {
  const std::vector<double> defined = defined_values(differences);
  if (std::isnan(least) || defined.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto extreme = std::count_if(defined.begin(), defined.end(),
                                     [least](double d) { return std::abs(d) >= least; });
  const double observed = kind == PValueKind::kExact ? 0 : 1;  // an enumeration contains it
  return (static_cast<double>(extreme) + observed) /
         (static_cast<double>(defined.size()) + observed);
}

}  // namespace

std::vector<RandomisationTest> randomisation_test(std::span<const ImageStatistics> a,
                                                  std::span<const ImageStatistics> b,
                                                  const Randomisation& randomisation) {
  const RowTable table = paired_rows(a, b);
  const Replicates replicates = plan(table.images(), randomisation);
  std::vector<Exchange> exchanges;
  for (std::size_t m = 0; m < a.size(); ++m) exchanges.emplace_back(a[m], b[m]);
  std::vector<std::vector<double>> differences(
      a.size(), std::vector<double>(static_cast<std::size_t>(replicates.count)));

  const auto weigh = [&](Index replicate, std::span<double> weights) {
    if (replicates.kind == PValueKind::kExact) {
      enumerate_keeps(replicate, weights);
    } else {
      draw_keeps(randomisation.seed, replicate, weights);
    }
  };
  const auto use = [&](Index replicate, std::span<const double> sums) {
    for (std::size_t m = 0; m < a.size(); ++m) {
      differences[m][static_cast<std::size_t>(replicate)] =
          exchanges[m].difference(table.sums_of(m, sums), table.sums_of(a.size() + m, sums));
    }
  };
  for_weighted_sums(table, replicates.count, weigh, use);

  constexpr double kRounding = 1e-10;
  std::vector<RandomisationTest> out;
  for (std::size_t m = 0; m < a.size(); ++m) {
    const double score_a = a[m].whole(), score_b = b[m].whole();
    const double least =
        std::abs(score_a - score_b) - kRounding * (std::abs(score_a) + std::abs(score_b));
    out.push_back({.metric = a[m].metric,
                   .difference = score_a - score_b,
                   // A single image can only be exchanged or not, which is as extreme.
                   .p_value = table.images() > 1 ? p_value(differences[m], least, replicates.kind)
                                                 : std::numeric_limits<double>::quiet_NaN(),
                   .undefined = count_undefined(differences[m]),
                   .kind = replicates.kind});
  }
  return out;
}

}  // namespace saccade
