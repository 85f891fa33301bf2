#include "core/nn/parameter_store.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Modified Gram-Schmidt over the shorter side, in double so that both builds start with the same
// values.
void orthogonal(Random& random, double gain, View out) {
  const Index rows = out.rows(), cols = out.cols();
  const Index count = std::min(rows, cols), width = std::max(rows, cols);
  std::vector<std::vector<double>> basis;
  for (Index i = 0; i < count; ++i) {
    std::vector<double> v(static_cast<std::size_t>(width));
    for (double& x : v) x = random.normal();
    for (const auto& b : basis) {
      double dot = 0;
      for (std::size_t j = 0; j < v.size(); ++j) dot += v[j] * b[j];
      for (std::size_t j = 0; j < v.size(); ++j) v[j] -= dot * b[j];
    }
    double norm = 0;
    for (const double x : v) norm += x * x;
    for (double& x : v) x /= std::sqrt(norm);
    basis.push_back(std::move(v));
  }
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) {
      const auto i = static_cast<std::size_t>(rows <= cols ? r : c);
      const auto j = static_cast<std::size_t>(rows <= cols ? c : r);
      out.row(r)[c] = static_cast<Real>(gain * basis[i][j]);
    }
}

void fill(const ParameterInfo& info, std::uint64_t seed, View out) {
  const std::string& drawn = info.drawn_as.empty() ? info.name : info.drawn_as;
  Random random({seed, Stream::kInit, name_key(drawn), 0});
  const double s = info.init.scale;
  switch (info.init.kind) {
    case Init::Kind::kConstant:
      for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<Real>(s);
      break;
    case Init::Kind::kNormal:
      for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<Real>(s * random.normal());
      break;
    case Init::Kind::kUniform:
      for (Index i = 0; i < out.size(); ++i)
        out[i] = static_cast<Real>(s * (2 * random.uniform() - 1));
      break;
    case Init::Kind::kOrthogonal:
      orthogonal(random, s, out);
      break;
  }
}

bool is_below(const std::string& prefix, const std::string& name) {
  return prefix.empty() || name == prefix || name.starts_with(prefix + ".");
}

}  // namespace

Init Init::glorot(Index in, Index out) {
  return uniform(std::sqrt(6.0 / static_cast<double>(in + out)));
}
Init Init::he(Index in) { return normal(std::sqrt(2.0 / static_cast<double>(in))); }

int ParameterStore::declare(const std::string& name, Shape shape, Init init, Decay decay,
                            ParameterUse use) {
  SACCADE_ASSERT(values_.empty(), "parameter ", name, " declared after the values were made");
  SACCADE_ASSERT(find(name) < 0, "parameter ", name, " declared twice");
  infos_.push_back({.name = name,
                    .shape = shape,
                    .offset = flat_size_,
                    .init = init,
                    .decay = decay,
                    .use = use});
  trained_.push_back(1);
  fixed_.push_back(0);
  flat_size_ += (shape.size() + 15) / 16 * 16;
  return static_cast<int>(infos_.size()) - 1;
}

int ParameterStore::declare_fixed(const std::string& name, Shape shape, Init init,
                                  ParameterUse use) {
  const int index = declare(name, shape, init, Decay::kNo, use);
  infos_.back().rate = 0;
  trained_.back() = 0;
  fixed_.back() = 1;
  return index;
}

Index ParameterStore::set_rate(const std::string& prefix, double rate) {
  Index count = 0;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (!is_below(prefix, infos_[i].name) || fixed_[i]) continue;
    infos_[i].rate = rate;
    trained_[i] = rate != 0;
    ++count;
  }
  return count;
}

void ParameterStore::set_apart(const std::string& prefix) {
  for (ParameterInfo& info : infos_)
    if (is_below(prefix, info.name)) info.apart = true;
}

void ParameterStore::start_as(const std::string& name, const std::string& twin) {
  const int at = find(name), other = find(twin);
  SACCADE_ASSERT(at >= 0 && other >= 0 && values_.empty(), "parameter ", name, " cannot start as ",
                 twin);
  ParameterInfo& own = infos_[static_cast<std::size_t>(at)];
  const ParameterInfo& source = infos_[static_cast<std::size_t>(other)];
  SACCADE_ASSERT(source.drawn_as.empty() && own.shape == source.shape &&
                     own.init.kind == source.init.kind && own.init.scale == source.init.scale,
                 "parameter ", name, " differs from ", twin, " in shape or start");
  own.drawn_as = twin;
}

void ParameterStore::allocate() {
  values_ = Tensor(Shape{flat_size_});
  views_.clear();
  for (const ParameterInfo& info : infos_)
    views_.emplace_back(View{values_.data() + info.offset, info.shape});
}

void ParameterStore::initialise(std::uint64_t seed) {
  allocate();
  for (const ParameterInfo& info : infos_)
    fill(info, seed, View{values_.data() + info.offset, info.shape});
}

int ParameterStore::find(const std::string& name) const {
  for (std::size_t i = 0; i < infos_.size(); ++i)
    if (infos_[i].name == name) return static_cast<int>(i);
  return -1;
}

View ParameterStore::value(int index) {
  return {values_.data() + info(index).offset, info(index).shape};
}
ConstView ParameterStore::value(int index) const {
  return {values_.data() + info(index).offset, info(index).shape};
}

Index ParameterStore::number_count() const {
  Index total = 0;
  for (const ParameterInfo& i : infos_) total += i.shape.size();
  return total;
}

Index ParameterStore::trained_count() const {
  Index total = 0;
  for (const ParameterInfo& i : infos_) total += i.rate != 0 ? i.shape.size() : 0;
  return total;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
