#include "core/kernels/conv.h"

#include <algorithm>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>

#include "core/kernels/fast/one_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::fast {

namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// What a thread needs for every convolution: its stream, and memory that a call fills and forgets.
struct Workspace {
  // Also where no pool of ours has prepared the thread: a call uses one thread.
  Workspace() { kernels_detail::use_one_thread(); }
  dnnl::stream stream{engine()};
  Tensor packed, scratchpad, bias;

  static memory room(Tensor& tensor, const memory::desc& desc) {
    const auto count = static_cast<Index>((desc.get_size() + sizeof(Real) - 1) / sizeof(Real));
    if (tensor.size() < count) tensor = Tensor({count});
    return {desc, engine(), tensor.data()};
  }
};
Workspace& workspace() {
  thread_local Workspace space;
  return space;
}

memory wrap(const memory::desc& desc, const Real* data) {
  return {desc, engine(), const_cast<Real*>(data)};
}

memory::desc channels_last(Index batch, Index channels, Index height, Index width) {
  return {{batch, channels, height, width}, memory::data_type::f32, memory::format_tag::nhwc};
}

// A convolution in one direction, the reorder between our layout of the weights and the one oneDNN
// multiplies fastest, and what the call needs to know of its arguments.
struct Primitive {
  memory::desc x, y, ours, weights, bias, scratchpad;
  dnnl::primitive convolution;
  dnnl::reorder reorder;
};

enum class Direction { kForward, kData, kWeights };
struct Key {
  ConvShape shape;
  Direction direction;
  bool bias = false, skip = false;
  Activation activation = Activation::kNone;
  auto operator<=>(const Key&) const = default;
};

// What oneDNN does to each sum: y holds what is to be added.
dnnl::post_ops post_ops_of(const Key& key) {
  dnnl::post_ops ops;
  if (key.skip) ops.append_sum();
  if (key.activation == Activation::kRelu)
    ops.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (key.activation == Activation::kRelu6)
    ops.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, 6);
  return ops;
}

Primitive make(const Key& key) {
  const ConvShape& s = key.shape;
  const Direction direction = key.direction;
  // oneDNN names extents in the order nchw and oihw, whatever the layout.
  const memory::dims extents =
      s.groups == 1
          ? memory::dims{s.out_channels, s.in_channels, s.kernel_height, s.kernel_width}
          : memory::dims{s.groups, s.group_out(), s.group_in(), s.kernel_height, s.kernel_width};
  const memory::desc any(extents, memory::data_type::f32, memory::format_tag::any);
  const memory::dims strides{s.stride, s.stride}, before{s.padding.before, s.padding.before};
  const memory::dims after{s.padding.after, s.padding.after};
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::primitive_attr with_post_ops = attributes;
  with_post_ops.set_post_ops(post_ops_of(key));

  Primitive p;
  p.x = channels_last(s.batch, s.in_channels, s.height, s.width);
  p.y = channels_last(s.batch, s.out_channels, s.out_height(), s.out_width());
  p.ours = memory::desc(extents, memory::data_type::f32,
                        s.groups == 1 ? memory::format_tag::hwio : memory::format_tag::hwigo);
  if (key.bias)
    p.bias = memory::desc({s.out_channels}, memory::data_type::f32, memory::format_tag::x);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, p.x, any, p.bias, p.y, strides, before, after},
      with_post_ops, engine());
  switch (direction) {
    case Direction::kForward:
      p.convolution = dnnl::convolution_forward(forward);
      p.weights = forward.weights_desc();
      p.scratchpad = forward.scratchpad_desc();
      break;
    case Direction::kData: {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {kDirect, p.x, any, p.y, strides, before, after}, attributes, engine(), forward);
      p.convolution = dnnl::convolution_backward_data(backward);
      p.weights = backward.weights_desc();
      p.scratchpad = backward.scratchpad_desc();
      break;
    }
    case Direction::kWeights: {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {kDirect, p.x, any, p.bias, p.y, strides, before, after}, attributes, engine(), forward);
      p.convolution = dnnl::convolution_backward_weights(backward);
      p.weights = backward.diff_weights_desc();
      p.scratchpad = backward.scratchpad_desc();
      dnnl::post_ops add;
      add.append_sum();
      dnnl::primitive_attr adding;
      adding.set_post_ops(add);
      p.reorder = dnnl::reorder({engine(), p.weights, engine(), p.ours, adding});
      return p;
    }
  }
  p.reorder = dnnl::reorder({engine(), p.ours, engine(), p.weights});
  return p;
}

// Creating a primitive takes longer than many convolutions: each thread holds those it used. A run
// meets few shapes; one that meets many (images of any size) starts afresh now and then.
const Primitive& primitive(const Key& key) {
  constexpr std::size_t kMost = 512;
  thread_local std::map<Key, Primitive> held;
  const auto found = held.find(key);
  if (found != held.end()) return found->second;
  if (held.size() >= kMost) held.clear();
  return held.emplace(key, make(key)).first->second;
}

}  // namespace

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  Workspace& space = workspace();
  const Primitive& p = primitive({.shape = shape,
                                  .direction = Direction::kForward,
                                  .bias = epilogue.bias.data != nullptr,
                                  .skip = epilogue.skip.data != nullptr,
                                  .activation = epilogue.activation});
  if (epilogue.skip.data) std::copy_n(epilogue.skip.data, y.size(), y.data);
  memory ours = wrap(p.ours, w.data), packed = Workspace::room(space.packed, p.weights);
  p.reorder.execute(space.stream, ours, packed);
  p.convolution.execute(space.stream,
                        {{DNNL_ARG_SRC, wrap(p.x, x.data)},
                         {DNNL_ARG_WEIGHTS, packed},
                         {DNNL_ARG_BIAS, wrap(p.bias, epilogue.bias.data)},
                         {DNNL_ARG_DST, wrap(p.y, y.data)},
                         {DNNL_ARG_SCRATCHPAD, Workspace::room(space.scratchpad, p.scratchpad)}});
  space.stream.wait();
}

void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx) {
  Workspace& space = workspace();
  const Primitive& p = primitive({.shape = shape, .direction = Direction::kData});
  memory ours = wrap(p.ours, w.data), packed = Workspace::room(space.packed, p.weights);
  p.reorder.execute(space.stream, ours, packed);
  p.convolution.execute(space.stream,
                        {{DNNL_ARG_DIFF_DST, wrap(p.y, dy.data)},
                         {DNNL_ARG_WEIGHTS, packed},
                         {DNNL_ARG_DIFF_SRC, wrap(p.x, dx.data)},
                         {DNNL_ARG_SCRATCHPAD, Workspace::room(space.scratchpad, p.scratchpad)}});
  space.stream.wait();
}

void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias) {
  Workspace& space = workspace();
  const Primitive& p =
      primitive({.shape = shape, .direction = Direction::kWeights, .bias = dbias.data != nullptr});
  memory ours = wrap(p.ours, dw.data), packed = Workspace::room(space.packed, p.weights);
  const memory bias = Workspace::room(space.bias, p.bias);
  p.convolution.execute(space.stream,
                        {{DNNL_ARG_SRC, wrap(p.x, x.data)},
                         {DNNL_ARG_DIFF_DST, wrap(p.y, dy.data)},
                         {DNNL_ARG_DIFF_WEIGHTS, packed},
                         {DNNL_ARG_DIFF_BIAS, bias},
                         {DNNL_ARG_SCRATCHPAD, Workspace::room(space.scratchpad, p.scratchpad)}});
  p.reorder.execute(space.stream, packed, ours);
  space.stream.wait();
  for (Index o = 0; o < dbias.size() && dbias.data; ++o) dbias[o] += space.bias[o];
}

}  // namespace kernels::fast
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
