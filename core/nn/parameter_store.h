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
  enum class Kind { kConstant, kNormal, kUniform, kOrthogonal };
  Kind kind = Kind::kConstant;
  // The value (constant), standard deviation (normal), bound (uniform) or gain (orthogonal).
  double scale = 0;

  static Init constant(double value) { return {Kind::kConstant, value}; }
  static Init normal(double deviation) { return {Kind::kNormal, deviation}; }
  static Init uniform(double bound) { return {Kind::kUniform, bound}; }
  // Orthonormal rows or columns (Gram-Schmidt on a normal matrix); for matrices [rows, cols].
  static Init orthogonal(double gain = 1) { return {Kind::kOrthogonal, gain}; }
  // Glorot and Bengio 2010: uniform with bound sqrt(6 / (in + out)).
  static Init glorot(Index in, Index out);
  // He et al. 2015: normal with deviation sqrt(2 / in).
  static Init he(Index in);
};

// Whether weight decay applies: it does to matrices and kernels, not to biases, gains or norms.
enum class Decay { kNo, kYes };

// What a parameter is for: for what the model computes, or only for a loss that supervises its
// attention. Captioning does without the latter, so a run may start from weights without it.
enum class ParameterUse { kModel, kSupervision };

struct ParameterInfo {
  std::string name;
  Shape shape;
  Index offset;  // of its first element in the flat block; a multiple of 16
  Init init;
  Decay decay;
  ParameterUse use = ParameterUse::kModel;
  double rate = 1;     // a factor on the learning rate; 0: it gets no gradient and never changes
  bool apart = false;  // learns from a loss of its own, which affects no other parameter
  std::string drawn_as = {};  // the parameter whose random numbers it starts with; empty: its own
};

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
  // Sets the rate of every parameter below `prefix` (of all for ""), except those declared as
  // fixed. Returns how many there are.
  Index set_rate(const std::string& prefix, double rate);
  // Marks every parameter below `prefix`, if there are any, as learning from a loss of its own.
  void set_apart(const std::string& prefix);
  // Makes parameter `name` start with the values of `twin`, which has the same shape and Init.
  // Throws InternalError if one of them does not exist or these differ.
  void start_as(const std::string& name, const std::string& twin);
  // Allocates all declared parameters and gives them their initial values.
  void initialise(std::uint64_t seed);

  std::size_t count() const { return infos_.size(); }
  const ParameterInfo& info(int index) const { return infos_[static_cast<std::size_t>(index)]; }
  std::span<const ParameterInfo> infos() const { return infos_; }
  int find(const std::string& name) const;  // -1 if there is none with this name
  View value(int index);
  ConstView value(int index) const;
  // All values in declaration order, for Tape::set_parameters; valid while the store lives.
  std::span<const ConstView> views() const { return views_; }
  Index flat_size() const { return flat_size_; }  // including the padding between parameters
  Index number_count() const;                     // the number of values of all parameters
  Index trained_count() const;                    // the number of those that training changes
  // Whether training changes parameters 0, 1, ... (not 0), for Tape::set_parameters.
  std::span<const char> trained() const { return trained_; }
  Tensor& flat() { return values_; }
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
  ParamScope(ParameterStore& store, std::string prefix, ParameterUse use = ParameterUse::kModel)
      : store_(&store), prefix_(std::move(prefix)), use_(use) {}
  ParamScope sub(const std::string& name) const { return {*store_, path(name), use_}; }
  int declare(const std::string& name, Shape shape, Init init, Decay decay = Decay::kYes) const {
    return store_->declare(path(name), shape, init, decay, use_);
  }
  int declare_fixed(const std::string& name, Shape shape, Init init) const {
    return store_->declare_fixed(path(name), shape, init, use_);
  }
  const std::string& prefix() const { return prefix_; }
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
