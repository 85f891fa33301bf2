// Features that other programs wrote are read in every published form: those of make_features.py
// and, where the environment variable SACCADE_FEATURES names a folder of make_feature_samples.py's
// form, those in it.
#include "vision/encoders/given_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "core/base/error.h"
#include "core/io/array_file.h"
#include "tests/support/catch.h"
#include "tests/support/further_goldens.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// What a reader must find of a photo.
struct Expected {
  Index number = 0;
  ImageSize size{};
  std::vector<float> features, boxes;  // [n, D], [n, 4] as shares
  std::vector<float> grid, wide;       // of the squares, and of the others
  Index count() const { return std::ssize(boxes) / 4; }
};

enum class Kind { kRegions, kListed, kSquare, kWide };

// A form: where it lies below a root, and what of the photos is in it.
struct Form {
  const char* path;
  Kind kind;
  const char* array = "";
  bool some = false;  // whether it has only some of the photos
};

struct Samples {
  fs::path root;
  std::vector<Expected> photos;
  GridSize square, wide;
  std::vector<Form> forms;
};

std::vector<float> array_of(const ArrayFile& file, const std::string& name) {
  return file.floats(file.info(name));
}

Samples own_samples() {
  Samples out{.root = SACCADE_GOLDEN_FEATURES,
              .photos = {},
              .square = {3, 3},
              .wide = {2, 5},
              .forms = {{"tables/bottom-up.tsv", Kind::kRegions},
                        {"tables/objects.tsv", Kind::kRegions},
                        {"tables/vinvl.tsv", Kind::kRegions},
                        {"tables/vinvl.feature.tsv", Kind::kRegions},
                        {"tables/predictions.tsv", Kind::kRegions},
                        {"folders/bu_att", Kind::kRegions},
                        {"folders/all_in_one_file", Kind::kRegions},
                        {"folders/safe", Kind::kRegions},
                        {"folders/tokens", Kind::kSquare},
                        {"folders/wide", Kind::kWide},
                        {"folders/channels_first", Kind::kSquare},
                        {"folders/torch", Kind::kWide},
                        {"folders/orders", Kind::kSquare},
                        {"folders/stack", Kind::kSquare},
                        {"folders/stack/features.npy", Kind::kSquare},
                        {"files/detections.hdf5", Kind::kRegions},
                        {"files/aligned.hdf5", Kind::kRegions},
                        {"files/aligned.hdf5", Kind::kSquare, "grids"},
                        {"files/by_name.h5", Kind::kSquare},
                        {"files/stacked.h5", Kind::kSquare},
                        {"files/stacked.h5", Kind::kListed, "reg_feat"}}};
  const auto file = open_arrays(out.root / "expected.safetensors");
  for (const Index number : {7, 31, 120}) {
    const auto of = [&](const char* what) { return array_of(*file, str(number, ".", what)); };
    const std::vector<float> size = of("size");
    out.photos.push_back({.number = number,
                          .size = {static_cast<Index>(size[1]), static_cast<Index>(size[0])},
                          .features = of("features"),
                          .boxes = of("boxes"),
                          .grid = of("grid"),
                          .wide = of("wide")});
  }
  return out;
}

// The samples of others' forms that the environment names.
std::optional<Samples> named_samples() {
  const auto root = test::further_goldens("SACCADE_FEATURES");
  if (!root) return std::nullopt;
  Samples out{.root = *root,
              .photos = {},
              .square = {7, 7},
              .wide = {6, 10},
              .forms = {{"bottom-up/karpathy_val_resnet101_faster_rcnn_genome.tsv", Kind::kRegions},
                        {"bottom-up/lxmert_val2014_obj36.tsv", Kind::kRegions},
                        {"cocobu/cocobu_att", Kind::kRegions},
                        {"cocobu/cocotest_bu_att", Kind::kListed, "", true},
                        {"xmodaler", Kind::kRegions},
                        {"vinvl/train.feature.tsv", Kind::kRegions},
                        {"vinvl/features.tsv", Kind::kRegions},
                        {"vinvl/predictions.tsv", Kind::kRegions},
                        {"clip/vqa_grid", Kind::kWide},
                        {"clip/tokens", Kind::kSquare},
                        {"clip/all_in_one", Kind::kSquare},
                        {"tensors", Kind::kWide, "", true},
                        {"hdf5/coco_detections.hdf5", Kind::kRegions},
                        {"hdf5/coco_all_align.hdf5", Kind::kRegions},
                        {"hdf5/coco_all_align.hdf5", Kind::kSquare, "grids"},
                        {"hdf5/clip_att.h5", Kind::kSquare},
                        {"hdf5/all_splits.h5", Kind::kSquare},
                        {"hdf5/all_splits.h5", Kind::kListed, "reg_feat"},
                        {"hdf5/half-and-compressed.h5", Kind::kSquare}}};
  const auto file = open_arrays(out.root / "expected.npz");
  for (const Index number : {391895, 184613, 42}) {
    const auto of = [&](const char* what) { return array_of(*file, str(number, "_", what)); };
    const std::vector<float> size = of("size");
    Expected photo{.number = number,
                   .size = {static_cast<Index>(size[1]), static_cast<Index>(size[0])},
                   .features = of("features"),
                   .boxes = of("boxes"),
                   .grid = of("grid7"),
                   .wide = of("grid6x10")};
    for (std::size_t i = 0; i < photo.boxes.size(); ++i) photo.boxes[i] /= size[i % 2];
    out.photos.push_back(std::move(photo));
  }
  return out;
}

std::vector<std::string> names_of(const Expected& photo) {
  const std::string digits = std::to_string(photo.number);
  return {str("COCO_val2014_", std::string(12 - digits.size(), '0'), digits, ".jpg")};
}

EncoderConfig config_of(const fs::path& path, const std::string& array = "") {
  EncoderConfig config;
  config.type = "features";
  config.features.path = path.string();
  config.features.array = array;
  return config;
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

void check_form(const Samples& samples, const Form& form) {
  INFO((samples.root / form.path).string() << " " << form.array);
  const GivenFeatures given(config_of(samples.root / form.path, form.array));
  const GridShape shape = given.grid();
  const bool list = form.kind == Kind::kRegions || form.kind == Kind::kListed;
  CHECK(shape.scattered == list);
  if (!list)
    CHECK(static_cast<const GridSize&>(shape) ==
          (form.kind == Kind::kWide ? samples.wide : samples.square));
  Index found = 0;
  for (const Expected& photo : samples.photos) {
    const std::vector<std::string> names = names_of(photo);
    INFO(names[0]);
    if (!given.source()->find(names)) {
      CHECK(form.some);
      continue;
    }
    ++found;
    std::vector<float> row(static_cast<std::size_t>(shape.size()));
    const FoundFeatures got = given.read(
        names, nullptr, [&] { return photo.size; }, row);
    const std::vector<float>& want = list                       ? photo.features
                                     : form.kind == Kind::kWide ? photo.wide
                                                                : photo.grid;
    // Halves have about three digits.
    CHECK(largest_difference(std::span(row).first(want.size()), want) < 2e-3);
    CHECK(std::all_of(row.begin() + std::ssize(want), row.end(), [](float x) { return x == 0; }));
    CHECK((got.places != nullptr) == list);
    if (!list) continue;
    CHECK(got.places->count == photo.count());
    std::vector<float> edges;
    for (const RegionBox& box : got.places->boxes)
      edges.insert(edges.end(), {box.left, box.top, box.right, box.bottom});
    // Detectors round the size of the picture that they saw.
    if (form.kind == Kind::kRegions) CHECK(largest_difference(edges, photo.boxes) < 5e-4);
    if (form.kind == Kind::kListed) CHECK(edges.empty());
  }
  CHECK(found > 0);
}

TEST_CASE("every form of features is recognised and read exactly") {
  const Samples samples = own_samples();
  for (const Form& form : samples.forms) check_form(samples, form);
}

TEST_CASE("features of others are read in every form") {
  const std::optional<Samples> samples = named_samples();
  if (!samples) return;
  for (const Form& form : samples->forms) check_form(*samples, form);
}

TEST_CASE("a photo is found by its id, its file and COCO's number, and by nothing else") {
  const auto source = open_features(fs::path(SACCADE_GOLDEN_FEATURES) / "tables/bottom-up.tsv");
  const auto find = [&](const char* name) { return source->find(std::vector<std::string>{name}); };
  CHECK(find("7") == "7");
  CHECK(find("000000000007.jpg") == "7");
  CHECK(find("photos/val2014/COCO_val2014_000000000007.jpg") == "7");
  CHECK(find("31.png") == "31");
  CHECK_FALSE(find("dog_7.jpg"));  // the seventh dog is not COCO's seventh photo
  CHECK_FALSE(find("8"));
}

TEST_CASE("a vector of the photo follows the regions, from a folder or from the class token") {
  const fs::path root = fs::path(SACCADE_GOLDEN_FEATURES) / "folders";
  EncoderConfig config = config_of(root / "bu_att");
  config.features.pooled = (root / "bu_fc").string();
  const GivenFeatures given(config);
  CHECK(given.grid().pooled == 1);
  std::vector<float> row(static_cast<std::size_t>(given.grid().size()));
  const Expected photo = own_samples().photos[0];
  given.read(
      names_of(photo), nullptr, [&] { return photo.size; }, row);
  const auto pooled = std::span(row).last(4);
  for (std::size_t d = 0; d < 4; ++d)
    CHECK(std::abs(pooled[d] - (photo.features[d] + photo.features[d + 4]) / 2) < 1e-6);

  EncoderConfig token = config_of(root / "tokens");
  token.pooled = PooledKind::kClassToken;
  const GivenFeatures with_token(token);
  row.resize(static_cast<std::size_t>(with_token.grid().size()));
  with_token.read(names_of(photo), nullptr, {}, row);
  CHECK(row.back() == 0.5F);
}

TEST_CASE("a form survives a checkpoint, and features of another form are refused") {
  const fs::path root = fs::path(SACCADE_GOLDEN_FEATURES);
  EncoderConfig config = config_of(root / "tables/bottom-up.tsv");
  config.positions = PositionKind::kCoordinates;
  const GivenFeatures given(config);
  CHECK(given.grid().features == 4 + kBoxNumbers);
  config.graph = given.form().text();
  config.features.path = "/nowhere";
  const GivenFeatures again(config);
  CHECK(again.digest() == given.digest());
  CHECK(again.grid() == given.grid());
  std::vector<float> row(static_cast<std::size_t>(again.grid().size()));
  const std::vector<std::string> names{"7"};
  CHECK_THROWS_AS(again.read(names, nullptr, {}, row), DataError);
  const auto own = again.open(root / "folders/bu_att");
  again.read(
      names, own.get(),
      [] {
        return ImageSize{30, 40};
      },
      row);
  const auto boxless = again.open(root / "folders/stack");
  CHECK_THROWS_AS(again.read(names, boxless.get(), {}, row), DataError);
}

TEST_CASE("regions beyond the most are left out") {
  EncoderConfig config = config_of(fs::path(SACCADE_GOLDEN_FEATURES) / "tables/bottom-up.tsv");
  config.features.regions = 3;
  const GivenFeatures given(config);
  CHECK(given.grid().cells() == 3);
  std::vector<float> row(static_cast<std::size_t>(given.grid().size()));
  const FoundFeatures got = given.read(std::vector<std::string>{"31"}, nullptr, {}, row);
  CHECK(got.left_out == 1);
  CHECK(got.places->boxes.size() == 3);
}

}  // namespace
}  // namespace saccade
