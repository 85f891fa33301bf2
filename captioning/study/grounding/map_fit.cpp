#include "captioning/study/grounding/map_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace saccade {

namespace {

struct Span {
  double from = 0, to = 0;
};

// The union of overlapping spans, as spans that do not overlap.
std::vector<Span> united(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.from <= out.back().to)
      out.back().to = std::max(out.back().to, span.to);
    else
      out.push_back(span);
  }
  return out;
}

// The share of cell `index` of `count` on one axis, integrated from 0 to `at` (in cells).
using Ramp = double (*)(double at, Index index, Index count);

// The cell itself, and nothing outside of it.
double cell_ramp(double at, Index index, Index) {
  return std::clamp(at - static_cast<double>(index), 0.0, 1.0);
}

// A hat over the cell's centre that falls to 0 at the centres of its neighbours, and is flat on a
// side without a neighbour.
double hat_ramp(double at, Index index, Index count) {
  const double x = at - static_cast<double>(index) - 0.5;  // from the centre
  double left = 0.5, right = 0.5;                          // areas of the two halves, up to x
  if (index == 0)
    left = std::min(x, 0.0) + 0.5;
  else if (x < 0)
    left = x <= -1 ? 0 : (x + 1) * (x + 1) / 2;
  if (x <= 0)
    right = 0;
  else if (index == count - 1)
    right = x;
  else if (x < 1)
    right = 0.5 - (1 - x) * (1 - x) / 2;
  return left + right;
}

// [count]: how much of every cell is in a span of pixels; a cell has `size` pixels.
std::vector<double> along(const Span& span, double size, Index count, Ramp ramp) {
  std::vector<double> out;
  for (Index i = 0; i < count; ++i)
    out.push_back(ramp(span.to / size, i, count) - ramp(span.from / size, i, count));
  return out;
}

// [cells]: how much of every cell is in the union of the boxes. The picture is cut into
// strips at the boxes' upper and lower edges; in each strip, the union consists of spans.
std::vector<double> cover(const AttentionGrid& grid, std::span<const Rect> boxes, Ramp ramp) {
  const Rect cell = grid.cell(0);
  std::vector<double> out(static_cast<std::size_t>(grid.size.cells()), 0), edges;
  for (const Rect& box : boxes) edges.insert(edges.end(), {box.y, box.bottom()});
  std::sort(edges.begin(), edges.end());
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const Span strip{edges[e], edges[e + 1]};
    if (strip.from == strip.to) continue;
    std::vector<Span> across;
    for (const Rect& box : boxes)
      if (box.y <= strip.from && box.bottom() >= strip.to) across.push_back({box.x, box.right()});
    const std::vector<double> down = along(strip, cell.height, grid.size.rows, ramp);
    for (const Span& span : united(std::move(across))) {
      const std::vector<double> shares = along(span, cell.width, grid.size.cols, ramp);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += down[i / shares.size()] * shares[i % shares.size()];
    }
  }
  return out;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

double intersection_over_union(const Rect& a, const Rect& b) {
  const Rect both = intersection(a, b);
  const double common = both.width * both.height;
  return common > 0 ? common / (a.width * a.height + b.width * b.height - common) : 0;
}

// The rows and columns over which a group of cells extends, and how many cells it has.
struct Group {
  Index top, left, bottom, right, cells = 0;
};

// The cells that can be reached from `first` over marked cells. They lose their mark.
Group take_group(Index first, const AttentionGrid& grid, std::vector<bool>& marked) {
  Group group{.top = grid.size.rows, .left = grid.size.cols, .bottom = 0, .right = 0};
  std::vector<Index> open{first};
  marked[static_cast<std::size_t>(first)] = false;
  while (!open.empty()) {
    const Index row = open.back() / grid.size.cols, col = open.back() % grid.size.cols;
    open.pop_back();
    group.top = std::min(group.top, row);
    group.left = std::min(group.left, col);
    group.bottom = std::max(group.bottom, row + 1);
    group.right = std::max(group.right, col + 1);
    ++group.cells;
    for (Index r = std::max<Index>(row - 1, 0); r <= std::min(row + 1, grid.size.rows - 1); ++r)
      for (Index c = std::max<Index>(col - 1, 0); c <= std::min(col + 1, grid.size.cols - 1); ++c) {
        const auto at = static_cast<std::size_t>(r * grid.size.cols + c);
        if (!marked[at]) continue;
        marked[at] = false;
        open.push_back(r * grid.size.cols + c);
      }
  }
  return group;
}

}  // namespace

BoxedWord::BoxedWord(const AttentionGrid& grid, std::span<const Rect> boxes) : grid_(grid) {
  check_grid(grid);
  const Rect picture = grid.shown();
  for (const Rect& box : boxes) {
    const Rect shown = intersection(box, picture);
    if (!shown.empty()) boxes_.push_back(shown);
  }
  if (grid.boxes) {
    cover_boxes();
    return;
  }
  cells_ = cover(grid, boxes_, cell_ramp);
  cells_shown_ = cover(grid, {&picture, 1}, cell_ramp);
  slopes_ = cover(grid, boxes_, hat_ramp);
  slopes_shown_ = cover(grid, {&picture, 1}, hat_ramp);
  area_share_ = sum(cells_) / sum(cells_shown_);
}

// The weight of a region that is a box is spread evenly over it, whatever its size.
void BoxedWord::cover_boxes() {
  const AttentionGrid whole{
      .size = {.rows = 1, .cols = 1}, .height = grid_.height, .width = grid_.width};
  const double pixels = static_cast<double>(grid_.height) * static_cast<double>(grid_.width);
  for (Index i = 0; i < grid_.size.cells(); ++i) {
    const Rect region = intersection(grid_.cell(i), grid_.shown());
    std::vector<Rect> common;
    for (const Rect& box : boxes_)
      if (const Rect both = intersection(box, region); !both.empty()) common.push_back(both);
    const double area = region.width * region.height;
    cells_.push_back(
        area > 0 && !common.empty() ? cover(whole, common, cell_ramp)[0] * pixels / area : 0);
    cells_shown_.push_back(area > 0 ? 1 : 0);
  }
  slopes_ = cells_;
  slopes_shown_ = cells_shown_;
  const double regions = sum(cells_shown_);
  area_share_ = regions > 0 ? sum(cells_) / regions : 0;
}

double BoxedWord::inside(std::span<const Real> weights, const std::vector<double>& boxes,
                         const std::vector<double>& picture) const {
  check_weights(weights, grid_);
  double part = 0, whole = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    part += boxes[i] * static_cast<double>(weights[i]);
    whole += picture[i] * static_cast<double>(weights[i]);
  }
  return whole > 0 ? part / whole : 0;
}

std::vector<Real> BoxedWord::cell_shares() const {
  std::vector<Real> shares;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    shares.push_back(cells_shown_[i] > 0 ? static_cast<Real>(cells_[i] / cells_shown_[i])
                                         : Real{0});
  return shares;
}

double BoxedWord::correctness(std::span<const Real> weights) const {
  return inside(weights, cells_, cells_shown_);
}

double BoxedWord::energy(std::span<const Real> weights) const {
  return inside(weights, slopes_, slopes_shown_);
}

double BoxedWord::overlap(std::span<const Real> weights, double threshold) const {
  check_weights(weights, grid_);
  const double largest = static_cast<double>(weights[static_cast<std::size_t>(peak(weights))]);
  if (!(largest > 0)) return 0;
  if (grid_.boxes) {
    const Rect object = intersection(grid_.cell(peak(weights)), grid_.shown());
    double most = 0;
    for (const Rect& box : boxes_) most = std::max(most, intersection_over_union(object, box));
    return most;
  }
  std::vector<bool> marked;
  for (const Real weight : weights)
    marked.push_back(static_cast<double>(weight) >= threshold * largest);
  Group object{};
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) continue;
    const Group group = take_group(static_cast<Index>(i), grid_, marked);
    if (group.cells > object.cells) object = group;
  }
  const Rect cell = grid_.cell(0);
  const Rect tight = intersection(
      {static_cast<double>(object.left) * cell.width, static_cast<double>(object.top) * cell.height,
       static_cast<double>(object.right - object.left) * cell.width,
       static_cast<double>(object.bottom - object.top) * cell.height},
      grid_.shown());
  double best = 0;
  for (const Rect& box : boxes_) best = std::max(best, intersection_over_union(tight, box));
  return best;
}

std::vector<Real> centre_map(const AttentionGrid& grid) {
  check_grid(grid);
  const Rect picture = grid.shown();
  std::vector<Real> out;
  for (Index i = 0; i < grid.size.cells(); ++i) {
    const Rect cell = grid.cell(i);
    if (cell.empty()) {
      out.push_back(0);
      continue;
    }
    const double x = (cell.centre_x() - picture.centre_x()) / (kCentreSigma * picture.width);
    const double y = (cell.centre_y() - picture.centre_y()) / (kCentreSigma * picture.height);
    out.push_back(static_cast<Real>(std::exp(-(x * x + y * y) / 2)));
  }
  return out;
}

}  // namespace saccade
