// The optimized normalisation against its reference version, and what normalisation promises.
#include "core/kernels/norm.h"

#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;

namespace {

struct Normalised {
  Tensor y, mean, rstd, dx, dgamma, dbeta;
};

}  // namespace

TEST_CASE("group norm agrees with its reference version") {
  const GroupNormShape shapes[] = {{2, 1024, 32, 4}, {3, 35, 96, 8}, {1, 1, 8, 2},
                                   {2, 9, 52, 13},   {2, 16, 7, 7},  {1, 50, 5, 1}};
  std::uint64_t draw = 0;
  for (const GroupNormShape& s : shapes)
    for (const Activation f : {Activation::kNone, Activation::kRelu, Activation::kRelu6}) {
      CAPTURE(s.batch, s.positions, s.channels, s.groups, static_cast<int>(f));
      const Shape images{s.batch, s.positions, s.channels}, channels{s.channels};
      const Shape groups{s.batch, s.groups};
      const Tensor x = noise(images, ++draw, 3), dy = noise(images, ++draw);
      const Tensor gamma = noise(channels, ++draw, 1), beta = noise(channels, ++draw);
      const Tensor before = noise(images, ++draw), add = noise(channels, ++draw);
      const auto run = [&](auto forward, auto backward, kernels::Write write) {
        Normalised n{Tensor(images), Tensor(groups), Tensor(groups),
                     before.clone(), add.clone(),    add.clone()};
        forward(s, f, 1e-5, x.view(), gamma.view(), beta.view(), n.y.view(), n.mean.view(),
                n.rstd.view());
        backward(s, f, x.view(), gamma.view(), n.y.view(), n.mean.view(), n.rstd.view(), dy.view(),
                 kernels::NormGradients{n.dx.view(), n.dgamma.view(), n.dbeta.view(), write});
        return n;
      };
      for (const auto write : {kernels::Write::kAssign, kernels::Write::kAccumulate}) {
        const Normalised optimized = run(kernels::group_norm, kernels::group_norm_backward, write);
        const Normalised reference =
            run(kernels::reference::group_norm, kernels::reference::group_norm_backward, write);
        CHECK(difference(reference.y, optimized.y) <= 1e-5);
        CHECK(difference(reference.mean, optimized.mean) <= 1e-5);
        CHECK(difference(reference.rstd, optimized.rstd) <= 1e-5);
        CHECK(difference(reference.dx, optimized.dx) <= 1e-5);
        CHECK(difference(reference.dgamma, optimized.dgamma) <= 1e-5);
        CHECK(difference(reference.dbeta, optimized.dbeta) <= 1e-5);
      }
    }
}

TEST_CASE("the normalisation of a sample does not depend on its batch, to the bit") {
  const Index positions = 20, channels = 24;
  const Tensor x = noise({3, positions, channels}, 1);
  const Tensor gamma = noise({channels}, 2), beta = noise({channels}, 3);
  Tensor together({3, positions, channels}), mean({3, 4}), rstd({3, 4});
  kernels::group_norm({3, positions, channels, 4}, Activation::kRelu, 1e-5, x.view(), gamma.view(),
                      beta.view(), together.view(), mean.view(), rstd.view());
  for (Index b = 0; b < 3; ++b) {
    const Shape image{1, positions, channels};
    Tensor alone(image);
    kernels::group_norm({1, positions, channels, 4}, Activation::kRelu, 1e-5,
                        {x.data() + b * image.size(), image}, gamma.view(), beta.view(),
                        alone.view(), mean.view(), rstd.view());
    CHECK(std::equal(alone.span().begin(), alone.span().end(), together.data() + b * image.size()));
  }
}

TEST_CASE("layer norm equals group norm of one position and one group") {
  const Index rows = 5, width = 37;
  const Tensor x = noise({rows, width}, 1, -2), dy = noise({rows, width}, 2);
  const Tensor gamma = noise({width}, 3), beta = noise({width}, 4);
  const GroupNormShape shape{rows, 1, width, 1};
  Normalised layer{Tensor({rows, width}), Tensor({rows}),  Tensor({rows}),
                   Tensor({rows, width}), Tensor({width}), Tensor({width})};
  Normalised group{Tensor({rows, width}), Tensor({rows}),  Tensor({rows}),
                   Tensor({rows, width}), Tensor({width}), Tensor({width})};
  kernels::layer_norm(1e-5, x.view(), gamma.view(), beta.view(), layer.y.view(), layer.mean.view(),
                      layer.rstd.view());
  kernels::layer_norm_backward(x.view(), gamma.view(), layer.mean.view(), layer.rstd.view(),
                               dy.view(),
                               {layer.dx.view(), layer.dgamma.view(), layer.dbeta.view()});
  kernels::reference::group_norm(shape, Activation::kNone, 1e-5, x.view(), gamma.view(),
                                 beta.view(), group.y.view(), group.mean.view(), group.rstd.view());
  kernels::reference::group_norm_backward(
      shape, Activation::kNone, x.view(), gamma.view(), group.y.view(), group.mean.view(),
      group.rstd.view(), dy.view(), {group.dx.view(), group.dgamma.view(), group.dbeta.view()});
  CHECK(difference(group.y, layer.y) <= 1e-5);
  CHECK(difference(group.dx, layer.dx) <= 1e-5);
  CHECK(difference(group.dgamma, layer.dgamma) <= 1e-5);
  CHECK(difference(group.dbeta, layer.dbeta) <= 1e-5);
}

}  // namespace saccade
