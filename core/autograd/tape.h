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
  Var() = default;  // no value
  // Value number `id` of a tape. Ops get theirs from Tape::output().
  Var(Tape* tape, int id) : tape_(tape), id_(id) {}

  // Whether there is a value. All other functions need one.
  explicit operator bool() const { return tape_ != nullptr; }
  // The tape that holds the value.
  Tape& tape() const { return *tape_; }
  // The number of the value on its tape, from 0.
  int id() const { return id_; }
  // The numbers, valid until the tape is reset.
  ConstView value() const;
  Shape shape() const;  // a copy: the tape's own shapes move in memory when it grows
  // Shape::rows() of the value.
  Index rows() const { return shape().rows(); }
  // Shape::cols() of the value.
  Index cols() const { return shape().cols(); }
  // Whether backward() computes a gradient for the value. It does not while the tape does not
  // record.
  bool requires_grad() const;

 private:
  Tape* tape_ = nullptr;
  int id_ = -1;
};

// Gradients of weights are not accumulated on the tape: an op that multiplies rows by a parameter
// leaves its operands here, and the optimizer step computes one product over all shards:
// d parameter[in, out] = x^T dy.
struct LinearGrad {
  int parameter;  // its index
  ConstView x;    // [n, in]
  ConstView dy;   // [n, out]
};
// The gradient of rows that were looked up in a parameter: d parameter[ids[i], :] += dy[i, :].
struct RowsGrad {
  int parameter;             // its index
  std::span<const int> ids;  // [n]
  ConstView dy;              // [n, cols]
};

// The operations of a forward pass in the order in which they were computed. Values and gradients
// lie in an arena, which the tape has for itself.
class Tape {
 public:
  // An empty tape on an arena, which must outlive it.
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
  // The values that set_parameters() was given.
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
  // Parameter number `index`; the same node every time. Throws InternalError where set_parameters()
  // gave no such parameter.
  Var parameter(int index);
  // A new, uninitialised value for an op to fill. It requires a gradient if any input does.
  Var output(Shape shape, std::initializer_list<Var> inputs);
  // The same for any number of inputs.
  Var output(Shape shape, std::span<const Var> inputs);
  // The elements of `of` from `offset` on, with another shape. It shares value and gradient;
  // nothing is copied. Throws ShapeError where they reach beyond `of`.
  Var alias(Var of, Index offset, Shape shape);

  // The numbers of an output, for its op to fill. Those of constants, variables and parameters must
  // not be written to.
  View mutable_value(Var v) { return {node(v).value, node(v).shape}; }
  // Uninitialised numbers in the arena, for an op's own use.
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
    View view;   // the gradient, with the shape of its value
    bool fresh;  // whether it has to be assigned
    // The factor of what is there already: 0 where it has to be assigned, else 1.
    Real beta() const { return fresh ? Real{0} : Real{1}; }
  };
  // The gradient of v as a place to write to. What is fresh has to be assigned as a whole.
  GradTarget grad_target(Var v);
  // For the way back of an op that computes y: whether it may use the memory of the gradient of y,
  // which is lost, for another. Not where y is a part of a value, or where defer() was given the
  // gradient.
  bool may_overwrite_grad(Var y) const;
  // Where it may, makes this memory that of the gradient of x, which has to be assigned to it as a
  // whole. False, and nothing is done, where it may not, where x has a gradient, or where x is a
  // part of a value.
  bool hand_over_grad(Var y, Var x);
  // Whether a gradient was written to v.
  bool has_grad(Var v) const;
  int parameter_of(Var v) const { return node(v).parameter; }  // -1 if v is not a parameter
  // Leaves the gradient of a weight to the product over all shards.
  void defer(const LinearGrad& job) { linear_grads_.push_back(job); }
  // Leaves the gradient of rows of a parameter to the sum over all shards.
  void defer(const RowsGrad& job) { rows_grads_.push_back(job); }

  // --- going back -----------------------------------------------------------------------------
  // Computes all gradients from d loss = seed; the loss has one element and requires a gradient. It
  // may be called once per recording. Throws ShapeError on another loss, and InternalError when
  // called again before reset().
  void backward(Var loss, Real seed = 1);
  // The same from a cotangent for each of several outputs: grad(out) += cotangent, and then back.
  // Throws ShapeError where a cotangent has not the shape of its output.
  void backward(std::span<const Var> outputs, std::span<const ConstView> cotangents);
  // What defer() was given for products, in order; valid until the tape is reset.
  std::span<const LinearGrad> linear_grads() const { return linear_grads_; }
  // What defer() was given for rows, in order; valid until the tape is reset.
  std::span<const RowsGrad> rows_grads() const { return rows_grads_; }
  // The gradient that ops added to a parameter densely; an empty view if there is none.
  ConstView parameter_grad(int index) const;

  // Forgets everything, including the content of the arena. All Vars become invalid.
  void reset();

  // Whether what backward() needs is kept (set_recording).
  bool recording() const { return recording_; }
  // Whether the model is trained (set_training).
  bool training() const { return training_; }
  // The key of the next random numbers of this tape: another one at every call, and the same ones
  // again after set_random() with the same arguments.
  RandomKey next_key(Stream stream);
  // The seed of set_random().
  std::uint64_t seed() const { return seed_; }
  // The step of set_random(): the number of the update while a model is trained.
  std::uint64_t step() const { return step_; }
  // The number of the shard's first sample, of set_random().
  std::uint64_t first_sample() const { return first_sample_; }
  // The arena that holds values and gradients.
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
  const Node& root_of(Var v) const { return nodes_[static_cast<std::size_t>(node(v).root)]; }
  bool is_whole(Var v) const { return node(v).shape.size() == root_of(v).shape.size(); }
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
