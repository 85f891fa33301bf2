// A small model, and shards that leave gradients of every kind for its parameters.
#pragma once

#include <deque>

#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"
#include "core/ops/linear.h"

namespace saccade::test {

// Shapes for every way of cutting: several tiles in both directions, a ragged edge, one small tile.
constexpr Index kIn = 300, kOut = 1000, kWords = 700, kTallIn = 20, kTallOut = 30;

struct Model {
  ParameterStore store;
  int weight, bias, table, tall, long_bias, unused;

  Model() {
    weight = store.declare("weight", Shape{kIn, kOut}, Init::normal(0.1));
    bias = store.declare("bias", Shape{kOut}, Init::constant(0), Decay::kNo);
    table = store.declare("table", Shape{kWords, kIn}, Init::normal(1));
    tall = store.declare("tall", Shape{kTallIn, kTallOut}, Init::normal(0.1));
    long_bias = store.declare("long_bias", Shape{3}, Init::constant(0), Decay::kNo);
    unused = store.declare("unused", Shape{21}, Init::normal(1));
    store.initialise(3);
  }
};

// What one shard leaves on its tape: several products of few rows, some of many rows, and words
// with repetitions.
class Shard {
 public:
  Shard(const Model& model, std::uint64_t seed, Real poison = 1) : tape_(arena_) {
    tape_.set_parameters(model.store.views(), model.store.trained());
    Random random({seed, Stream::kTest, 0, 0});
    const Var weight = tape_.parameter(model.weight), bias = tape_.parameter(model.bias);
    std::vector<Var> outputs;
    for (const Index rows : {5, 1, 160, 4, 7}) {
      std::vector<int> ids(static_cast<std::size_t>(rows));
      for (int& id : ids) id = static_cast<int>(random.uniform() * 20) * 30;
      const Var x = ops::embedding(tape_.parameter(model.table), ids);
      outputs.push_back(ops::linear(x, weight, bias));
    }
    for (const Index rows : {2100, 3})
      outputs.push_back(ops::linear(tape_.constant(keep(Shape{rows, kTallIn}, random)),
                                    tape_.parameter(model.tall)));
    const Var three = tape_.constant(keep(Shape{2, 1}, random));
    outputs.push_back(ops::linear(three, tape_.constant(keep(Shape{1, 3}, random)),
                                  tape_.parameter(model.long_bias)));
    std::vector<ConstView> cotangents;
    for (const Var y : outputs) cotangents.push_back(keep(y.shape(), random));
    tensors_.back()[0] *= poison;
    tape_.backward(outputs, cotangents);
  }
  Tape& tape() { return tape_; }

 private:
  ConstView keep(Shape shape, Random& random) {
    Tensor t(shape);
    for (Real& x : t.span()) x = static_cast<Real>(random.normal());
    tensors_.push_back(std::move(t));
    return std::as_const(tensors_.back()).view();
  }
  Arena arena_;
  Tape tape_;
  std::deque<Tensor> tensors_;
};

}  // namespace saccade::test
