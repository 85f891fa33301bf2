#include "core/io/torch_weights.h"
#include "core/kernels/gemm.h"
#include "core/nn/parameter_store.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using test::message_of;
using test::TempFolder;

namespace {

// Declares a kernel, a depthwise kernel, a matrix and a normalisation below "encoder", and one
// other parameter.
void declare(ParameterStore& store, Index width = 4) {
  const ParamScope scope(store, "encoder");
  const auto add = [](const ParamScope& at, const char* name, Shape shape) {
    at.declare(name, shape, Init::normal(1));
  };
  add(scope.sub("conv"), "weight", {2, 3, 5, width});
  add(scope.sub("depthwise"), "weight", {3, 3, 1, width});
  add(scope.sub("head"), "weight", {width, 6});
  add(scope.sub("norm"), "gain", {width});
  add(scope.sub("norm"), "shift", {width});
  add(ParamScope(store, "decoder"), "weight", {2, 2});
}

const TorchWeights kEncoder{.scope = "encoder"};

}  // namespace

TEST_CASE("layouts of torch are ours with other orders of the axes") {
  Tensor kernel({2, 3, 4, 5});
  for (Index i = 0; i < kernel.size(); ++i) kernel[i] = static_cast<Real>(i);
  const std::vector<Real> theirs = to_torch(TorchLayout::kKernel, kernel.view());
  for (Index u = 0; u < 2; ++u)
    for (Index v = 0; v < 3; ++v)
      for (Index i = 0; i < 4; ++i)
        for (Index o = 0; o < 5; ++o)
          CHECK(theirs[static_cast<std::size_t>(((o * 4 + i) * 2 + u) * 3 + v)] ==
                kernel[((u * 3 + v) * 4 + i) * 5 + o]);
  Tensor back({2, 3, 4, 5});
  from_torch(TorchLayout::kKernel, theirs, back.view());
  CHECK(std::equal(back.span().begin(), back.span().end(), kernel.data()));
  const Tensor matrix({2, 3}, std::vector<Real>{0, 1, 2, 3, 4, 5});
  CHECK(to_torch(TorchLayout::kMatrix, matrix.view()) == std::vector<Real>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("weights that go through a file come back bit for bit") {
  const TempFolder folder("torch-weights");
  ParameterStore from, to;
  declare(from), declare(to);
  from.initialise(1), to.initialise(2);
  save_torch_weights(folder / "w.safetensors", kEncoder, from);
  const SafetensorsFile file(folder / "w.safetensors");
  REQUIRE(file.find("conv.weight") != nullptr);
  CHECK(file.find("conv.weight")->shape == std::vector<Index>{4, 5, 2, 3});
  CHECK(file.find("depthwise.weight")->shape == std::vector<Index>{4, 1, 3, 3});
  CHECK(file.find("head.weight")->shape == std::vector<Index>{6, 4});
  CHECK(file.find("norm.weight") != nullptr);
  CHECK(file.find("norm.bias") != nullptr);
  CHECK(file.entries().size() == 5);
  CHECK(load_torch_weights(file, kEncoder, to).loaded == 5);
  for (int p = 0; p < static_cast<int>(from.count()); ++p) {
    CAPTURE(from.info(p).name);
    const auto a = std::as_const(from).value(p).span(), b = std::as_const(to).value(p).span();
    CHECK(std::equal(a.begin(), a.end(), b.begin()) == (from.info(p).name.starts_with("encoder.")));
  }
  save_torch_weights(folder / "again.safetensors", kEncoder, to);
  CHECK(TempFolder::read(folder / "w.safetensors") ==
        TempFolder::read(folder / "again.safetensors"));
}

TEST_CASE("everything that does not fit is reported at once, and nothing changes") {
  const TempFolder folder("torch-misfits");
  const std::vector<float> ones(64, 1);
  const auto array = [&](const std::string& name, std::vector<Index> shape, std::size_t count) {
    return SafetensorsArray{name, "F32", std::move(shape),
                            std::as_bytes(std::span(ones).first(count))};
  };
  save_safetensors(folder / "w.safetensors",
                   {array("head.weight", {4, 6}, 24), array("norm.weight", {4}, 4),
                    array("norm.bias", {5}, 5), array("fc.weight", {2}, 2), array("extra", {1}, 1),
                    array("norm.num_batches_tracked", {1}, 1)});
  const SafetensorsFile file(folder / "w.safetensors");
  ParameterStore store;
  declare(store);
  store.initialise(1);
  const Tensor before = store.flat().clone();
  TorchWeights weights = kEncoder;
  weights.ignored = {"fc."};
  const std::string error =
      message_of<DataError>([&] { load_torch_weights(file, weights, store); });
  for (const char* text :
       {"w.safetensors", "2 missing: conv.weight, depthwise.weight", "1 unexpected: 'extra'",
        "head.weight is [4, 6] and should be [6, 4]", "norm.bias is [5] and should be [4]"}) {
    CAPTURE(text, error);
    CHECK(error.find(text) != std::string::npos);
  }
  CHECK(error.find('\n') == std::string::npos);
  CHECK(std::equal(before.span().begin(), before.span().end(), store.flat().data()));

  // `strict` is about names only: numbers of another shape belong to something else.
  weights.strict = false;
  CHECK(message_of<DataError>([&] { load_torch_weights(file, weights, store); }) == error);
  CHECK(std::equal(before.span().begin(), before.span().end(), store.flat().data()));
}

TEST_CASE("without strict, parameters that the file lacks stay as they are and are reported") {
  const TempFolder folder("torch-relaxed");
  const std::vector<float> ones(4, 1);
  const auto bytes = std::as_bytes(std::span(ones));
  save_safetensors(folder / "w.safetensors",
                   {{"norm.weight", "F32", {4}, bytes}, {"extra", "F32", {4}, bytes}});
  ParameterStore store, untouched;
  for (ParameterStore* one : {&store, &untouched}) {
    declare(*one);
    one->initialise(1);
  }
  TorchWeights weights = kEncoder;
  weights.strict = false;
  const TorchWeightReport report =
      load_torch_weights(SafetensorsFile(folder / "w.safetensors"), weights, store);
  CHECK(report.loaded == 1);
  CHECK(report.missing ==
        std::vector<std::string>{"conv.weight", "depthwise.weight", "head.weight", "norm.bias"});
  CHECK(report.unexpected == std::vector<std::string>{"'extra'"});
  for (int p = 0; p < static_cast<int>(store.count()); ++p) {
    const auto now = std::as_const(store).value(p).span(),
               then = std::as_const(untouched).value(p).span();
    CHECK(std::equal(now.begin(), now.end(), then.begin()) ==
          (store.info(p).name != "encoder.norm.gain"));
  }
  CHECK(store.value(store.find("encoder.norm.gain"))[3] == 1);
  // A file without any of the names is that of another network.
  save_safetensors(folder / "w.safetensors", {{"extra", "F32", {4}, bytes}});
  CHECK_THROWS_AS(load_torch_weights(SafetensorsFile(folder / "w.safetensors"), weights, store),
                  DataError);
}

namespace {

// How many numbers below "encoder" are not 0.
std::size_t given(const ParameterStore& store) {
  std::size_t count = 0;
  for (const ParameterInfo& info : store.infos())
    if (info.name.starts_with("encoder."))
      for (const Real x : store.value(store.find(info.name)).span()) count += x == 0 ? 0U : 1U;
  return count;
}

// A file that knows how many numbers were read before others are read, and not given to parameters.
class CountingFile final : public TensorFile {
 public:
  CountingFile(const SafetensorsFile& file, const ParameterStore& store)
      : file_(file), store_(store) {
    entries_.assign(file.entries().begin(), file.entries().end());
  }
  std::vector<float> floats(const SafetensorsEntry& entry) const override {
    waiting = std::max(waiting, numbers_ - given(store_));
    numbers_ += entry.bytes / sizeof(float);
    return file_.floats(entry);
  }
  std::vector<double> doubles(const SafetensorsEntry& entry) const override {
    return file_.doubles(entry);
  }
  mutable std::size_t waiting = 0;

 private:
  const SafetensorsFile& file_;
  const ParameterStore& store_;
  mutable std::size_t numbers_ = 0;
};

}  // namespace

TEST_CASE("each array of a file is given to its parameter before the next one is read") {
  const TempFolder folder("torch-memory");
  ParameterStore from, to;
  declare(from);
  from.initialise(1);
  save_torch_weights(folder / "w.safetensors", kEncoder, from);
  declare(to);
  to.initialise(1);
  for (Real& value : to.flat().span()) value = 0;
  const SafetensorsFile file(folder / "w.safetensors");
  const CountingFile counting(file, to);
  CHECK(load_torch_weights(counting, kEncoder, to).loaded == 5);
  CHECK(counting.waiting == 0);
  CHECK(given(to) == given(from));
}

TEST_CASE("weights that are not finite are refused") {
  const TempFolder folder("torch-nan");
  const std::vector<float> bad{1, NAN};
  save_safetensors(folder / "w.safetensors",
                   {{"weight", "F32", {2}, std::as_bytes(std::span(bad))}});
  ParameterStore store;
  ParamScope(store, "").declare("weight", {2}, Init::constant(0));
  store.initialise(1);
  const std::string error = message_of<DataError>(
      [&] { load_torch_weights(SafetensorsFile(folder / "w.safetensors"), {}, store); });
  CHECK(error.find("'weight' has a number that is not finite") != std::string::npos);
}

namespace {

// The same file with other names.
std::filesystem::path renamed(const TempFolder& folder, const SafetensorsFile& file,
                              const std::function<std::vector<std::string>(std::string)>& names) {
  std::vector<SafetensorsArray> arrays;
  std::vector<std::vector<float>> numbers;
  numbers.reserve(file.entries().size());
  for (const SafetensorsEntry& entry : file.entries()) {
    numbers.push_back(file.floats(entry));
    for (const std::string& name : names(entry.name))
      arrays.push_back({name, "F32", entry.shape, std::as_bytes(std::span(numbers.back()))});
  }
  save_safetensors(folder / "renamed.safetensors", std::move(arrays));
  return folder / "renamed.safetensors";
}

}  // namespace

TEST_CASE("a prefix that programs put before a network's names is left out") {
  const TempFolder folder("torch-prefix");
  ParameterStore from;
  declare(from);
  from.initialise(1);
  save_torch_weights(folder / "w.safetensors", kEncoder, from);
  const SafetensorsFile plain(folder / "w.safetensors");
  const auto loaded = [&](const auto& names) {
    ParameterStore to;
    declare(to);
    to.initialise(2);
    const TorchWeightReport report =
        load_torch_weights(SafetensorsFile(renamed(folder, plain, names)), kEncoder, to);
    CHECK(report.loaded == 5);
    CHECK(report.complete());
    for (const char* name : {"encoder.conv.weight", "encoder.norm.shift"}) {
      const auto a = std::as_const(from).value(from.find(name)).span(),
                 b = std::as_const(to).value(to.find(name)).span();
      CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
    return report;
  };
  using Names = std::vector<std::string>;
  const auto none = [](const std::string& name) { return Names{name}; };
  CHECK(loaded(none).prefix_text().empty());
  for (const std::string prefix : {"module.", "model.", "backbone.", "encoder.", "visual.",
                                   "module.encoder_q.", "state_dict.model.0."}) {
    const auto behind = [&](const std::string& name) { return Names{prefix + name}; };
    // A head that stands beside it, and another part of a larger model.
    const auto beside = [&](const std::string& name) {
      return name == "norm.bias" ? Names{prefix + name, "fc.bias", "text.norm.bias"}
                                 : Names{prefix + name};
    };
    CHECK(loaded(behind).prefix == prefix);
    CHECK(loaded(beside).prefix == prefix);
    CHECK_THAT(loaded(behind).prefix_text(), Catch::Contains("'" + prefix + "'"));
  }
  // Where it is there twice, nobody can know which one is meant.
  const auto twice = [](const std::string& name) {
    return Names{"student." + name, "teacher." + name};
  };
  ParameterStore to;
  declare(to);
  to.initialise(2);
  const std::string error = message_of<DataError>(
      [&] { load_torch_weights(SafetensorsFile(renamed(folder, plain, twice)), kEncoder, to); });
  CHECK_THAT(error, Catch::Contains("behind several prefixes, 'student.', 'teacher.': keep"));
  // Where one name lacks it, that name is told.
  const auto all_but_one = [](const std::string& name) {
    return Names{name == "norm.bias" ? name : "backbone." + name};
  };
  CHECK_THAT(message_of<DataError>([&] {
               load_torch_weights(SafetensorsFile(renamed(folder, plain, all_but_one)), kEncoder,
                                  to);
             }),
             Catch::Contains("norm.bias (which is there without the prefix 'backbone.')"));
}

namespace {

std::vector<Real> values_of(const ParameterStore& store, const std::string& name) {
  const ConstView v = store.value(store.find(name));
  return {v.data, v.data + v.size()};
}

}  // namespace

TEST_CASE("initial values depend on seed and name only") {
  const auto declare = [](ParameterStore& store, const std::string& name) {
    store.declare(name, {5, 3}, name == "ortho" ? Init::orthogonal() : Init::normal(1));
  };
  ParameterStore two, three, reordered, other_seed;
  for (const char* name : {"a", "ortho"}) declare(two, name), declare(other_seed, name);
  for (const char* name : {"a", "between", "ortho"}) declare(three, name);
  for (const char* name : {"ortho", "a"}) declare(reordered, name);
  two.initialise(1), three.initialise(1), reordered.initialise(1), other_seed.initialise(2);
  for (const char* name : {"a", "ortho"}) {
    CAPTURE(name);
    CHECK(values_of(two, name) == values_of(three, name));
    CHECK(values_of(two, name) == values_of(reordered, name));
    CHECK(values_of(two, name) != values_of(other_seed, name));
  }
  CHECK(values_of(three, "a") != values_of(three, "between"));
  // Memory alone, which is zero, takes nothing from the values that may follow.
  two.allocate();
  CHECK(values_of(two, "a") == std::vector<Real>(15));
  two.initialise(1);
  CHECK(values_of(two, "a") == values_of(three, "a"));
}

TEST_CASE("a parameter may start with the values of another name") {
  ParameterStore store;
  store.declare("query", {3, 4}, Init::glorot(3, 4));
  const int key = store.declare("key", {3, 4}, Init::glorot(3, 4));
  store.declare("wide", {3, 8}, Init::glorot(3, 8));
  REQUIRE_THROWS_AS(store.start_as("key", "wide"), InternalError);
  REQUIRE_THROWS_AS(store.start_as("key", "value"), InternalError);
  store.start_as("key", "query");
  store.initialise(5);
  const ConstView query = store.value(store.find("query"));
  for (Index i = 0; i < query.size(); ++i) REQUIRE(store.value(key)[i] == query[i]);
}

TEST_CASE("each kind of initial value has its distribution") {
  ParameterStore store;
  store.declare("constant", {3}, Init::constant(0.5));
  store.declare("normal", {100, 100}, Init::normal(2));
  store.declare("uniform", {100, 100}, Init::uniform(0.1));
  store.declare("glorot", {100, 50}, Init::glorot(100, 50));
  store.initialise(4);
  const auto moments = [&](const char* name) {
    double sum = 0, squares = 0, largest = 0;
    const std::vector<Real> values = values_of(store, name);
    for (const Real x : values) {
      sum += x, squares += double{x} * x;
      largest = std::max(largest, std::abs(double{x}));
    }
    const auto n = static_cast<double>(values.size());
    return std::array<double, 3>{sum / n, std::sqrt(squares / n), largest};
  };
  CHECK(values_of(store, "constant") == std::vector<Real>(3, 0.5F));
  const auto [normal_mean, normal_rms, normal_largest] = moments("normal");
  CHECK(std::abs(normal_mean) < 0.1);
  CHECK(normal_rms == Approx(2).epsilon(0.03));
  CHECK(normal_largest > 5);
  const auto [uniform_mean, uniform_rms, uniform_largest] = moments("uniform");
  CHECK(std::abs(uniform_mean) < 0.003);
  CHECK(uniform_rms == Approx(0.1 / std::sqrt(3.0)).epsilon(0.03));
  CHECK(uniform_largest <= 0.1F);
  CHECK(moments("glorot")[2] == Approx(std::sqrt(6.0 / 150)).epsilon(0.01));
}

TEST_CASE("orthogonal matrices are orthogonal") {
  ParameterStore store;
  store.declare("square", {16, 16}, Init::orthogonal());
  store.declare("wide", {5, 16}, Init::orthogonal(2));
  store.declare("tall", {16, 5}, Init::orthogonal(0.5));
  store.initialise(1);
  for (const ParameterInfo& info : store.infos()) {
    CAPTURE(info.name);
    const ConstView w = store.value(store.find(info.name));
    const Index n = std::min(w.rows(), w.cols());
    Tensor product({n, n}), expected({n, n});
    // The rows of a wide matrix, or the columns of a tall one.
    if (w.rows() <= w.cols()) {
      kernels::matmul_nt(w, w, product.view(), 0);
    } else {
      kernels::matmul_tn(w, w, product.view(), 0);
    }
    for (Index i = 0; i < n; ++i)
      expected[i * n + i] = static_cast<Real>(info.init.scale * info.init.scale);
    CHECK(test::close(expected.view(), product.view()));
  }
}

TEST_CASE("parameters do not overlap in their block and are found by name") {
  ParameterStore store;
  const ParamScope scope = ParamScope(store, "decoder").sub("lstm");
  const int w = scope.declare("weight", {3, 5}, Init::constant(1));
  const int b = scope.declare("bias", {5}, Init::constant(2), Decay::kNo);
  CHECK(store.find("decoder.lstm.weight") == w);
  CHECK(store.find("weight") == -1);
  CHECK_THROWS_AS(scope.declare("bias", {5}, Init::constant(0)), InternalError);
  store.initialise(1);
  CHECK_THROWS_AS(scope.declare("late", {5}, Init::constant(0)), InternalError);
  CHECK(store.count() == 2);
  CHECK(store.number_count() == 20);
  CHECK(store.flat_size() == 32);
  CHECK(store.info(b).offset % 16 == 0);
  CHECK(store.info(b).decay == Decay::kNo);
  CHECK(store.value(b).data == store.flat().data() + store.info(b).offset);
  CHECK(store.views()[static_cast<std::size_t>(b)].data == store.value(b).data);
  CHECK(store.value(w)[14] == 1);
  CHECK(store.value(b)[0] == 2);
  CHECK(store.flat()[15] == 0);  // the padding
}

}  // namespace saccade
