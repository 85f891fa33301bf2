// Features in parts that do not fit each other, or that claim what is not there, are refused by one
// line that names the place; and what belongs together is found.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "core/attention/map.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/io/array_file.h"
#include "core/io/base64.h"
#include "core/io/safetensors_header.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "vision/encoders/given_features.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

EncoderConfig features_at(const fs::path& path) {
  EncoderConfig config;
  config.type = "features";
  config.features.path = path.string();
  return config;
}

// The message of the error that reading a file ends with.
std::string refusal(const fs::path& path, const std::string& name) {
  try {
    const GivenFeatures given(features_at(path));
    std::vector<float> row(static_cast<std::size_t>(given.grid().size()));
    given.read(
        std::vector<std::string>{name}, nullptr,
        [] {
          return ImageSize{30, 40};
        },
        row);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("damaged features are refused by one line that names the place") {
  const fs::path root = fs::path(SACCADE_GOLDEN_FEATURES) / "bad";
  const struct {
    const char* file;
    const char* name;
    const char* says;
  } cases[] = {{"cut.npy", "cut", "cut"},
               {"object.npy", "object", "pickle"},
               {"nan.npy", "nan", "nan"},
               {"wrong-count.tsv", "7", "5 boxes of 4 numbers"},
               {"bad-base64.tsv", "7", "boxes in base64"},
               {"five-fields.tsv", "7", "line 1 has 5 fields"},
               {"stale.tsv", "1", "line 2 says '3'"},
               {"external.h5", "7", "lie in another file"},
               {"virtual.h5", "7", "lie in another file"}};
  for (const auto& [file, name, says] : cases) {
    const std::string message = refusal(root / file, name);
    INFO(file << ": " << message);
    CHECK(message.find(says) != std::string::npos);
    CHECK(message.find((root / file).stem().string()) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

// Writes frames [3, 2] of the sound "a", with these times.
void write_sound(const fs::path& folder, std::vector<float> times) {
  fs::create_directories(folder / kTimesFolder);
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  write_file(folder / "a.npy", numpy_file(std::array<Index, 2>{3, 2}, values));
  write_file(folder / kTimesFolder / "a.npy",
             numpy_file(std::array<Index, 1>{std::ssize(times)}, times));
}

TEST_CASE("frames in time have their seconds, and places in steps of the data") {
  const test::TempFolder folder("times");
  write_sound(folder.path(), {0.5F, 1, 2});
  EncoderConfig config = features_at(folder.path());
  config.positions = PositionKind::kSinusoidal;
  const GivenFeatures given(config);
  CHECK(given.grid().in_time);
  CHECK(given.grid().cols == 3);
  CHECK(given.grid().features == 2);
  std::vector<float> row(6);
  const FoundFeatures got = given.read(std::vector<std::string>{"sounds/a.wav"}, nullptr, {}, row);
  CHECK(got.places->times == std::vector<float>{0.5F, 1, 2});
  CHECK(got.places->position(1) == 1 / given.form().step);
  CHECK(got.places->boxes[2].left == 2.0F / 3);
  const Geometry unseen = geometry_of_times(got.places);
  CHECK(lacks_pictures(unseen));
  CHECK(RegionLayout{{1, 3}, unseen.places}.region_name(1) == "frame 1 (1 s)");
  CHECK(FeatureForm::of_text(given.form().text()).grid() == given.grid());

  config.positions = PositionKind::kCoordinates;
  CHECK_THROWS_AS(GivenFeatures(config), UsageError);
}

TEST_CASE("frames whose times do not rise, are too few or are no numbers are refused") {
  const std::pair<std::vector<float>, const char*> cases[] = {
      {{0, 1, 1}, "time number 2 of 3 is 1 s, and the one before it 1 s"},
      {{0, 1}, "has 3 frames; their times are [3]"},
      {{0, std::nanf(""), 2}, "time number 1 of 3 is nan"}};
  for (const auto& [times, says] : cases) {
    const test::TempFolder folder("times");
    write_sound(folder.path(), times);
    const std::string message = refusal(folder.path(), "a");
    INFO(message);
    CHECK(message.find(says) != std::string::npos);
    CHECK(message.find("a.npy") != std::string::npos);
  }
}

// A safetensors file of these arrays: floats, and ids that are whole numbers.
struct NamedArray {
  std::string name, type;
  std::vector<Index> shape;
};
void write_arrays(const fs::path& path, std::vector<NamedArray> arrays) {
  std::sort(arrays.begin(), arrays.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<SafetensorsEntry> entries;
  std::string data;
  for (const NamedArray& array : arrays) {
    const bool ids = array.type == "I64";
    SafetensorsEntry entry{.name = array.name, .type = array.type, .shape = array.shape};
    entry.offset = data.size();
    const auto count =
        std::accumulate(array.shape.begin(), array.shape.end(), Index{1}, std::multiplies<>());
    for (Index i = 0; i < count; ++i) {
      const std::int64_t number = i + 1;
      const float share = array.name == "boxes" ? (i % 4 < 2 ? 0.25F : 0.5F) : 1;
      if (ids)
        data.append(reinterpret_cast<const char*>(&number), sizeof number);
      else
        data.append(reinterpret_cast<const char*>(&share), sizeof share);
    }
    entry.bytes = data.size() - entry.offset;
    entries.push_back(entry);
  }
  const std::string header = safetensors_header_text(entries, {});
  const std::uint64_t length = header.size();
  write_file(path,
             std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data);
}

TEST_CASE("arrays over all photos whose extents differ are refused") {
  const std::vector<NamedArray> good{
      {"ids", "I64", {2}}, {"features", "F32", {2, 3, 5}}, {"boxes", "F32", {2, 3, 4}}};
  const struct {
    NamedArray instead;
    const char* says;
  } cases[] = {{{"boxes", "F32", {2, 1, 4}}, "it has to be [2, 3, 4]"},
               {{"boxes", "F32", {2, 6, 4}}, "it has to be [2, 3, 4]"},
               {{"boxes", "F32", {2, 4, 3}}, "it has to be [2, 3, 4]"},
               {{"boxes", "F32", {3, 3, 4}}, "there are 2 photos"},
               {{"times", "F32", {2, 2}}, "it has to be [2, 3]"},
               {{"features_mask", "F32", {2, 3}}, "all regions of the photo are masked"},
               {{"features_mask", "F32", {2, 4}}, "it has to be [2, 3]"},
               {{"features", "F32", {2, 0, 5}}, "features are [regions, D] or a grid"},
               {{"features", "F32", {2, 2, 3, 4, 5}}, "features are [regions, D] or a grid"},
               {{"features", "I64", {2, 3, 5}}, "features are floats"}};
  const test::TempFolder folder("stacked");
  const fs::path path = folder / "all.safetensors";
  write_arrays(path, good);
  CHECK(refusal(path, "1").empty());
  for (const auto& [instead, says] : cases) {
    std::vector<NamedArray> arrays = good;
    std::erase_if(arrays, [&](const NamedArray& one) { return one.name == instead.name; });
    arrays.push_back(instead);
    write_arrays(path, arrays);
    const std::string message = refusal(path, "1");
    INFO(instead.name << ": " << message);
    CHECK(message.find(says) != std::string::npos);
    CHECK(message.find("all.safetensors") != std::string::npos);
  }
}

TEST_CASE("a count that a table announces is not believed, and widths are those of each line") {
  const test::TempFolder folder("announced");
  const fs::path path = folder / "plain.tsv";
  const auto line = [](const char* id, const char* count, std::size_t numbers) {
    std::vector<float> values(numbers, 0.5F);
    for (std::size_t i = numbers - 6; i < numbers; ++i) values[i] = i + 4 < numbers ? 0.25F : 0.5F;
    for (std::size_t i = numbers - 2; i < numbers; ++i) values[i] = 0.25F;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    return str(id, "\t", count, "\t", base64({bytes, values.size() * sizeof(float)}), "\n");
  };
  for (const char* count : {"2000000000", "9223372036854775807", "2"}) {
    write_file(path, line("1", "1", 13) + line("2", count, 13));
    const std::string message = refusal(path, "2");
    INFO(count << ": " << message);
    CHECK(message.find("plain.tsv: line 2: expected features of") != std::string::npos);
  }
  write_file(path, line("1", "1", 11) + line("2", "1", 13) + line("3", "1", 13));
  CHECK(refusal(path, "2").find("the features of 1 are [1, 5]") != std::string::npos);
}

TEST_CASE("boxes of a folder are found as photos are, and none may be missing") {
  const test::TempFolder folder("parts");
  fs::create_directories(folder / "boxes");
  const std::vector<float> values(6, 1), boxes{0, 0, 0.5F, 0.5F, 0.25F, 0.25F, 1, 1};
  const fs::path photo = folder / "42.npy", box = folder / "boxes/COCO_val2014_000000000042.npy";
  write_file(photo, numpy_file(std::array<Index, 2>{2, 3}, values));
  write_file(box, numpy_file(std::array<Index, 2>{2, 4}, boxes));
  for (const fs::path& path : {folder.path(), photo})
    CHECK(open_features(path)->read("42").boxes.size() == 2);
  write_file(folder / "43.npy", numpy_file(std::array<Index, 2>{2, 3}, values));
  CHECK(refusal(folder.path(), "43").find("it has no file of the photo 43") != std::string::npos);
  // The array's name means nothing where there is one array without a name.
  CHECK(open_features(photo, {.array = "reg_feat", .pooled = ""})->read("42").boxes.size() == 2);
}

}  // namespace
}  // namespace saccade
