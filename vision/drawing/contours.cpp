#include "vision/drawing/contours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace saccade {

namespace {

// An edge between two neighbouring samples: the place of the first one, and whether the second lies
// below it or to its right.
struct Edge {
  Index y = 0, x = 0;
  bool down = false;
  auto operator<=>(const Edge&) const = default;
};

// The loop without points that lie on a straight line between their neighbours.
Loop simplified(const Loop& loop) {
  constexpr double kStraight = 1e-9;
  Loop out;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Point& before = out.empty() ? loop.back() : out.back();
    const Point &at = loop[i], &after = loop[i + 1 < loop.size() ? i + 1 : 0];
    const double bend = (at.x - before.x) * (after.y - at.y) - (at.y - before.y) * (after.x - at.x);
    if (std::abs(bend) > kStraight) out.push_back(at);
  }
  return out;
}

class Tracer {
 public:
  Tracer(const SampledField& field, float level) : field_(field), level_(level) {}

  std::vector<Loop> loops() {
    for (Index y = -1; y < field_.height; ++y)
      for (Index x = -1; x < field_.width; ++x) add_square(y, x);
    std::vector<Loop> out;
    while (!next_.empty()) {
      Loop loop;
      for (auto step = next_.begin(); step != next_.end();) {
        loop.push_back(crossing(step->first));
        const Edge to = step->second;
        next_.erase(step);
        step = next_.find(to);
      }
      out.push_back(simplified(loop));
    }
    return out;
  }

 private:
  bool on_field(Index y, Index x) const {
    return y >= 0 && y < field_.height && x >= 0 && x < field_.width;
  }
  float value(Index y, Index x) const {
    return field_.values[static_cast<std::size_t>(y * field_.width + x)];
  }
  // Everything around the field counts as outside.
  bool inside(Index y, Index x) const { return on_field(y, x) && value(y, x) >= level_; }

  // Adds the lines in the square of samples (y, x) .. (y + 1, x + 1), with the inside on their
  // left.
  void add_square(Index y, Index x) {
    const Edge top{y, x, false}, bottom{y + 1, x, false}, left{y, x, true}, right{y, x + 1, true};
    // Clockwise from the top left: the edge between corner i and corner i + 1.
    const std::array<Edge, 4> edges{top, right, bottom, left};
    const std::array<bool, 4> in{inside(y, x), inside(y, x + 1), inside(y + 1, x + 1),
                                 inside(y + 1, x)};
    // Clockwise along the border of the square, a line enters where the inside ends and leaves
    // where the inside begins again. On a saddle, the corners that are inside stay apart.
    for (std::size_t i = 0; i < 4; ++i) {
      if (!in[i] || in[(i + 1) % 4]) continue;
      std::size_t start = i;
      while (in[(start + 3) % 4]) start = (start + 3) % 4;
      next_[edges[i]] = edges[(start + 3) % 4];
    }
  }

  // The point where an edge crosses the level; half way on edges that cross the border of the
  // field.
  Point crossing(const Edge& edge) const {
    const Index y = edge.y + (edge.down ? 1 : 0), x = edge.x + (edge.down ? 0 : 1);
    double along = 0.5;
    if (on_field(edge.y, edge.x) && on_field(y, x)) {
      const auto a = static_cast<double>(value(edge.y, edge.x));
      const auto b = static_cast<double>(value(y, x));
      along = (static_cast<double>(level_) - a) / (b - a);
    }
    return {static_cast<double>(edge.x) + 0.5 + (edge.down ? 0 : along),
            static_cast<double>(edge.y) + 0.5 + (edge.down ? along : 0)};
  }

  const SampledField& field_;
  float level_;
  std::map<Edge, Edge> next_;
};

}  // namespace

std::vector<Loop> contours(const SampledField& field, float level) {
  return Tracer(field, level).loops();
}

}  // namespace saccade
