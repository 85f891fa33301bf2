#include "vision/encoders/vit_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"

namespace saccade {

namespace {

using Arrays = std::span<const TorchArray>;
using Values = std::vector<std::vector<Real>>;

constexpr const char* kTokens = "embedding.tokens";
constexpr const char* kPositions = "embedding.positions.table";

// The weights with which an output cell mixes the input cells first, first + 1, ... Cells outside
// the grid are those at its border.
struct Mixture {
  Index first;
  std::vector<double> weights;
};

// Keys' cubic (1981).
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

Mixture antialiased_mixture(Index cell, Index from, Index to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(step, 1.0);
  const double centre = step * (static_cast<double>(cell) + 0.5);
  const auto end_of = [&](double place) {
    return std::clamp(static_cast<Index>(place + 0.5), Index{0}, from);
  };
  Mixture out{end_of(std::max(centre - 2 * stretch, -0.5)), {}};
  double sum = 0;
  for (Index i = out.first; i < end_of(centre + 2 * stretch); ++i) {
    out.weights.push_back(cubic((static_cast<double>(i) - centre + 0.5) / stretch, -0.5));
    sum += out.weights.back();
  }
  for (double& weight : out.weights) weight /= sum;
  return out;
}

Mixture mixture(Index cell, Index from, Index to, PositionRule rule) {
  if (rule == PositionRule::kAntialiased) return antialiased_mixture(cell, from, to);
  const auto n = static_cast<double>(from), m = static_cast<double>(to);
  const auto i = static_cast<double>(cell);
  double place = (i + 0.5) * n / (rule == PositionRule::kDino ? m + 0.1 : m) - 0.5;
  if (rule == PositionRule::kCorners) place = to > 1 ? i * (n - 1) / (m - 1) : 0;
  Mixture out{static_cast<Index>(std::floor(place)) - 1, {}};
  for (Index k = 0; k < 4; ++k)
    out.weights.push_back(cubic(place - static_cast<double>(out.first + k), -0.75));
  return out;
}

Index root_of(Index square) {
  const auto root = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(square))));
  return root * root == square ? root : 0;
}

// How the `count` positions of a file's pos_embed are laid out: those of tokens without a place
// come first.
struct Placement {
  Index placeless;
  GridSize grid;
};
std::optional<Placement> placement_of(Index count, const VitNames& parts) {
  const Index classes = parts.class_token ? 1 : 0, tokens = classes + parts.registers;
  const GridSize own = parts.grid;
  if (const Index side = count > parts.placed ? root_of(count - parts.placed) : 0;
      parts.placed >= 0 && side > 0)
    return Placement{parts.placed, {side, side}};
  for (const Index first : {tokens, classes, Index{0}})
    if (count == parts.grid.cells() + first) return Placement{first, own};
  for (const Index first : {tokens, classes, Index{0}})
    if (const Index side = count > first ? root_of(count - first) : 0; side > 0)
      return Placement{first, {side, side}};
  return {};
}

std::vector<Real> zeros(Index count) { return std::vector<Real>(static_cast<std::size_t>(count)); }

// The class token, the registers and the positions; in some of timm's models, the tokens have
// positions that are added to them.
TorchGroup embedding_group(const VitNames& parts) {
  const Index width = parts.grid.features, tokens = (parts.class_token ? 1 : 0) + parts.registers;
  const Index placed = parts.registers > 0 ? 0 : tokens;  // tokens that are written with positions
  TorchGroup group;
  if (tokens > 0) group.parameters.push_back(kTokens);
  if (parts.positions) group.parameters.push_back(kPositions);
  if (parts.class_token) group.arrays.push_back({"cls_token", {1, 1, width}});
  if (parts.registers > 0) group.arrays.push_back({"reg_token", {1, parts.registers, width}});
  if (parts.positions)
    group.arrays.push_back({"pos_embed", {1, placed + parts.grid.cells(), width}});
  group.also_reads = [parts, width](const TorchArray& array) {
    return array.name == "pos_embed" && array.shape.size() == 3 && array.shape[0] == 1 &&
           array.shape[2] == width && placement_of(array.shape[1], parts);
  };
  group.read = [parts, width, tokens](Arrays arrays) {
    Values out;
    std::vector<Real> first;
    for (const TorchArray& array : arrays)
      if (array.name != "pos_embed")
        first.insert(first.end(), array.values.begin(), array.values.end());
    if (tokens > 0) out.push_back(std::move(first));
    if (!parts.positions) return out;
    const std::span<const Real> all(arrays.back().values);
    const Placement placement = *placement_of(arrays.back().shape[1], parts);
    const auto own = static_cast<std::size_t>(placement.placeless * width);
    for (std::size_t i = 0; i < own; ++i) out[0][i] += all[i];
    out.push_back(resampled_positions(all.subspan(own), placement.grid, parts.grid, parts.rule));
    return out;
  };
  group.write = [parts, width, tokens, placed](std::span<const ConstView> ours) {
    Values out;
    const auto add = [&](std::span<const Real> values) {
      out.emplace_back(values.begin(), values.end());
    };
    const auto classes = static_cast<std::size_t>(parts.class_token ? width : 0);
    if (parts.class_token) add(ours[0].span().first(classes));
    if (parts.registers > 0) add(ours[0].span().subspan(classes));
    if (!parts.positions) return out;
    out.push_back(zeros(placed * width));
    const std::span<const Real> table = ours[tokens > 0 ? 1 : 0].span();
    out.back().insert(out.back().end(), table.begin(), table.end());
    return out;
  };
  return group;
}

// Query, key and value, which torch keeps as consecutive rows of one tensor.
TorchGroup attention_group(const std::string& block, const std::string& torch_block, Index width,
                           bool weight) {
  const std::string last = weight ? "weight" : "bias";
  const TorchLayout layout = weight ? TorchLayout::kMatrix : TorchLayout::kSame;
  const Shape shape = weight ? Shape{width, width} : Shape{width};
  TorchGroup group;
  for (const char* part : {"query", "key", "value"})
    group.parameters.push_back(block + ".attention." + part + "." + last);
  group.arrays = {{torch_block + ".attn.qkv." + last,
                   weight ? std::vector<Index>{3 * width, width} : std::vector<Index>{3 * width}}};
  group.read = [layout, shape](Arrays arrays) {
    Values out;
    const auto size = static_cast<std::size_t>(shape.size());
    for (std::size_t part = 0; part < 3; ++part) {
      Tensor ours(shape);
      from_torch(layout, std::span(arrays[0].values).subspan(part * size, size), ours.view());
      out.emplace_back(ours.span().begin(), ours.span().end());
    }
    return out;
  };
  group.write = [layout](std::span<const ConstView> ours) {
    Values out(1);
    for (const ConstView part : ours) {
      const std::vector<Real> theirs = to_torch(layout, part);
      out[0].insert(out[0].end(), theirs.begin(), theirs.end());
    }
    return out;
  };
  return group;
}

std::string block_of(Index b) { return str("block", b + 1); }

// The torch name and layout of a parameter that is in no group.
TorchTensor timm_tensor(const std::string& name, const Shape& shape) {
  static constexpr std::pair<const char*, const char*> kParts[] = {
      {"embedding.patch.", "patch_embed.proj."},
      {"embedding.norm.", "norm_pre."},
      {"attention_norm.scale", "ls1.gamma"},
      {"dense_norm.scale", "ls2.gamma"},
      {"attention.output.", "attn.proj."},
      {"attention_norm.", "norm1."},
      {"dense_norm.", "norm2."},
      {"widen.", "mlp.fc1."},
      {"narrow.", "mlp.fc2."}};
  TorchTensor tensor = torch_tensor(name, shape);
  std::string start;
  if (tensor.name.starts_with("block")) {
    const std::size_t dot = tensor.name.find('.');
    start = str("blocks.", std::stoi(tensor.name.substr(5, dot - 5)) - 1, ".");
    tensor.name = tensor.name.substr(dot + 1);
  }
  for (const auto& [ours, theirs] : kParts)
    if (tensor.name.starts_with(ours)) {
      tensor.name = theirs + tensor.name.substr(std::string_view(ours).size());
      break;
    }
  tensor.name = start + tensor.name;
  return tensor;
}

}  // namespace

std::vector<Real> resampled_positions(std::span<const Real> positions, const GridSize& from,
                                      const GridSize& to, PositionRule rule) {
  if (from == to) return {positions.begin(), positions.end()};
  const auto cells = static_cast<std::size_t>(from.cells());
  const std::size_t width = positions.size() / cells;
  std::vector<Real> out;
  std::vector<double> sums(width);
  for (Index row = 0; row < to.rows; ++row)
    for (Index col = 0; col < to.cols; ++col) {
      const Mixture down = mixture(row, from.rows, to.rows, rule),
                    along = mixture(col, from.cols, to.cols, rule);
      std::fill(sums.begin(), sums.end(), 0);
      for (std::size_t u = 0; u < down.weights.size(); ++u)
        for (std::size_t v = 0; v < along.weights.size(); ++v) {
          const auto inside = [](Index place, Index extent) {
            return std::clamp(place, Index{0}, extent - 1);
          };
          const Index cell = inside(down.first + static_cast<Index>(u), from.rows) * from.cols +
                             inside(along.first + static_cast<Index>(v), from.cols);
          const Real* values = positions.data() + static_cast<std::size_t>(cell) * width;
          for (std::size_t d = 0; d < width; ++d)
            sums[d] += down.weights[u] * along.weights[v] * double{values[d]};
        }
      for (const double sum : sums) out.push_back(static_cast<Real>(sum));
    }
  return out;
}

TorchWeights vit_weights(const VitNames& parts) {
  TorchWeights weights;
  weights.ignored = {"head."};
  if (!parts.last_norm) weights.ignored.push_back("norm.");
  for (Index b = 0; b < parts.left_out; ++b)
    weights.ignored.push_back(str("blocks.", parts.blocks + b, "."));
  weights.changing = {"norm_pre.", "dist_token", "reg_token", "register_tokens"};
  weights.names = timm_tensor;
  if (parts.class_token || parts.registers > 0 || parts.positions)
    weights.groups.push_back(embedding_group(parts));
  for (Index b = 0; b < parts.blocks; ++b)
    for (const bool weight : {true, false})
      weights.groups.push_back(
          attention_group(block_of(b), str("blocks.", b), parts.grid.features, weight));
  return weights;
}

}  // namespace saccade
