// Signed distances of the shapes, each of which fills [-1, 1]^2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "captioning/data/scenes/scene_renderer.h"

namespace saccade {

namespace {

struct Point {
  double x, y;
};

// The nearest edge gives the size, and the crossings of a horizontal ray give the sign.
double polygon_distance(std::span<const Point> corners, Point p) {
  double nearest = std::numeric_limits<double>::infinity();
  bool inside = false;
  Point a = corners.back();
  for (const Point b : corners) {
    const double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    const double t = std::clamp((px * ex + py * ey) / (ex * ex + ey * ey), 0.0, 1.0);
    const double dx = px - t * ex, dy = py - t * ey;
    nearest = std::min(nearest, dx * dx + dy * dy);
    if ((a.y > p.y) != (b.y > p.y) && px < ex * py / ey) inside = !inside;
    a = b;
  }
  nearest = std::sqrt(nearest);
  return inside ? -nearest : nearest;
}

// Five points, with the inner corners at 0.46 of the outer radius, stretched to fill the square.
std::array<Point, 10> make_star() {
  std::array<Point, 10> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / 5;
    const double radius = i % 2 == 0 ? 1.0 : 0.46;
    out[i] = {radius * std::sin(angle), -radius * std::cos(angle)};
  }
  const double width = out[2].x, low = out[4].y;  // the widest and the lowest corner
  for (Point& p : out) p = {p.x / width, (p.y + 1) * 2 / (low + 1) - 1};
  return out;
}

constexpr double kArm = 0.3;  // half the width of a cross's arm
constexpr std::array<Point, 12> kCross = {{{-kArm, -1},
                                           {kArm, -1},
                                           {kArm, -kArm},
                                           {1, -kArm},
                                           {1, kArm},
                                           {kArm, kArm},
                                           {kArm, 1},
                                           {-kArm, 1},
                                           {-kArm, kArm},
                                           {-1, kArm},
                                           {-1, -kArm},
                                           {-kArm, -kArm}}};
constexpr std::array<Point, 3> kTriangle = {{{0, -1}, {1, 1}, {-1, 1}}};

// A square that stands on its corner, with a half disc on each upper side. The side is chosen so
// that it is 2 wide; it is stretched to be 2 high.
double heart_distance(double x, double y) {
  const double side = 2 / (0.5 * std::numbers::sqrt2 + 1);
  const double half_diagonal = side / std::numbers::sqrt2;
  const double height = 1 + half_diagonal;  // from the top of the discs to the lower corner
  const double py = (y + 1) * height / 2;   // 0 at the top
  const double middle = 1.0;                // the square's centre: the discs reach 1 above it
  const std::array<Point, 4> square = {{{0, middle - half_diagonal},
                                        {half_diagonal, middle},
                                        {0, middle + half_diagonal},
                                        {-half_diagonal, middle}}};
  const double disc =
      std::hypot(std::abs(x) - half_diagonal / 2, py - (middle - half_diagonal / 2)) - side / 2;
  return std::min(disc, polygon_distance(square, {x, py}));
}

}  // namespace

double shape_distance(ObjectShape shape, double x, double y) {
  static const std::array<Point, 10> star = make_star();
  switch (shape) {
    case ObjectShape::kCircle:
      return std::sqrt(x * x + y * y) - 1;
    case ObjectShape::kSquare: {
      const double dx = std::abs(x) - 1, dy = std::abs(y) - 1;
      return std::hypot(std::max(dx, 0.0), std::max(dy, 0.0)) + std::min(std::max(dx, dy), 0.0);
    }
    case ObjectShape::kTriangle:
      return polygon_distance(kTriangle, {x, y});
    case ObjectShape::kStar:
      return polygon_distance(star, {x, y});
    case ObjectShape::kCross:
      return polygon_distance(kCross, {x, y});
    case ObjectShape::kRing:
      return std::abs(std::sqrt(x * x + y * y) - 0.74) - 0.26;
    case ObjectShape::kHeart:
      return heart_distance(x, y);
  }
  return 0;
}

}  // namespace saccade
