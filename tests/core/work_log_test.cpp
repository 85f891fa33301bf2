// What kernels are asked to do, counted.
#include "core/kernels/work_log.h"

#include "core/kernels/pointwise.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

TEST_CASE("a log counts what kernels are asked for, while it lives") {
  const Tensor a = test::noise({4, 5}, 1), b = test::noise({5, 6}, 2);
  Tensor c({4, 6});
  const auto multiply = [&] { kernels::matmul(a.view(), b.view(), c.view(), 0); };
  multiply();
  WorkLog log;
  multiply();
  multiply();
  {
    const WorkLog::Pause pause;
    multiply();
  }
  kernels::softmax(a.view(), View(c.data(), a.shape()));
  const ConvShape shape{.height = 40,
                        .width = 40,
                        .in_channels = 32,
                        .out_channels = 32,
                        .kernel_height = 3,
                        .kernel_width = 3,
                        .padding = 1};
  const Tensor x = test::noise(shape.input(), 3), w = test::noise(shape.weights(), 4);
  Tensor y(shape.output());
  kernels::conv2d(shape, x.view(), w.view(), {}, y.view());
  CHECK(log.products == std::map<ProductSize, Index>{{{.m = 4, .n = 6, .k = 5}, 2}});
  CHECK(log.convolutions ==
        std::map<ConvSize, Index>{{{.pass = ConvPass::kForward, .shape = shape}, 1}});
  CHECK(log.all_exponentials == a.size());
}

}  // namespace saccade
