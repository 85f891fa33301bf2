#include "core/kernels/optimized/conv_primitive.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

#include "core/kernels/constant_weights.h"
#include "core/kernels/internal/conv_gain.h"
#include "core/kernels/optimized/one_thread.h"
#include "core/kernels/optimized/pack_rounded.h"
#include "core/kernels/optimized/weight_layout.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {
namespace {

using dnnl::memory;
using kernels_detail::engine;

constexpr auto kRounded = memory::data_type::bf16;

// What a thread needs for every convolution: its stream, and memory for the length of a call.
struct Workspace {
  dnnl::stream stream{kernels_detail::stream()};
  Tensor x, y, weights, products, scratchpad, bias;

  static memory memory_in(Tensor& tensor, const memory::desc& desc) {
    return {desc, engine(),
            room(tensor, static_cast<Index>((desc.get_size() + sizeof(Real) - 1) / sizeof(Real)))};
  }
};
Workspace& workspace() {
  static parallel::PerThread<Workspace> spaces;
  return spaces.get();
}

memory wrap(const memory::desc& desc, const Real* data) {
  return {desc, engine(), const_cast<Real*>(data)};
}

memory::desc channels_last(const memory::dims& extents, memory::data_type type) {
  return {extents, type, memory::format_tag::nhwc};
}

using kernels_detail::ConvWeights;

// The input channels are those of one group.
ConvWeights weights_of(const ConvKey& key, const Real* data, const Real* gain) {
  const Index taps = key.shape.kernel_height * key.shape.kernel_width;
  return {.data = data,
          .gain = gain,
          .taps = taps,
          .in = key.shape.patch() / taps,
          .out = key.shape.out_channels,
          .width = key.all_channels};
}

Index size_of(const ConvWeights& w) { return (w.taps * w.in - 1) * w.width + w.out; }

void scale(const ConvWeights& w, Real* to) {
  for (Index r = 0; r < w.taps * w.in; ++r)
    for (Index c = 0; c < w.out; ++c) to[r * w.width + c] = w.data[r * w.width + c] * w.gain[c];
}

// Writes a tap of weights to its place in a layout.
using PackTap = void (*)(const ConvWeights&, Index tap, std::uint16_t* to);
template <Index block>
void pack_outputs(const ConvWeights& w, Index tap, std::uint16_t* to) {
  kernels_detail::pack_rounded_outputs(w, block, tap, to);
}

// For layouts of bfloat16 numbers that packing knows; null for others.
PackTap packing_of(const memory::desc& theirs) {
  const memory::dims extents = theirs.dims();  // output and input channels, height, width
  if (extents.size() != 4) return nullptr;
  const Index out = extents[0], in = extents[1];
  const auto is = [&](memory::format_tag tag) {
    return theirs == memory::desc(extents, kRounded, tag);
  };
  if (in % 2 == 0 && out % 32 == 0 && is(memory::format_tag::AcdB32a2b)) return pack_outputs<32>;
  if (in % 2 == 0 && out % 64 == 0 && is(memory::format_tag::AcdB64a2b)) return pack_outputs<64>;
  if (in % 16 == 0 && out % 32 == 0 && is(memory::format_tag::ABcd8a16b2a))
    return kernels_detail::pack_rounded_inputs;
  return nullptr;
}

// An argument of a convolution: in our layout, and in the layout of the primitive.
struct Argument {
  memory::desc ours, theirs;
  dnnl::reorder in, out;  // where the two layouts differ
  int layout = 0;         // for packed_weights()
  bool rounds = false;    // `theirs` differs in nothing but the type
  PackTap pack_tap = nullptr;

  bool same() const { return ours == theirs; }
  void set(const memory::desc& our, const memory::desc& their) {
    ours = our, theirs = their;
    rounds = our.dims().size() == 4 && theirs == channels_last(our.dims(), kRounded) &&
             ours == channels_last(our.dims(), memory::data_type::f32);
    if (same()) return;
    in = dnnl::reorder({engine(), ours, engine(), theirs});
    out = dnnl::reorder({engine(), theirs, engine(), ours});
  }
  // The memory from which the primitive reads `data`; output() is the memory to which it writes.
  memory input(const Real* data, Tensor& buffer, dnnl::stream& stream) const {
    memory given = wrap(ours, data);
    if (same()) return given;
    memory packed = Workspace::memory_in(buffer, theirs);
    if (rounds) {
      round_to_bf16({data, ours.get_size() / sizeof(Real)},
                    static_cast<std::uint16_t*>(packed.get_data_handle()));
    } else {
      in.execute(stream, given, packed);
    }
    return packed;
  }
  void set_weights(const memory::desc& our, const memory::desc& their) {
    set(our, their);
    layout = kernels_detail::layout_number({ours, engine(), nullptr}, {theirs, engine(), nullptr});
    pack_tap = packing_of(theirs);
  }
  // The same of weights, of which there may be a copy in the primitive's layout.
  memory held_input(const ConvWeights& w, Tensor& buffer) const {
    if (same() && !w.gain) return wrap(ours, w.data);
    const auto write = [ours = ours, theirs = theirs, pack_tap = pack_tap, w](void* copy,
                                                                              Index tap) {
      if (pack_tap) return pack_tap(w, tap, static_cast<std::uint16_t*>(copy));
      if (ours == theirs) return scale(w, static_cast<Real*>(copy));
      Tensor products;
      if (w.gain) scale(w, room(products, size_of(w)));
      memory from = wrap(ours, w.gain ? products.data() : w.data), to(theirs, engine(), copy);
      kernels_detail::reorder(from, to);
    };
    const Index parts = pack_tap ? w.taps : 1;
    const void* packed = packed_weights(
        w.data, static_cast<std::size_t>(size_of(w)), 2 * layout + (w.gain ? 1 : 0),
        theirs.get_size(), {.write = write, .parts = parts, .of_weights_alone = !w.gain});
    if (packed) return {theirs, engine(), const_cast<void*>(packed)};
    memory into = Workspace::memory_in(buffer, theirs);
    for (Index part = 0; part < parts; ++part) write(into.get_data_handle(), part);
    return into;
  }
  memory output(Real* data, Tensor& buffer) const {
    return same() ? wrap(ours, data) : Workspace::memory_in(buffer, theirs);
  }
  void unpack(memory& written, Real* data, dnnl::stream& stream) const {
    if (same()) return;
    memory result = wrap(ours, data);
    out.execute(stream, written, result);
  }
};

// A convolution in one direction, and what the call needs to know of its arguments.
struct Primitive {
  Argument x, y, weights;
  memory::desc bias, scratchpad;
  dnnl::primitive convolution;
  dnnl::reorder add_weights;  // adds up a gradient of weights
};

// What oneDNN does to each sum. y holds what is to be added.
dnnl::post_ops post_ops_of(const ConvKey& key) {
  dnnl::post_ops ops;
  if (key.skip) ops.append_sum();
  if (key.activation == Activation::kRelu)
    ops.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (key.activation == Activation::kRelu6)
    ops.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, 6);
  return ops;
}

// Winograd's minimal filtering (Lavin and Gray 2016) with tiles of 4 x 4 takes a quarter of the
// multiplications, but oneDNN's version has an image layout of its own. It pays if enough pixels
// share the transform of the weights, and enough channels that of the pixels.
bool winograd_pays(const ConvShape& s, Index positions) {
  constexpr Index kChannels = 32, kPositions = 350;
  const auto fits = [](Index channels) { return channels >= kChannels && channels % 16 == 0; };
  return s.kernel_height == 3 && s.kernel_width == 3 && s.stride == 1 && s.groups == 1 &&
         s.dilation == 1 && s.padding == Padding(1) && fits(s.in_channels) &&
         fits(s.out_channels) && positions >= kPositions;
}
bool winograd_pays(const ConvShape& s) {
  return winograd_pays(s, s.batch * s.out_height() * s.out_width());
}

Primitive make(const ConvKey& key, dnnl::algorithm algorithm) {
  const ConvShape& s = key.shape;
  constexpr auto kFloat = memory::data_type::f32;
  // oneDNN names extents in the order nchw and oihw, whatever the layout.
  const memory::dims extents =
      s.groups == 1
          ? memory::dims{s.out_channels, s.in_channels, s.kernel_height, s.kernel_width}
          : memory::dims{s.groups, s.group_out(), s.group_in(), s.kernel_height, s.kernel_width};
  const auto held = [&](bool rounded) { return rounded ? kRounded : kFloat; };
  const memory::desc our_x =
      channels_last({s.batch, s.in_channels, s.height, s.width}, held(key.rounded_x));
  const memory::desc our_y = channels_last(
      {s.batch, s.out_channels, key.out_height(), s.out_width()}, held(key.rounded_y));
  const auto tag = s.groups == 1 ? memory::format_tag::hwio : memory::format_tag::hwigo;
  const Index tap = s.in_channels * key.all_channels;
  const memory::desc our_weights =
      key.all_channels == s.out_channels
          ? memory::desc(extents, kFloat, tag)
          : memory::desc(extents, kFloat,
                         memory::dims{1, key.all_channels, s.kernel_width * tap, tap});
  // Operands may be rounded; what is added up never is. The other directions need a description of
  // the forward pass as a hint, which takes rounded numbers alone.
  const auto rounded = held(key.precision == Precision::kBf16);
  using Types = std::function<memory::data_type(ConvDirection)>;  // by the direction that writes it
  const Types own = [&](ConvDirection result) {
    return key.direction == result ? held(key.rounded_y) : rounded;
  };
  const Types hint = [&](ConvDirection result) {
    return key.direction == ConvDirection::kForward ? own(result) : rounded;
  };
  const auto layout = algorithm == dnnl::algorithm::convolution_direct ? memory::format_tag::nhwc
                                                                       : memory::format_tag::any;
  const auto x_of = [&](const Types& types) {
    return memory::desc(our_x.dims(), types(ConvDirection::kData), layout);
  };
  const auto y_of = [&](const Types& types) {
    return memory::desc(our_y.dims(), types(ConvDirection::kForward), layout);
  };
  const auto weights_of = [&](const Types& types) {
    return memory::desc(extents, types(ConvDirection::kWeights), memory::format_tag::any);
  };
  const memory::desc x = x_of(own), y = y_of(own), any = weights_of(own);
  const memory::dims strides{s.stride, s.stride}, before{key.rows.before, s.padding.before};
  const memory::dims after{key.rows.after, s.padding.after};
  const memory::dims dilates{s.dilation - 1,
                             s.dilation - 1};  // oneDNN counts the pixels that are skipped
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::primitive_attr with_post_ops = attributes;
  with_post_ops.set_post_ops(post_ops_of(key));

  Primitive p;
  if (key.bias) p.bias = memory::desc({s.out_channels}, kFloat, memory::format_tag::x);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, x_of(hint), weights_of(hint), p.bias,
       y_of(hint), strides, dilates, before, after},
      with_post_ops, engine());
  switch (key.direction) {
    case ConvDirection::kForward:
      p.convolution = dnnl::convolution_forward(forward);
      p.x.set(our_x, forward.src_desc());
      p.y.set(our_y, forward.dst_desc());
      p.weights.set_weights(our_weights, forward.weights_desc());
      p.scratchpad = forward.scratchpad_desc();
      break;
    case ConvDirection::kData: {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {algorithm, x, any, y, strides, dilates, before, after}, attributes, engine(), forward);
      p.convolution = dnnl::convolution_backward_data(backward);
      p.x.set(our_x, backward.diff_src_desc());
      p.y.set(our_y, backward.diff_dst_desc());
      p.weights.set_weights(our_weights, backward.weights_desc());
      p.scratchpad = backward.scratchpad_desc();
      break;
    }
    case ConvDirection::kWeights: {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {algorithm, x, any, p.bias, y, strides, dilates, before, after}, attributes, engine(),
          forward);
      p.convolution = dnnl::convolution_backward_weights(backward);
      p.x.set(our_x, backward.src_desc());
      p.y.set(our_y, backward.diff_dst_desc());
      p.scratchpad = backward.scratchpad_desc();
      p.weights.ours = our_weights, p.weights.theirs = backward.diff_weights_desc();
      p.weights.out = dnnl::reorder({engine(), p.weights.theirs, engine(), p.weights.ours});
      dnnl::post_ops add;
      add.append_sum();
      dnnl::primitive_attr adding;
      adding.set_post_ops(add);
      p.add_weights = dnnl::reorder({engine(), p.weights.theirs, engine(), p.weights.ours, adding});
      break;
    }
  }
  return p;
}

}  // namespace

bool library_has_winograd() {
  static const bool has = [] {
    const ConvShape any{.height = 32,
                        .width = 32,
                        .in_channels = 32,
                        .out_channels = 32,
                        .kernel_height = 3,
                        .kernel_width = 3,
                        .padding = 1};
    try {
      make({.shape = any, .direction = ConvDirection::kForward},
           dnnl::algorithm::convolution_winograd);
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }();
  return has;
}

bool library_uses_winograd(const ConvShape& shape) {
  return library_has_winograd() && conv_precision(shape) == Precision::kF32 && winograd_pays(shape);
}

bool sees_only_padding(const ConvShape& s) {
  const auto on_axis = [&s](Index extent, Index kernel, Index results) {
    const auto outside = [&](Index result) {
      const Index first = result * s.stride - s.padding.before;
      const Index skipped = first < 0 ? (-first + s.dilation - 1) / s.dilation : 0;  // taps
      return skipped >= kernel || first + skipped * s.dilation >= extent;
    };
    // Only taps before the image, or behind it, can miss it: those of the results at both ends.
    for (Index r = 0; r < results && r * s.stride < s.padding.before; ++r)
      if (outside(r)) return true;
    for (Index r = results - 1; r >= 0 && r * s.stride - s.padding.before >= extent; --r)
      if (outside(r)) return true;
    return false;
  };
  return on_axis(s.height, s.kernel_height, s.out_height()) ||
         on_axis(s.width, s.kernel_width, s.out_width());
}

bool gathers_too_much(const ConvShape& s) {
  constexpr Index kBlock = 16;
  return s.kernel_height == 1 && s.kernel_width == 1 && s.stride > 1 && s.group_in() < kBlock;
}

Precision conv_precision(const ConvShape& s) {
  constexpr Index kChannels = 16, kColors = 3, kWide = 3;
  const bool image = s.in_channels == kColors && s.dilation == 1 &&
                     std::min(s.kernel_height, s.kernel_width) >= kWide;
  const bool usual = s.groups == 1 && (s.in_channels % kChannels == 0 || image) &&
                     s.out_channels % kChannels == 0 && s.height >= s.reach(s.kernel_height) &&
                     s.width >= s.reach(s.kernel_width) && !sees_only_padding(s);
  if (!usual || precision() == Precision::kF32) return Precision::kF32;
  // Filtered by Winograd, images of 28 x 28 and more take .7 to 1 of the time of rounded ones, but
  // not where the processor multiplies tiles of bfloat16 (AMX).
  static const bool tiles = dnnl::get_effective_cpu_isa() == dnnl::cpu_isa::avx512_core_amx;
  const bool filtered = !tiles && winograd_pays(s, s.out_height() * s.out_width());
  return filtered && library_has_winograd() ? Precision::kF32 : Precision::kBf16;
}

namespace {

Primitive make(const ConvKey& key) try {
  if (key.precision == Precision::kF32 && library_has_winograd() && winograd_pays(key.shape)) {
    try {
      return make(key, dnnl::algorithm::convolution_winograd);
    } catch (const dnnl::error& error) {  // not in this direction
      if (error.status == dnnl_out_of_memory) throw;
    }
  }
  return make(key, dnnl::algorithm::convolution_direct);
} catch (const dnnl::error& error) {
  kernels_detail::rethrow(error);
}

// Creating a primitive takes longer than many convolutions, so each thread keeps those that it
// used. A run has few shapes; where there are many (images of any size), the collection is emptied
// now and then.
const Primitive& primitive(const ConvKey& key) {
  static parallel::PerThread<std::map<ConvKey, Primitive>> of_threads;
  std::map<ConvKey, Primitive>& held = of_threads.get();
  const auto found = held.find(key);
  if (found != held.end()) return found->second;
  if (held.size() >= 512) held.clear();
  return held.emplace(key, make(key)).first->second;
}

}  // namespace

void conv_forward(const ConvKey& key, const ConvForward& at) {
  const auto [x, w, bias, skip, y, gain] = at;
  Workspace& space = workspace();
  const Primitive& p = primitive(key);
  if (skip && skip != y && p.y.same()) std::copy_n(skip, key.results(), y);
  memory out =
      skip && !p.y.same() ? p.y.input(skip, space.y, space.stream) : p.y.output(y, space.y);
  p.convolution.execute(
      space.stream,
      {{DNNL_ARG_SRC, p.x.input(x, space.x, space.stream)},
       {DNNL_ARG_WEIGHTS, p.weights.held_input(weights_of(key, w, gain), space.weights)},
       {DNNL_ARG_BIAS, wrap(p.bias, bias)},
       {DNNL_ARG_DST, out},
       {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
  p.y.unpack(out, y, space.stream);
  space.stream.wait();
}

void conv_backward(const ConvShape& shape, const Real* x, ConstView w, const Real* dy,
                   const ConvGradients& gradients, ConstView gain) {
  const auto& [dx, dw, dgain, dbias, write] = gradients;
  Workspace& space = workspace();
  // The layout in which both passes read dy is usually the same.
  std::optional<memory> packed;
  const auto dy_in = [&](const Primitive& p) {
    if (!packed || packed->get_desc() != p.y.theirs) packed = p.y.input(dy, space.y, space.stream);
    return *packed;
  };
  ConvKey key{
      .shape = shape, .direction = ConvDirection::kData, .precision = conv_precision(shape)};
  if (dx.data) {
    const Primitive& p = primitive(key);
    memory out = p.x.output(dx.data, space.x);
    p.convolution.execute(
        space.stream,
        {{DNNL_ARG_DIFF_DST, dy_in(p)},
         {DNNL_ARG_WEIGHTS,
          p.weights.held_input(weights_of(key, w.data, gain.data), space.weights)},
         {DNNL_ARG_DIFF_SRC, out},
         {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
    p.x.unpack(out, dx.data, space.stream);
  }
  if (dw.data || dgain.data) {
    key.direction = ConvDirection::kWeights;
    key.bias = dbias.data != nullptr;
    const Primitive& p = primitive(key);
    memory theirs = Workspace::memory_in(space.weights, p.weights.theirs);
    p.convolution.execute(
        space.stream,
        {{DNNL_ARG_SRC, p.x.input(x, space.x, space.stream)},
         {DNNL_ARG_DIFF_DST, dy_in(p)},
         {DNNL_ARG_DIFF_WEIGHTS, theirs},
         {DNNL_ARG_DIFF_BIAS, Workspace::memory_in(space.bias, p.bias)},
         {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
    Real* const products = gain.data ? room(space.products, w.size()) : dw.data;
    memory ours = wrap(p.weights.ours, products);
    const bool assigns = gain.data || write == Write::kAssign;
    (assigns ? p.weights.out : p.add_weights).execute(space.stream, theirs, ours);
    space.stream.wait();
    if (gain.data) gain_backward(w, gain, {products, w.shape}, gradients);
    for (Index o = 0; dbias.data && o < dbias.size(); ++o) dbias[o] += space.bias[o];
  }
  space.stream.wait();
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
