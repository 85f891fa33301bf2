#include "core/kernels/conv.h"

#include <algorithm>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>

#include "core/kernels/optimized/one_thread.h"
#include "core/kernels/optimized/winograd.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// What a thread needs for every convolution: its stream, and memory for the length of a call.
struct Workspace {
  // A call uses one thread, even on a thread that no pool of ours has prepared.
  Workspace() { kernels_detail::use_one_thread(); }
  dnnl::stream stream{engine()};
  Tensor x, y, weights, scratchpad, bias, channels;

  static Real* buffer(Tensor& tensor, Index count) {
    if (tensor.size() < count) tensor = Tensor({count});
    return tensor.data();
  }
  static memory memory_in(Tensor& tensor, const memory::desc& desc) {
    return {
        desc, engine(),
        buffer(tensor, static_cast<Index>((desc.get_size() + sizeof(Real) - 1) / sizeof(Real)))};
  }
};
Workspace& workspace() {
  static parallel::PerThread<Workspace> spaces;
  return spaces.get();
}

memory wrap(const memory::desc& desc, const Real* data) {
  return {desc, engine(), const_cast<Real*>(data)};
}

memory::desc channels_last(Index batch, Index channels, Index height, Index width) {
  return {{batch, channels, height, width}, memory::data_type::f32, memory::format_tag::nhwc};
}

// An argument of a convolution: in our layout, and in the layout of the primitive.
struct Argument {
  memory::desc ours, theirs;
  dnnl::reorder in, out;  // where the two layouts differ

  bool same() const { return ours == theirs; }
  void set(const memory::desc& our, const memory::desc& their) {
    ours = our, theirs = their;
    if (same()) return;
    in = dnnl::reorder({engine(), ours, engine(), theirs});
    out = dnnl::reorder({engine(), theirs, engine(), ours});
  }
  // The memory from which the primitive reads `data`; output() is the memory to which it writes.
  memory input(const Real* data, Tensor& buffer, dnnl::stream& stream) const {
    memory given = wrap(ours, data);
    if (same()) return given;
    memory packed = Workspace::memory_in(buffer, theirs);
    in.execute(stream, given, packed);
    return packed;
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

enum class Direction { kForward, kData, kWeights };
struct Key {
  ConvShape shape;
  Direction direction;
  bool bias = false, skip = false;
  Activation activation = Activation::kNone;
  // A part of an image's rows has padding of its own above and below.
  Padding rows = shape.padding;
  // A part of the output channels reads a part of each row of these weights.
  Index all_channels = shape.out_channels;
  auto operator<=>(const Key&) const = default;

  Index out_height() const {
    return (shape.height + rows.both() - shape.reach(shape.kernel_height)) / shape.stride + 1;
  }
  Index results() const {
    return shape.batch * out_height() * shape.out_width() * shape.out_channels;
  }
};

// What oneDNN does to each sum. y holds what is to be added.
dnnl::post_ops post_ops_of(const Key& key) {
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
bool winograd_pays(const ConvShape& s) {
  constexpr Index kChannels = 32, kPositions = 350;
  const auto fits = [](Index channels) { return channels >= kChannels && channels % 16 == 0; };
  return s.kernel_height == 3 && s.kernel_width == 3 && s.stride == 1 && s.groups == 1 &&
         s.dilation == 1 && s.padding == Padding(1) && fits(s.in_channels) &&
         fits(s.out_channels) && s.batch * s.out_height() * s.out_width() >= kPositions;
}

Primitive make(const Key& key, dnnl::algorithm algorithm) {
  const ConvShape& s = key.shape;
  constexpr auto kFloat = memory::data_type::f32;
  // oneDNN names extents in the order nchw and oihw, whatever the layout.
  const memory::dims extents =
      s.groups == 1
          ? memory::dims{s.out_channels, s.in_channels, s.kernel_height, s.kernel_width}
          : memory::dims{s.groups, s.group_out(), s.group_in(), s.kernel_height, s.kernel_width};
  const memory::desc our_x = channels_last(s.batch, s.in_channels, s.height, s.width);
  const memory::desc our_y =
      channels_last(s.batch, s.out_channels, key.out_height(), s.out_width());
  const auto tag = s.groups == 1 ? memory::format_tag::hwio : memory::format_tag::hwigo;
  const Index tap = s.in_channels * key.all_channels;
  const memory::desc our_weights =
      key.all_channels == s.out_channels
          ? memory::desc(extents, kFloat, tag)
          : memory::desc(extents, kFloat,
                         memory::dims{1, key.all_channels, s.kernel_width * tap, tap});
  const memory::desc any(extents, kFloat, memory::format_tag::any);
  const auto image = [&](const memory::desc& ours) {
    return algorithm == dnnl::algorithm::convolution_direct
               ? ours
               : memory::desc(ours.dims(), kFloat, memory::format_tag::any);
  };
  const memory::desc x = image(our_x), y = image(our_y);
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
      {dnnl::prop_kind::forward_training, algorithm, x, any, p.bias, y, strides, dilates, before,
       after},
      with_post_ops, engine());
  switch (key.direction) {
    case Direction::kForward:
      p.convolution = dnnl::convolution_forward(forward);
      p.x.set(our_x, forward.src_desc());
      p.y.set(our_y, forward.dst_desc());
      p.weights.set(our_weights, forward.weights_desc());
      p.scratchpad = forward.scratchpad_desc();
      break;
    case Direction::kData: {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {algorithm, x, any, y, strides, dilates, before, after}, attributes, engine(), forward);
      p.convolution = dnnl::convolution_backward_data(backward);
      p.x.set(our_x, backward.diff_src_desc());
      p.y.set(our_y, backward.diff_dst_desc());
      p.weights.set(our_weights, backward.weights_desc());
      p.scratchpad = backward.scratchpad_desc();
      break;
    }
    case Direction::kWeights: {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {algorithm, x, any, p.bias, y, strides, dilates, before, after}, attributes, engine(),
          forward);
      p.convolution = dnnl::convolution_backward_weights(backward);
      p.x.set(our_x, backward.src_desc());
      p.y.set(our_y, backward.diff_dst_desc());
      p.scratchpad = backward.scratchpad_desc();
      p.weights.ours = our_weights, p.weights.theirs = backward.diff_weights_desc();
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

// Whether oneDNN has Winograd's filtering on this processor, which it has with AVX-512 only.
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
      make({.shape = any, .direction = Direction::kForward}, dnnl::algorithm::convolution_winograd);
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }();
  return has;
}

Primitive make(const Key& key) try {
  if (library_has_winograd() && winograd_pays(key.shape)) {
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
const Primitive& primitive(const Key& key) {
  static parallel::PerThread<std::map<Key, Primitive>> of_threads;
  std::map<Key, Primitive>& held = of_threads.get();
  const auto found = held.find(key);
  if (found != held.end()) return found->second;
  if (held.size() >= 512) held.clear();
  return held.emplace(key, make(key)).first->second;
}

// Calls body(shape of some images, their first input number, their first output number). Winograd's
// layout is used for a few images at a time, which stay in the cache.
template <class Body>
void for_parts(const ConvShape& shape, Body body) {
  constexpr Index kPositions = 3136;
  const Index in = shape.input().size() / shape.batch, out = shape.output().size() / shape.batch;
  const Index positions = out / shape.out_channels;
  const Index most = library_has_winograd() && winograd_pays(shape)
                         ? (kPositions + positions - 1) / positions
                         : shape.batch;
  for (Index first = 0; first < shape.batch; first += most) {
    ConvShape part = shape;
    part.batch = std::min(most, shape.batch - first);
    body(part, first * in, first * out);
  }
}

bool ours_pays(const ConvShape& shape) { return !library_has_winograd() && winograd::pays(shape); }

// Where the arguments of a forward pass lie. A null pointer adds nothing.
struct Forward {
  const Real *x, *w, *bias, *skip;
  Real* y;
};

Key forward_key(const ConvShape& shape, const ConvEpilogue& epilogue) {
  return {.shape = shape,
          .direction = Direction::kForward,
          .bias = epilogue.bias.data != nullptr,
          .skip = epilogue.skip.data != nullptr,
          .activation = epilogue.activation};
}

void forward(const Key& key, const Forward& at) {
  const auto [x, w, bias, skip, y] = at;
  Workspace& space = workspace();
  const Primitive& p = primitive(key);
  if (skip && skip != y && p.y.same()) std::copy_n(skip, key.results(), y);
  memory out =
      skip && !p.y.same() ? p.y.input(skip, space.y, space.stream) : p.y.output(y, space.y);
  p.convolution.execute(
      space.stream, {{DNNL_ARG_SRC, p.x.input(x, space.x, space.stream)},
                     {DNNL_ARG_WEIGHTS, p.weights.input(w, space.weights, space.stream)},
                     {DNNL_ARG_BIAS, wrap(p.bias, bias)},
                     {DNNL_ARG_DST, out},
                     {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
  p.y.unpack(out, y, space.stream);
  space.stream.wait();
}

void backward_data(const ConvShape& shape, const Real* w, const Real* dy, Real* dx) {
  Workspace& space = workspace();
  const Primitive& p = primitive({.shape = shape, .direction = Direction::kData});
  memory out = p.x.output(dx, space.x);
  p.convolution.execute(
      space.stream, {{DNNL_ARG_DIFF_DST, p.y.input(dy, space.y, space.stream)},
                     {DNNL_ARG_WEIGHTS, p.weights.input(w, space.weights, space.stream)},
                     {DNNL_ARG_DIFF_SRC, out},
                     {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
  p.x.unpack(out, dx, space.stream);
  space.stream.wait();
}

void backward_weights(const ConvShape& shape, const Real* x, const Real* dy, Real* dw, View dbias) {
  Workspace& space = workspace();
  const Primitive& p =
      primitive({.shape = shape, .direction = Direction::kWeights, .bias = dbias.data != nullptr});
  memory ours = wrap(p.weights.ours, dw);
  memory theirs = Workspace::memory_in(space.weights, p.weights.theirs);
  p.convolution.execute(
      space.stream, {{DNNL_ARG_SRC, p.x.input(x, space.x, space.stream)},
                     {DNNL_ARG_DIFF_DST, p.y.input(dy, space.y, space.stream)},
                     {DNNL_ARG_DIFF_WEIGHTS, theirs},
                     {DNNL_ARG_DIFF_BIAS, Workspace::memory_in(space.bias, p.bias)},
                     {DNNL_ARG_SCRATCHPAD, Workspace::memory_in(space.scratchpad, p.scratchpad)}});
  p.add_weights.execute(space.stream, theirs, ours);
  space.stream.wait();
  for (Index o = 0; o < dbias.size() && dbias.data; ++o) dbias[o] += space.bias[o];
}

// The output rows [begin, end) of one image.
void forward_rows(const Key& whole, const Forward& at, Index begin, Index end) {
  const ConvShape& s = whole.shape;
  // The input rows from the first tap of the first row; some may lie outside the image.
  const Index first = begin * s.stride - s.padding.before;
  const Index last = (end - 1) * s.stride - s.padding.before + s.reach(s.kernel_height);
  const Index top = std::max(Index{0}, first), bottom = std::min(s.height, last);
  Key part = whole;
  part.shape.height = bottom - top;
  part.rows = Padding(top - first, last - bottom);
  const Index out = begin * s.out_width() * s.out_channels;
  forward(part, {.x = at.x + top * s.width * s.in_channels,
                 .w = at.w,
                 .bias = at.bias,
                 .skip = at.skip ? at.skip + out : nullptr,
                 .y = at.y + out});
}

// The output channels [begin, end) of one image. oneDNN writes them side by side.
void forward_channels(const Key& whole, const Forward& at, Index begin, Index end) {
  const Index all = whole.shape.out_channels, width = end - begin;
  const Index positions = whole.shape.out_height() * whole.shape.out_width();
  Key part = whole;
  part.shape.out_channels = width;
  Real* const y = Workspace::buffer(workspace().channels, positions * width);
  for (Index p = 0; at.skip && p < positions; ++p)
    std::copy_n(at.skip + p * all + begin, width, y + p * width);
  forward(part, {.x = at.x,
                 .w = at.w + begin,
                 .bias = at.bias ? at.bias + begin : nullptr,
                 .skip = at.skip ? y : nullptr,
                 .y = y});
  for (Index p = 0; p < positions; ++p) std::copy_n(y + p * width, width, at.y + p * all + begin);
}

// The images [begin, end) of a batch.
void forward_images(const Key& whole, const Forward& at, Index begin, Index end) {
  const Index in = whole.shape.input().size() / whole.shape.batch;
  const Index out = whole.results() / whole.shape.batch;
  Key part = whole;
  part.shape.batch = end - begin;
  forward(part, {.x = at.x + begin * in,
                 .w = at.w,
                 .bias = at.bias,
                 .skip = at.skip ? at.skip + begin * out : nullptr,
                 .y = at.y + begin * out});
}

// Computes a convolution in parts. oneDNN packs the weights for every part of the rows, and the
// results of a part of the channels are copied, so an image is cut where that costs less.
void forward_in_parts(const Key& whole, const Forward& at) {
  constexpr Index kFewestChannels = 32;
  // Reading and writing an image takes as long as this many multiplications for each result.
  constexpr Index kLeastPatch = 16;
  const ConvShape& s = whole.shape;
  const auto cut = [&](auto forward_part, Index count, Index unit) {
    const Index cost = whole.results() / count * std::max(s.patch(), kLeastPatch);
    parallel::split_kernel({.count = count, .unit = unit, .cost = cost},
                           [&](Index begin, Index end) {
                             if (end - begin == count) return forward(whole, at);
                             forward_part(whole, at, begin, end);
                           });
  };
  if (s.batch > 1) return cut(forward_images, s.batch, 1);
  const Index reach = s.reach(s.kernel_height);
  const bool rows_see_the_image = s.padding.before < reach && s.padding.after < reach;
  const bool channels_apart =
      s.groups == 1 && s.in_channels > 1 && s.out_channels >= 2 * kFewestChannels;
  if (channels_apart && parallel::kMostParts * s.weights().size() > whole.results())
    return cut(forward_channels, s.out_channels, kFewestChannels);
  if (rows_see_the_image) return cut(forward_rows, s.out_height(), 1);
  forward(whole, at);
}

}  // namespace

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  const bool cut = parallel::splits_kernels();
  if (cut ? winograd::pays_in_parts(shape) : ours_pays(shape))
    return winograd::conv2d(shape, x, w, epilogue, y);
  const Forward all{.x = x.data,
                    .w = w.data,
                    .bias = epilogue.bias.data,
                    .skip = epilogue.skip.data,
                    .y = y.data};
  if (cut) return forward_in_parts(forward_key(shape, epilogue), all);
  for_parts(shape, [&](const ConvShape& part, Index in, Index out) {
    forward(forward_key(part, epilogue), {.x = all.x + in,
                                          .w = all.w,
                                          .bias = all.bias,
                                          .skip = all.skip ? all.skip + out : nullptr,
                                          .y = all.y + out});
  });
}

void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx) {
  if (ours_pays(shape)) return winograd::conv2d_backward_data(shape, w, dy, dx);
  for_parts(shape, [&](const ConvShape& part, Index in, Index out) {
    backward_data(part, w.data, dy.data + out, dx.data + in);
  });
}

void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias) {
  if (ours_pays(shape)) return winograd::conv2d_backward_weights(shape, x, dy, dw, dbias);
  for_parts(shape, [&](const ConvShape& part, Index in, Index out) {
    backward_weights(part, x.data + in, dy.data + out, dw.data, dbias);
  });
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
