#include "core/io/safetensors.h"

#include <bit>
#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
using test::message_of;
using test::TempFolder;

namespace {

// A file of a header, followed by `data_bytes` bytes.
std::string file_of(const std::string& header, std::size_t data_bytes) {
  std::string text(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(text.data(), &length, 8);
  return text + header + std::string(data_bytes, '\x01');
}

std::string error_of(const TempFolder& folder, const std::string& bytes) {
  const std::filesystem::path path = folder.write("bad.safetensors", bytes);
  return message_of<DataError>([&] { SafetensorsFile file(path); });
}

template <class T>
SafetensorsArray array_of(const std::string& name, const std::string& type,
                          std::vector<Index> shape, const std::vector<T>& values) {
  return {name, type, std::move(shape), std::as_bytes(std::span(values))};
}

}  // namespace

TEST_CASE("safetensors are read as they were written") {
  const TempFolder folder("safetensors");
  const std::vector<float> floats{1.5F, -2, 0, 3e-40F, 5, 6};
  const std::vector<double> doubles{1.0 / 3};
  const std::vector<std::int64_t> counts{-7, 1LL << 40};
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000}, brains{0x3F80, 0xC000};
  const auto path = folder / "a.safetensors";
  save_safetensors(
      path,
      {array_of("b \"quoted\"\n", "F32", {2, 3}, floats), array_of("a", "F64", {}, doubles),
       array_of("n", "I64", {2}, counts), array_of("h", "F16", {2, 1}, halves),
       array_of("bf", "BF16", {1, 2}, brains), array_of<float>("none", "F32", {0, 4}, {})},
      {{"format", "pt"}, {"note", "two\nlines"}});
  const SafetensorsFile file(path);
  CHECK(file.entries().size() == 6);
  CHECK(file.metadata().at("note") == "two\nlines");
  CHECK(file.find("c") == nullptr);
  REQUIRE(file.find("b \"quoted\"\n") != nullptr);
  CHECK(file.find("b \"quoted\"\n")->shape == std::vector<Index>{2, 3});
  CHECK(file.floats(*file.find("b \"quoted\"\n")) == floats);
  CHECK(file.doubles(*file.find("a")) == doubles);
  CHECK(file.find("a")->shape.empty());
  CHECK(file.int64s(*file.find("n")) == counts);
  CHECK(file.floats(*file.find("h")) == std::vector<float>{1, -2});
  CHECK(file.floats(*file.find("bf")) == std::vector<float>{1, -2});
  CHECK(file.floats(*file.find("none")).empty());
  CHECK(file.floats(*file.find("a"))[0] == static_cast<float>(1.0 / 3));
  CHECK(message_of<DataError>([&] { file.floats(*file.find("n")); }).find("I64") !=
        std::string::npos);
  // Equal content gives equal bytes, and numbers are aligned in the file.
  save_safetensors(
      folder / "b.safetensors",
      {array_of("a", "F64", {}, doubles), array_of("bf", "BF16", {1, 2}, brains),
       array_of<float>("none", "F32", {0, 4}, {}), array_of("h", "F16", {2, 1}, halves),
       array_of("n", "I64", {2}, counts), array_of("b \"quoted\"\n", "F32", {2, 3}, floats)},
      {{"note", "two\nlines"}, {"format", "pt"}});
  CHECK(TempFolder::read(path) == TempFolder::read(folder / "b.safetensors"));
  for (const SafetensorsEntry& entry : file.entries()) CHECK(entry.offset % 2 == 0);
  CHECK_THROWS_AS(save_safetensors(path, {array_of("x", "F32", {2}, std::vector<float>{1})}),
                  InternalError);
  CHECK_THROWS_AS(save_safetensors(path, {array_of("x", "F32", {1}, std::vector<float>{1}),
                                          array_of("x", "F32", {1}, std::vector<float>{1})}),
                  InternalError);
}

TEST_CASE("files that break the format are refused in one line that names file and array") {
  const TempFolder folder("bad-safetensors");
  const std::string good = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  CHECK(error_of(folder, file_of(good, 8)).empty());
  CHECK(error_of(folder, file_of(good + "   ", 8)).empty());
  CHECK(error_of(folder, file_of("{}", 0)).empty());

  struct Case {
    std::string header;
    std::size_t bytes;
    const char* says;
  };
  const std::string huge = "9223372036854775807";
  const Case cases[] = {
      {good, 7, "'w' goes on behind the end"},
      {good, 9, "1 bytes at the end"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12, "gap"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "backwards"},
      {R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "'w': a shape that needs"},
      {R"({"w":{"dtype":"F32","shape":[)" + huge + "," + huge + R"(],"data_offsets":[0,8]}})", 8,
       "more numbers than there can be"},
      {R"({"w":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})", 8,
       "too large"},
      {R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "negative"},
      {R"({"w":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8, "fraction"},
      {R"({"w":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", 8, "'F33'"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})", 8, "more than two"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8, "lacks"},
      {R"({"w":{"dtype":"F32","shape":[2]}})", 8, "lacks"},
      {R"({"w":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", 8, "number where none"},
      {R"({"w":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", 8, "list where none"},
      {R"({"w":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "twice"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8, "'x'"},
      {R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       8, "'w' twice"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
       R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
       12, "'b' overlaps"},
      {R"({"__metadata__":{"a":1}})", 0, "number where none"},
      {R"({"__metadata__":{"a":["b"]}})", 0, "list where none"},
      {R"({"w":7})", 8, "number where none"},
      {R"({"w":{"dtype":{},"shape":[2],"data_offsets":[0,8]}})", 8, "object where none"},
      {R"([1])", 0, "not a JSON object"},
      {R"({"w":)", 0, "not JSON"},
      {"{\"\xFF\":1}", 0, "not JSON"},
      {good + "{}", 8, "not JSON"},
      {"", 0, "not a JSON object"},
      {std::string(100000, '['), 0, "not a JSON object"},
      {R"({"w":)" + std::string(100000, '{'), 0, "JSON"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.header.substr(0, 80));
    const std::string error = error_of(folder, file_of(c.header, c.bytes));
    CAPTURE(error);
    CHECK(error.find("bad.safetensors") != std::string::npos);
    CHECK(error.find(c.says) != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }

  const std::string whole = file_of(good, 8);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK(!error_of(folder, whole.substr(0, bytes)).empty());
  }
  for (const std::uint64_t length : {100'000'001ULL, ~0ULL, ~7ULL}) {
    std::string lying = whole;
    std::memcpy(lying.data(), &length, 8);
    CHECK(error_of(folder, lying).find("100 MB") != std::string::npos);
  }
  // Whatever a byte is changed to, the file is either read or refused.
  const std::size_t end_of_header = whole.size() - 8;
  for (std::size_t at = 0; at < end_of_header; ++at)
    for (const int flip : {1, 2, 4, 16, 32, 128, 255}) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ flip);
      const std::string error = error_of(folder, flipped);
      CHECK((error.empty() || error.find("bad.safetensors") != std::string::npos));
    }
  CHECK(message_of<DataError>([&] { SafetensorsFile file(folder / "none"); }).find("no such") !=
        std::string::npos);
  CHECK(message_of<DataError>([&] { SafetensorsFile file(folder.path()); }).find("directory") !=
        std::string::npos);
}
