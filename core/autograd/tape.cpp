#include "core/autograd/tape.h"

#include <algorithm>

namespace saccade {
inline namespace SACCADE_NUMERIC {

void Tape::set_random(std::uint64_t seed, std::uint64_t step, std::uint64_t first_sample) {
  seed_ = seed;
  step_ = step;
  first_sample_ = first_sample;
  draws_ = 0;
}

RandomKey Tape::next_key(Stream stream) {
  // A shard draws fewer than 2^24 times per step, so the keys of samples and draws never collide.
  return {seed_, stream, step_, (first_sample_ << 24) + draws_++};
}

Var Tape::add(Real* value, Shape shape, bool requires_grad) {
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back({value, nullptr, shape, id, 0, -1, requires_grad && recording_});
  return Var(this, id);
}

// The const_cast is safe: leaves are only read through Var::value(), which is const.
Var Tape::constant(ConstView value) {
  return add(const_cast<Real*>(value.data), value.shape, false);
}
Var Tape::variable(ConstView value) {
  return add(const_cast<Real*>(value.data), value.shape, true);
}

Var Tape::parameter(int index) {
  const auto i = static_cast<std::size_t>(index);
  SACCADE_ASSERT(index >= 0 && i < parameters_.size(), "parameter ", index, " of ",
                 parameters_.size());
  if (parameter_nodes_.empty()) parameter_nodes_.assign(parameters_.size(), -1);
  if (parameter_nodes_[i] < 0) {
    const bool trained = trained_.empty() || trained_[i] != 0;
    const Var v = trained ? variable(parameters_[i]) : constant(parameters_[i]);
    if (trained) node(v).parameter = index;
    parameter_nodes_[i] = v.id();
  }
  return Var(this, parameter_nodes_[i]);
}

Var Tape::output(Shape shape, std::initializer_list<Var> inputs) {
  return output(shape, std::span<const Var>(inputs.begin(), inputs.size()));
}

Var Tape::output(Shape shape, std::span<const Var> inputs) {
  const bool requires_grad = recording_ && std::any_of(inputs.begin(), inputs.end(), [](Var v) {
                               return v && v.requires_grad();
                             });
  return add(scratch(shape.size()), shape, requires_grad);
}

Var Tape::alias(Var of, Index offset, Shape shape) {
  SACCADE_CHECK(offset >= 0 && offset + shape.size() <= of.shape().size(), "[alias] ", shape,
                " at ", offset, " reaches beyond ", of.shape());
  const Node parent = node(of);
  const Var v = add(parent.value + offset, shape, parent.requires_grad);
  node(v).root = parent.root;
  node(v).offset = parent.offset + offset;
  return v;
}

bool Tape::has_grad(Var v) const {
  return nodes_[static_cast<std::size_t>(node(v).root)].grad != nullptr;
}

View Tape::grad(Var v) {
  Node& root = root_of(v);
  if (!root.grad) {
    root.grad = scratch(root.shape.size());
    std::fill_n(root.grad, root.shape.size(), Real{0});
  }
  return {root.grad + node(v).offset, node(v).shape};
}

Tape::GradTarget Tape::grad_target(Var v) {
  Node& root = root_of(v);
  if (root.grad || !is_whole(v)) return {grad(v), false};
  root.grad = scratch(root.shape.size());
  return {{root.grad, node(v).shape}, true};
}

bool Tape::may_overwrite_grad(Var y) const {
  const Node& whole = root_of(y);
  const auto refers = [&](const auto& job) {
    return job.dy.data >= whole.grad && job.dy.data < whole.grad + whole.shape.size();
  };
  return is_whole(y) && std::ranges::none_of(linear_grads_, refers) &&
         std::ranges::none_of(rows_grads_, refers);
}

bool Tape::hand_over_grad(Var y, Var x) {
  Node& to = root_of(x);
  if (to.grad || !is_whole(x) || !may_overwrite_grad(y)) return false;
  to.grad = root_of(y).grad;
  return true;
}

ConstView Tape::parameter_grad(int index) const {
  const auto i = static_cast<std::size_t>(index);
  if (parameter_nodes_.empty() || parameter_nodes_[i] < 0) return {};
  const Node& n = nodes_[static_cast<std::size_t>(parameter_nodes_[i])];
  if (!n.grad) return {};
  return {n.grad, n.shape};
}

void Tape::backward(Var loss, Real seed) {
  SACCADE_CHECK(loss.shape().size() == 1, "[backward] needs one number; got ", loss.shape());
  SACCADE_CHECK(loss.requires_grad(),
                "[backward] the loss depends on nothing that wants a gradient");
  const View g = grad(loss);
  g[0] += seed;
  run_back();
}

void Tape::backward(std::span<const Var> outputs, std::span<const ConstView> cotangents) {
  SACCADE_CHECK(outputs.size() == cotangents.size(),
                "[backward] needs one cotangent for each output");
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].requires_grad()) continue;
    const View g = grad(outputs[k]);
    SACCADE_CHECK(g.shape == cotangents[k].shape, "[backward] cotangent ", cotangents[k].shape,
                  " for output ", g.shape);
    for (Index i = 0; i < g.size(); ++i) g[i] += cotangents[k][i];
  }
  run_back();
}

void Tape::run_back() {
  SACCADE_ASSERT(!went_back_, "backward twice on one recording: gradients would count double");
  went_back_ = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    if (has_grad(Var(this, step->out))) step->call(step->closure);
}

void Tape::reset() {
  nodes_.clear();
  steps_.clear();
  linear_grads_.clear();
  rows_grads_.clear();
  parameter_nodes_.clear();
  draws_ = 0;
  went_back_ = false;
  arena_->reset();
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
