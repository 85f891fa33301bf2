#include "captioning/study/inspection/map_agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"

namespace saccade {

namespace {

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

// The place of the largest number.
std::size_t largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  SACCADE_CHECK(a.size() == b.size(), "[rank correlation] ", a.size(), " and ", b.size(),
                " numbers");
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double middle = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0, own = 0, other = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - middle) * (y[i] - middle);
    own += (x[i] - middle) * (x[i] - middle);
    other += (y[i] - middle) * (y[i] - middle);
  }
  if (own == 0 || other == 0) return std::numeric_limits<double>::quiet_NaN();
  return both / std::sqrt(own * other);
}

void AgreementMeasure::add(const DecodedCaption& caption,
                           std::span<const std::pair<std::string, MapView>> views) {
  if (maps_.empty())
    for (const auto& [name, view] : views)
      maps_.push_back({.map = name, .rank = {}, .same_region = {}, .fall = {}});
  SACCADE_CHECK(maps_.size() == views.size(), "[map agreement] ", views.size(), " views after ",
                maps_.size());
  for (std::size_t t = 0; t < caption.words.size(); ++t) {
    const std::vector<float>& all = caption.words[t].effects;
    const AttentionMap& shape = caption.words[t].map;
    std::vector<double> effects;
    for (std::size_t l = 0; l < all.size(); ++l)
      if (!shape.masked(l)) effects.push_back(static_cast<double>(all[l]));
    std::vector<std::vector<double>> weights;
    for (const auto& [name, view] : views) {
      std::vector<double>& own = weights.emplace_back();
      for (const float weight : unmasked_weights(view[t]))
        own.push_back(static_cast<double>(weight));
    }
    const bool flat = effects.empty() || std::all_of(effects.begin(), effects.end(), [&](double x) {
                        return x == effects.front();
                      });
    const bool dark = std::any_of(weights.begin(), weights.end(), [](const auto& own) {
      return std::all_of(own.begin(), own.end(), [](double weight) { return weight == 0; });
    });
    if (flat || dark) {
      ++left_out_;
      continue;
    }
    ++words_;
    const std::size_t most = largest(effects);
    largest_fall_.add(effects[most]);
    chance_.add(1 / static_cast<double>(effects.size()));
    for (std::size_t v = 0; v < views.size(); ++v) {
      SACCADE_CHECK(weights[v].size() == effects.size(), "[map agreement] ", weights[v].size(),
                    " weights and ", effects.size(), " effects");
      const std::size_t chosen = largest(weights[v]);
      if (const double rank = rank_correlation(weights[v], effects); !std::isnan(rank))
        maps_[v].rank.add(rank);
      maps_[v].same_region.add(chosen == most ? 1 : 0);
      maps_[v].fall.add(effects[chosen]);
    }
  }
}

}  // namespace saccade
