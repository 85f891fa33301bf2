#include "core/io/checkpoint.h"

#include <hdf5.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/base/random.h"
#include "core/io/hdf5_image.h"
#include "core/io/packing.h"
#include "core/io/seal.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
using test::message_of;
using test::TempFolder;

namespace {

Archive sample() {
  Archive archive;
  archive.add_floats("parameters/decoder/lstm/weight", {2, 3},
                     {1.5F, -0.0F, 1e-40F, std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN(), 3e38F});
  archive.add_floats("parameters/empty", {0, 7}, {});
  archive.add_doubles("history", {2}, {0.1, 1e300});
  archive.add_doubles("scalar", {}, {3.25});
  archive.add_int64s("cursor", {1, 3}, {-1, std::numeric_limits<std::int64_t>::min(), 7});
  archive.add_uint64("step", std::numeric_limits<std::uint64_t>::max());
  archive.add_string("config", "name: caf\xC3\xA9\n# two lines\n");
  archive.add_string("nothing", "");
  archive.add_strings("vocabulary", {"<pad>", "", "a", "\xD0\xBA\xD0\xBE\xD1\x82"});
  archive.add_strings("no_strings", {});
  return archive;
}

// Arrays in 16 bits: one that is too small to pack, one of weights, one of nothing but zeros.
Archive halves() {
  Archive archive;
  archive.add_halves("small", {2, 2}, std::vector<float>{0.1F, 0x1p-24F, -3, 65504});
  Random random({.seed = 6, .stream = Stream::kTest});
  std::vector<float> weights(200 * 300);
  for (float& weight : weights) weight = 0.2F * static_cast<float>(random.uniform() - 0.5);
  archive.add_halves("weight", {200, 300}, weights);
  archive.add_halves("zeros", {1 << 20}, std::vector<float>(1 << 20));
  return archive;
}

std::string load_error(const std::filesystem::path& path) {
  return message_of<CheckpointError>([&] { load_archive(path); });
}

// A file with a correct header around any content, as a forger could make it.
std::string forged(const std::string& image, const std::string& index) {
  const auto header = seal(std::as_bytes(std::span(image)), std::as_bytes(std::span(index)));
  return std::string(reinterpret_cast<const char*>(header.data()), header.size()) + image + index;
}

}  // namespace

TEST_CASE("an archive comes back bit for bit") {
  const TempFolder folder("checkpoint");
  const auto path = folder / "step-1.h5";
  save_archive(path, sample());
  const Archive loaded = load_archive(path);
  CHECK(same_entries(sample(), loaded));
  CHECK(loaded.source() == path.string());
  CHECK(folder.count() == 1);
  CHECK(archive_digest(path).size() == 32);

  // The same content gives the same bytes, even in another second.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  save_archive(folder / "again.h5", loaded);
  const bool same_bytes = TempFolder::read(path) == TempFolder::read(folder / "again.h5");
  CHECK(same_bytes);
  save_archive(folder / "empty.h5", Archive());
  CHECK(load_archive(folder / "empty.h5").entries().empty());
}

TEST_CASE("arrays in 16 bits come back as the nearest 16-bit floats, packed where that pays") {
  const TempFolder folder("halves");
  const Archive archive = halves();
  save_archive(folder / "x.h5", archive);
  const Archive loaded = load_archive(folder / "x.h5");
  CHECK(same_entries(archive, loaded));
  CHECK(loaded.floats("small").has_16_bits());
  CHECK(loaded.floats("small").values()[0] == 0.0999755859375F);  // 0x2E66
  CHECK(loaded.floats("small").values()[1] == 0x1p-24F);
  CHECK(Archive::describe(loaded.entries().at("small")) == "float array [2, 2] in 16 bits");

  // Random weights lose a sixth; zeros would lose nearly all, but are not packed so far that a
  // small file could claim much memory.
  std::map<std::string, EntryPlace> places;
  for (const EntryPlace& place : to_hdf5_image(archive).places) places[place.name] = place;
  CHECK_FALSE(places.at("small").packed);
  CHECK(places.at("weight").packed);
  CHECK(places.at("weight").bytes < 2 * 200 * 300 * 9 / 10);
  CHECK_FALSE(places.at("zeros").packed);
  save_archive(folder / "again.h5", loaded);
  const bool same_bytes =
      TempFolder::read(folder / "x.h5") == TempFolder::read(folder / "again.h5");
  CHECK(same_bytes);

  // HDF5 itself reads the packed array and its type.
  const hid_t file = H5Fopen((folder / "x.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const hid_t set = H5Dopen2(file, "/weight", H5P_DEFAULT);
  REQUIRE(set >= 0);
  std::vector<float> values(200 * 300);
  CHECK(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  CHECK(std::ranges::equal(values, archive.floats("weight").values()));
  H5Dclose(set);
  H5Fclose(file);
}

TEST_CASE("a number that 16 bits cannot hold is refused with the name of its array") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [value, text] :
       {std::pair{70000.0F, "70000"}, {65520.0F, "65520"}, {-1e10F, "-1e+10"}, {nan, "nan"}}) {
    Archive archive("run.h5");
    const std::vector<float> numbers{1, 2, value, 4};
    CHECK_THAT(message_of<CheckpointError>([&] {
                 archive.add_halves("w", {2, 2}, numbers);
               }),
               Catch::StartsWith("run.h5: entry 'w': number 2 is ") && Catch::Contains(text) &&
                   Catch::Contains("65504"));
    CHECK_FALSE(archive.contains("w"));
  }
  Archive archive;
  archive.add_halves("w", {1}, std::vector<float>{65519});
  CHECK(archive.floats("w").values()[0] == 65504);
}

TEST_CASE("borrowed values are saved like owned ones") {
  const TempFolder folder("checkpoint");
  const std::vector<float> values = {1, 2, 3, 4};
  Archive borrowing, owning;
  borrowing.borrow_floats("w", {4}, values);
  owning.add_floats("w", {4}, values);
  save_archive(folder / "a.h5", borrowing);
  CHECK(same_entries(load_archive(folder / "a.h5"), owning));
}

TEST_CASE("errors of the getters name file, entry, expected and found") {
  const TempFolder folder("checkpoint");
  const auto path = folder / "x.h5";
  save_archive(path, sample());
  const Archive a = load_archive(path);
  const std::vector<Index> wrong = {3, 2};
  CHECK(message_of<CheckpointError>([&] { a.floats("parameters/decoder/lstm/weight", wrong); }) ==
        path.string() +
            ": entry 'parameters/decoder/lstm/weight': expected float array [3, 2], "
            "found float array [2, 3]");
  CHECK_THAT(message_of<CheckpointError>([&] { a.uint64("config"); }),
             Catch::EndsWith("expected uint64, found string"));
  CHECK_THAT(message_of<CheckpointError>([&] { a.strings("vocabulry"); }),
             Catch::EndsWith("found nothing (did you mean 'vocabulary'?)"));
  CHECK(a.names("parameters/") ==
        std::vector<std::string>{"parameters/decoder/lstm/weight", "parameters/empty"});
  for (const char* name : {"", "/a", "a/", "a//b", "../a", "a/./b", "a b", "\n"}) {
    Archive archive;
    CHECK_THROWS_AS(archive.add_uint64(name, 1), InternalError);
  }
  Archive archive;
  CHECK_THROWS_AS(archive.add_floats("a", {2, 2}, {1, 2, 3}), InternalError);
  archive.add_uint64("a", 1);
  CHECK_THROWS_AS(archive.add_uint64("a", 1), InternalError);
}

TEST_CASE("HDF5 tools open a checkpoint as it is") {
  const TempFolder folder("checkpoint");
  save_archive(folder / "x.h5", sample());
  const hid_t file = H5Fopen((folder / "x.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const hid_t set = H5Dopen2(file, "/parameters/decoder/lstm/weight", H5P_DEFAULT);
  REQUIRE(set >= 0);
  float values[6] = {};
  CHECK(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  CHECK(values[0] == 1.5F);
  CHECK(values[5] == 3e38F);
  H5Dclose(set);
  H5Fclose(file);
}

// tests/campaign/flips.cpp changes every byte.
TEST_CASE("a checkpoint that is cut, longer or changed says so") {
  const TempFolder folder("checkpoint");
  Archive archive;
  archive.add_floats("weight", {2}, {1, 2});
  archive.add_string("config", "seed: 1");
  save_archive(folder / "good.h5", archive);
  const std::string good = TempFolder::read(folder / "good.h5");
  const auto path = folder.write("bad.h5", good);
  CHECK(load_error(path).empty());
  folder.write("bad.h5", good + "x");
  CHECK_THAT(load_error(path), Catch::Contains("bytes of content, should be"));
  folder.write("bad.h5", good.substr(0, 2000));
  CHECK_THAT(load_error(path), Catch::Contains("cut: it has 1488 bytes of content"));
  std::string flipped = good;
  flipped[good.size() - 1] ^= 1;
  folder.write("bad.h5", flipped);
  CHECK_THAT(load_error(path), Catch::Contains("damaged: its XXH3-128 digest is") &&
                                   Catch::Contains("use an earlier checkpoint"));
}

TEST_CASE("files that are not checkpoints are refused with their names") {
  const TempFolder folder("checkpoint");
  CHECK_THAT(load_error(folder / "none.h5"), Catch::EndsWith("none.h5: no such checkpoint"));
  CHECK_THAT(load_error(folder.path()), Catch::Contains("not a checkpoint but a directory"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x89HDF\r\n\x1a\n...", "an HDF5 file of another program"},
      {"", "it is empty"},
      {"PK\x03\x04zip", "a ZIP archive"},
      {"# text", "not a saccade checkpoint"},
  };
  for (const auto& [bytes, expected] : cases) {
    INFO(expected);
    CHECK_THAT(load_error(folder.write("x.h5", bytes)), Catch::Contains(expected));
  }
  std::string newer = forged("", "[]");
  newer[16] = 9;
  folder.write("x.h5", newer);  // the digest of the header is checked first
  CHECK_THAT(load_error(folder / "x.h5"), Catch::Contains("the digest of its header is wrong"));
}

TEST_CASE("one long text in a list does not lengthen the others") {
  const TempFolder folder("checkpoint");
  for (const std::size_t longest : {std::size_t{1} << 10, std::size_t{1} << 20}) {
    std::vector<std::string> words(3000, "word");
    words[0] = "";
    words[7] = std::string(longest, 'x');
    words.back() = "";
    Archive archive;
    archive.add_strings("vocabulary", words);
    save_archive(folder.path() / "w.h5", archive);
    CHECK(load_archive(folder.path() / "w.h5").strings("vocabulary") == words);
    CHECK(std::filesystem::file_size(folder.path() / "w.h5") < (4U << 20U));  // padded: up to 3 GB
  }
}

TEST_CASE("a forged index is refused before memory is allocated") {
  const TempFolder folder("checkpoint");
  const std::string image(64, 'x');
  const auto error = [&](const std::string& index) {
    return load_error(folder.write("x.h5", forged(image, index)));
  };
  const auto entry = [](const std::string& type, const std::string& shape,
                        const std::string& offset, const std::string& bytes,
                        const std::string& name = "a") {
    return R"({"name":")" + name + R"(","type":")" + type + R"(","shape":)" + shape +
           R"(,"offset":)" + offset + R"(,"bytes":)" + bytes + "}";
  };
  const auto one = [&](const auto&... parts) { return error("[" + entry(parts...) + "]"); };
  CHECK(one("f32", "[2,8]", "0", "64").empty());
  CHECK(one("texts", "[64]", "0", "64").empty());
  const std::string large = "claims more values", outside = "lies outside the file";
  CHECK_THAT(one("f32", "[1099511627776,1048576]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[64,64,64,64,64]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[4611686018427387904]", "0", "0"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[-1]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[1.5]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[17]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f64", "[16]", "0", "64"), Catch::Contains(large));
  CHECK_THAT(one("f32", "[1,1,1,1,1,1]", "0", "4"), Catch::Contains("a shape not allowed"));
  CHECK_THAT(one("f32", "[2]", "60", "8"), Catch::Contains(outside));
  CHECK_THAT(one("f32", "[2]", "18446744073709551612", "8"), Catch::Contains(outside));
  CHECK_THAT(one("text", "[]", "0", "18446744073709551615"), Catch::Contains(outside));
  CHECK_THAT(one("f32", "[2]", "-4", "8"), Catch::Contains("a number not allowed"));
  CHECK_THAT(one("u64", "[]", "0", "4"), Catch::Contains("is not a number"));
  CHECK_THAT(one("text", "[4]", "0", "4"), Catch::Contains("is not a text"));
  CHECK_THAT(one("texts", "[3]", "0", "64"), Catch::Contains("is not a list of texts"));
  CHECK_THAT(one("texts", "[0]", "0", "64"), Catch::Contains("is not a list of texts"));
  CHECK_THAT(one("joined", "[1]", "0", "64"), Catch::Contains("is not a list of texts"));
  CHECK_THAT(one("joined", "[]", "0", "0"), Catch::Contains("is not a list of texts"));
  CHECK_THAT(one("bf16", "[2]", "0", "4"), Catch::Contains("a type not allowed"));
  CHECK_THAT(one("f32", "[1]", "0", "4", "../a"), Catch::Contains("a name not allowed"));
  CHECK_THAT(
      error("[" + entry("f32", "[8]", "0", "32") + "," + entry("f32", "[9]", "0", "36", "b") + "]"),
      Catch::Contains("overlaps another"));
  CHECK_THAT(error("[" + entry("f32", "[1]", "0", "4") + "," + entry("f32", "[1]", "4", "4") + "]"),
             Catch::Contains("a name not allowed"));
  for (const std::string& index :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("[{}]"),
        std::string("[{\"name\":3}]"), std::string("[" + entry("f32", "{}", "0", "4") + "]"),
        std::string(100000, '['), std::string("\xff\xfe")}) {
    CHECK_THAT(error(index),
               Catch::Contains("this is no checkpoint that this version of the program can read"));
  }
}

TEST_CASE("forged packed arrays are refused before memory is allocated") {
  const TempFolder folder("packed");
  const std::vector<std::uint16_t> numbers(1000, 0x3C00);
  const std::vector<std::byte> packed = pack(std::as_bytes(std::span(numbers)), 2);
  const std::string zeros(1000, '\0');  // behind the packed bytes
  const auto error = [&](const std::string& type, const std::string& shape, std::size_t bytes,
                         const std::string& how = "shuffle deflate", char first = '\x78') {
    std::string image(reinterpret_cast<const char*>(packed.data()), packed.size());
    CHECK(image[0] == '\x78');  // zlib's header
    image[0] = first;
    const std::string index = R"([{"name":"a","type":")" + type + R"(","shape":)" + shape +
                              R"(,"offset":0,"bytes":)" + std::to_string(bytes) + R"(,"packed":")" +
                              how + "\"}]";
    return load_error(folder.write("x.h5", forged(image + zeros, index)));
  };
  // 1,000 equal numbers are packed too far to be allowed, so the bytes behind them are claimed.
  CHECK_THAT(error("f16", "[1000]", packed.size()), Catch::Contains("claims more values"));
  CHECK_THAT(error("f16", "[1000]", packed.size() + 200), Catch::Contains("cannot be unpacked"));
  CHECK_THAT(error("f16", "[8]", packed.size()), Catch::Contains("cannot be unpacked"));
  CHECK_THAT(error("f16", "[8]", packed.size(), "shuffle deflate", 'x' + 1),
             Catch::Contains("cannot be unpacked"));
  CHECK_THAT(error("f16", "[1099511627776]", packed.size()), Catch::Contains("claims more values"));
  CHECK_THAT(error("f16", "[8]", packed.size(), "lzf"), Catch::Contains("packed in a way"));
  CHECK_THAT(error("f32", "[8]", 32), Catch::Contains("packed in a way"));
}

TEST_CASE("what is packed comes back, and damage is noticed") {
  Random random({.seed = 7, .stream = Stream::kTest});
  for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
    std::vector<std::uint16_t> numbers(count), back(count);
    for (std::uint16_t& number : numbers) number = static_cast<std::uint16_t>(random.below(3000));
    const std::vector<std::byte> packed = pack(std::as_bytes(std::span(numbers)), 2);
    const auto unpacked = [&](std::span<const std::byte> bytes, std::vector<std::uint16_t>& into) {
      return unpack(bytes, 2, std::as_writable_bytes(std::span(into)));
    };
    CHECK(unpacked(packed, back));
    CHECK(back == numbers);
    std::vector<std::uint16_t> longer(count + 1);
    CHECK_FALSE(unpacked(packed, longer));
    CHECK_FALSE(unpacked(std::span(packed).first(packed.size() - 1), back));
    std::vector<std::byte> more = packed;
    more.push_back(std::byte{0});
    CHECK_FALSE(unpacked(more, back));
    int missed = 0;
    for (std::size_t i = 0; i < packed.size(); ++i) {
      std::vector<std::byte> damaged = packed;
      damaged[i] ^= std::byte{4};
      if (unpacked(damaged, back) && back != numbers) ++missed;  // zlib has a checksum
    }
    CHECK(missed == 0);
  }
}
