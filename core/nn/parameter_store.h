// ParameterStore: all weights of a model by name, in one flat block. Modules keep indices into it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How a parameter is initialised. Values depend on (seed, parameter name) only, so that exchanging
// one module leaves every other weight as it was.
struct Init {
  // The distribution of the values.
  enum class Kind { kConstant, kNormal, kUniform, kOrthogonal };
  Kind kind = Kind::kConstant;  // the distribution
  // The value (constant), standard deviation (normal), bound (uniform) or gain (orthogonal).
  double scale = 0;

  // The same value everywhere.
  static Init constant(double value) { return {Kind::kConstant, value}; }
  // N(0, deviation^2).
  static Init normal(double deviation) { return {Kind::kNormal, deviation}; }
  // Uniform in [-bound, bound).
  static Init uniform(double bound) { return {Kind::kUniform, bound}; }
  // Orthonormal rows or columns times the gain (Gram-Schmidt on a normal matrix; Saxe et al. 2014).
  // The values are taken as a matrix of Shape::rows() and Shape::cols().
  static Init orthogonal(double gain = 1) { return {Kind::kOrthogonal, gain}; }
  // Glorot and Bengio 2010: uniform with bound sqrt(6 / (in + out)).
  static Init glorot(Index in, Index out);
  // He et al. 2015: normal with deviation sqrt(2 / in).
  static Init he(Index in);
};

// Whether weight decay applies: it does to matrices and kernels, not to biases, gains or norms.
enum class Decay { kNo, kYes };

// What a parameter is for: for what the model computes; only for a loss that supervises its
// attention, which captioning does without; or for a term that starts as zero, so that the model
// computes at first what it would without it. A run may start from weights without the last two.
enum class ParameterUse { kModel, kSupervision, kAddition };

// What a store knows of a parameter.
struct ParameterInfo {
  std::string name;  // with its prefixes: "decoder.lstm.weight"
  Shape shape;       // of its values
  Index offset;      // of its first element in the flat block; a multiple of 16
  Init init;         // how it starts
  Decay decay;       // whether weight decay applies
  ParameterUse use = ParameterUse::kModel;  // what it is for
  double rate = 1;     // a factor on the learning rate; 0: it gets no gradient and never changes
  bool apart = false;  // learns from a loss of its own, which affects no other parameter
  std::string drawn_as = {};  // the parameter whose random numbers it starts with; empty: its own
};

// The weights of a model. Modules declare theirs in their constructors; initialise() then makes the
// values. A module that a program adds needs declare() alone; what else is set here is how this
// library trains its models.
class ParameterStore {
 public:
  // Declares a parameter and returns its index. Throws InternalError if the name is taken or the
  // values have been allocated already.
  int declare(const std::string& name, Shape shape, Init init, Decay decay = Decay::kYes,
              ParameterUse use = ParameterUse::kModel);
  // The same for values that belong to the model but are not learned by gradients, such as the
  // running statistics of a batch normalisation. Their rate is 0.
  int declare_fixed(const std::string& name, Shape shape, Init init,
                    ParameterUse use = ParameterUse::kModel);
  // Used by the models of the library: sets the rate of every parameter below `prefix` (of all for
  // ""), except those declared as fixed. Returns how many there are.
  Index set_rate(const std::string& prefix, double rate);
  // Used by the models of the library: marks every parameter below `prefix`, if there are any, as
  // learning from a loss of its own.
  void set_apart(const std::string& prefix);
  // Used by the models of the library: makes parameter `name` start with the values of `twin`,
  // which has the same shape and Init. Throws InternalError if one of them does not exist or these
  // differ.
  void start_as(const std::string& name, const std::string& twin);
  // Allocates all declared parameters and gives them their initial values, for the first time or
  // anew. Nothing can be declared afterwards. Views of earlier values become invalid. Throws
  // std::bad_alloc where the memory does not suffice.
  void initialise(std::uint64_t seed);
  // The same with zeros instead of initial values, where all of them are about to be read from a
  // file: millions of random numbers take longer than reading the weights.
  void allocate();

  // The number of parameters.
  std::size_t count() const { return infos_.size(); }
  // What is known of parameter number `index`, which must lie in 0 .. count() - 1.
  const ParameterInfo& info(int index) const { return infos_[static_cast<std::size_t>(index)]; }
  // What is known of all parameters, in the order in which they were declared.
  std::span<const ParameterInfo> infos() const { return infos_; }
  // The index of a parameter by its whole name; -1 if there is none. It throws nothing.
  int find(const std::string& name) const;
  // The values of parameter number `index`, to be written to. Neither this nor the number is
  // checked: initialise() must have been called, and index lie in 0 .. count() - 1.
  View value(int index);
  // The values of parameter number `index`, to be read; unchecked, too.
  ConstView value(int index) const;
  // All values in declaration order, for Tape::set_parameters; valid while the store lives.
  std::span<const ConstView> views() const { return views_; }
  Index flat_size() const { return flat_size_; }  // including the padding between parameters
  Index number_count() const;                     // the number of values of all parameters
  Index trained_count() const;                    // the number of those that training changes
  // Whether training changes parameters 0, 1, ... (not 0), for Tape::set_parameters.
  std::span<const char> trained() const { return trained_; }
  // The block of all values, to be written to; empty before initialise().
  Tensor& flat() { return values_; }
  // The block of all values, to be read; empty before initialise().
  const Tensor& flat() const { return values_; }

 private:
  std::vector<ParameterInfo> infos_;
  std::vector<ConstView> views_;
  std::vector<char> trained_, fixed_;
  Tensor values_;
  Index flat_size_ = 0;
};

// A prefix of names for modules that declare parameters: ParamScope(store,
// "decoder").sub("lstm").declare("weight", ...). It also says what they are for.
class ParamScope {
 public:
  // The names below `prefix` (without a dot at its end; "": all names) of a store, which must
  // outlive the scope. All that is declared through the scope is for `use`.
  ParamScope(ParameterStore& store, std::string prefix, ParameterUse use = ParameterUse::kModel)
      : store_(&store), prefix_(std::move(prefix)), use_(use) {}
  // The scope below this one: its prefix is this prefix, a dot, and the name.
  ParamScope sub(const std::string& name) const { return {*store_, path(name), use_}; }
  // Declares a parameter below the prefix, and throws, as ParameterStore::declare() does.
  int declare(const std::string& name, Shape shape, Init init, Decay decay = Decay::kYes) const {
    return store_->declare(path(name), shape, init, decay, use_);
  }
  // Declares values that are not learned, as ParameterStore::declare_fixed() does.
  int declare_fixed(const std::string& name, Shape shape, Init init) const {
    return store_->declare_fixed(path(name), shape, init, use_);
  }
  // What the names begin with.
  const std::string& prefix() const { return prefix_; }
  // The store in which parameters are declared.
  ParameterStore& store() const { return *store_; }

 private:
  std::string path(const std::string& name) const {
    return prefix_.empty() ? name : prefix_ + "." + name;
  }
  ParameterStore* store_;
  std::string prefix_;
  ParameterUse use_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
