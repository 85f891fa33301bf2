// Tape: eager reverse-mode differentiation. An op computes its value at once and appends a closure
// for the way back; backward() walks that list in reverse. There is one tape per shard, used by one
// thread at a time.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/memory/arena.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class Tape;

// A value on a tape: a handle of two words, valid until the tape is reset.
class Var {
 public:
  Var() = default;
  Var(Tape* tape, int id) : tape_(tape), id_(id) {}

  explicit operator bool() const { return tape_ != nullptr; }
  Tape& tape() const { return *tape_; }
  int id() const { return id_; }
  ConstView value() const;
  Shape shape() const;  // a copy: the tape's own shapes move in memory when it grows
  Index rows() const { return shape().rows(); }
  Index cols() const { return shape().cols(); }
  bool requires_grad() const;

 private:
  Tape* tape_ = nullptr;
  int id_ = -1;
};

// Gradients of weights are not accumulated on the tape: an op that multiplies rows by a parameter
// leaves its operands here, and the optimizer step computes one product over all shards.
struct LinearGrad {  // d parameter[in, out] = x^T dy
  int parameter;
  ConstView x;   // [n, in]
  ConstView dy;  // [n, out]
};
struct RowsGrad {  // d parameter[ids[i], :] += dy[i, :]
  int parameter;
  std::span<const int> ids;  // [n]
  ConstView dy;              // [n, cols]
};

class Tape {
 public:
  explicit Tape(Arena& arena) : arena_(&arena) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // --- set before use -------------------------------------------------------------------------
  // The values of parameters 0, 1, ... and which of them get a gradient (empty: all of them). Both
  // are borrowed.
  void set_parameters(std::span<const ConstView> values, std::span<const char> trained = {}) {
    parameters_ = values;
    trained_ = trained;
  }
  std::span<const ConstView> parameters() const { return parameters_; }
  // With false, nothing is kept for backward (inference).
  void set_recording(bool recording) { recording_ = recording; }
  // Training enables dropout and the estimator of hard attention.
  void set_training(bool training) { training_ = training; }
  // Sets the key of this step's random numbers; each random op takes the next key (next_key()).
  void set_random(std::uint64_t seed, std::uint64_t step, std::uint64_t first_sample);

  // --- values ---------------------------------------------------------------------------------
  Var constant(ConstView value);  // borrowed, without gradient
  Var variable(ConstView value);  // borrowed, with gradient
  Var parameter(int index);       // the same node every time
  // A new, uninitialised value for an op to fill. It requires a gradient if any input does.
  Var output(Shape shape, std::initializer_list<Var> inputs);
  Var output(Shape shape, std::span<const Var> inputs);
  // The elements of `of` from `offset` on, with another shape. It shares value and gradient;
  // nothing is copied.
  Var alias(Var of, Index offset, Shape shape);

  View mutable_value(Var v) { return {node(v).value, node(v).shape}; }
  Real* scratch(Index count) {
    return arena_->allocate_array<Real>(static_cast<std::size_t>(count));
  }
  // A copy in the arena for closures to refer to.
  template <class T>
  std::span<T> keep(std::span<const T> items) {
    T* copy = arena_->allocate_array<T>(items.size());
    std::copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
  }

  // --- recording ------------------------------------------------------------------------------
  // Registers how the gradient of `out` flows to its inputs. `back` is a trivially destructible
  // closure; it runs only if grad(out) was written to.
  template <class F>
  void record(Var out, F back) {
    static_assert(std::is_trivially_destructible_v<F>, "closures live in the arena");
    if (!out.requires_grad()) return;
    void* place = arena_->allocate(sizeof(F));
    new (place) F(std::move(back));
    steps_.push_back({out.id(), place, [](void* f) { (*static_cast<F*>(f))(); }});
  }
  // The gradient of v, to be added to; zero at the first call.
  View grad(Var v);
  // Where an op writes a gradient: if `fresh`, it assigns (the memory is uninitialised), otherwise
  // it adds.
  struct GradTarget {
    View view;
    bool fresh;
    Real beta() const { return fresh ? Real{0} : Real{1}; }  // for GEMM
  };
  GradTarget grad_target(Var v);
  bool has_grad(Var v) const;
  int parameter_of(Var v) const { return node(v).parameter; }  // -1 if v is not a parameter
  void defer(const LinearGrad& job) { linear_grads_.push_back(job); }
  void defer(const RowsGrad& job) { rows_grads_.push_back(job); }

  // --- going back -----------------------------------------------------------------------------
  // Computes all gradients from d loss = seed; the loss has one element and requires a gradient. It
  // may be called once per recording: throws InternalError when called again before reset().
  void backward(Var loss, Real seed = 1);
  // The same from a cotangent for each of several outputs: grad(out) += cotangent, and then back.
  void backward(std::span<const Var> outputs, std::span<const ConstView> cotangents);
  std::span<const LinearGrad> linear_grads() const { return linear_grads_; }
  std::span<const RowsGrad> rows_grads() const { return rows_grads_; }
  // The gradient that ops added to a parameter densely; an empty view if there is none.
  ConstView parameter_grad(int index) const;

  // Forgets everything, including the content of the arena. All Vars become invalid.
  void reset();

  bool recording() const { return recording_; }
  bool training() const { return training_; }
  RandomKey next_key(Stream stream);
  std::uint64_t seed() const { return seed_; }
  std::uint64_t step() const { return step_; }
  std::uint64_t first_sample() const { return first_sample_; }
  Arena& arena() { return *arena_; }

 private:
  friend class Var;
  struct Node {
    Real* value;
    Real* grad;
    Shape shape;
    int root;       // the node whose gradient memory this one shares; itself if none
    Index offset;   // into the root
    int parameter;  // index, or -1
    bool requires_grad;
  };
  struct Step {
    int out;
    void* closure;
    void (*call)(void*);
  };
  Node& node(Var v) { return nodes_[static_cast<std::size_t>(v.id())]; }
  const Node& node(Var v) const { return nodes_[static_cast<std::size_t>(v.id())]; }
  Node& root_of(Var v) { return nodes_[static_cast<std::size_t>(node(v).root)]; }
  Var add(Real* value, Shape shape, bool requires_grad);
  void run_back();

  Arena* arena_;
  std::span<const ConstView> parameters_;
  std::span<const char> trained_;
  std::vector<int> parameter_nodes_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  std::vector<LinearGrad> linear_grads_;
  std::vector<RowsGrad> rows_grads_;
  bool recording_ = true;
  bool training_ = false;
  bool went_back_ = false;
  std::uint64_t seed_ = 0, step_ = 0, first_sample_ = 0, draws_ = 0;
};

inline ConstView Var::value() const {
  const auto& n = tape_->node(*this);
  return {n.value, n.shape};
}
inline Shape Var::shape() const { return tape_->node(*this).shape; }
inline bool Var::requires_grad() const { return tape_->node(*this).requires_grad; }

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
