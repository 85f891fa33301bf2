#include "core/io/checkpoint.h"

#include <fcntl.h>
#include <hdf5.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/hdf5_image.h"
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

std::string load_error(const std::filesystem::path& path) {
  return message_of<CheckpointError>([&] { load_archive(path); });
}

// A file with a right header around any payload: what a forger can make.
std::string forged(std::string payload) {
  const auto header = seal(std::as_bytes(std::span(payload)));
  return std::string(reinterpret_cast<const char*>(header.data()), header.size()) + payload;
}

// The bytes of an HDF5 file that `fill` makes.
template <class F>
std::string hdf5_bytes(const TempFolder& folder, F&& fill) {
  const auto path = folder / "crafted.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  fill(file);
  H5Fclose(file);
  return TempFolder::read(path);
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

  save_archive(folder / "again.h5", loaded);  // same content, same bytes
  CHECK(TempFolder::read(path) == TempFolder::read(folder / "again.h5"));
  save_archive(folder / "empty.h5", Archive());
  CHECK(load_archive(folder / "empty.h5").entries().empty());
}

TEST_CASE("borrowed values are saved as owned ones") {
  const TempFolder folder("checkpoint");
  const std::vector<float> values = {1, 2, 3, 4};
  Archive borrowing, owning;
  borrowing.borrow_floats("w", {4}, values);
  owning.add_floats("w", {4}, values);
  save_archive(folder / "a.h5", borrowing);
  CHECK(same_entries(load_archive(folder / "a.h5"), owning));
}

TEST_CASE("the getters name file, entry, expected and found") {
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

TEST_CASE("every changed byte and every cut is found") {
  const TempFolder folder("checkpoint");
  Archive archive;
  archive.add_floats("weight", {2}, {1, 2});
  archive.add_string("config", "seed: 1");
  save_archive(folder / "good.h5", archive);
  const std::string good = TempFolder::read(folder / "good.h5");
  const auto path = folder.write("bad.h5", good);
  const FileHandle file(::open(path.c_str(), O_RDWR));  // whole rewrites would wait for the disk
  const auto put = [&](std::size_t at, char byte) {
    return write_all_at(file.fd(), std::as_bytes(std::span(&byte, 1)), at) == 0;
  };
  int missed = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    const bool written = put(i, static_cast<char>(good[i] ^ (1 << (i % 8))));
    if (!written || load_error(path).find(path.string()) != 0) ++missed;
    put(i, good[i]);
  }
  CHECK(missed == 0);
  CHECK(load_error(path).empty());
  for (std::size_t length = good.size(); length-- > 0;) {
    std::filesystem::resize_file(path, length);
    if (load_error(path).empty()) ++missed;
  }
  CHECK(missed == 0);
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

TEST_CASE("what is no checkpoint is refused by name") {
  const TempFolder folder("checkpoint");
  CHECK_THAT(load_error(folder / "none.h5"), Catch::EndsWith("none.h5: no such checkpoint"));
  CHECK_THAT(load_error(folder.path()), Catch::Contains("not a checkpoint but a directory"));
  const std::string foreign = hdf5_bytes(folder, [](hid_t) {});
  const std::vector<std::pair<std::string, std::string>> cases = {
      {foreign, "an HDF5 file of another program"},
      {"", "the file is empty"},
      {"PK\x03\x04zip", "PyTorch or ZIP"},
      {"# text", "not a saccade checkpoint"},
      {forged("no HDF5 here"), "its content is not an HDF5 file"},
      {forged(foreign.substr(0, 100)), "its content is not an HDF5 file"},
  };
  for (const auto& [bytes, expected] : cases) {
    INFO(expected);
    CHECK_THAT(load_error(folder.write("x.h5", bytes)), Catch::Contains(expected));
  }
  std::string newer = forged(foreign);
  newer[16] = 9;
  folder.write("x.h5", newer);  // the header's digest comes first
  CHECK_THAT(load_error(folder / "x.h5"), Catch::Contains("its header does not have its digest"));
}

TEST_CASE("HDF5 features and sizes that no checkpoint has are refused") {
  const TempFolder folder("checkpoint");
  const auto refused = [&](const std::string& expected, auto&& fill) {
    INFO(expected);
    CHECK_THAT(load_error(folder.write("x.h5", forged(hdf5_bytes(folder, fill)))),
               Catch::Contains(expected));
  };
  const auto dataset = [](hid_t file, const char* name, std::vector<hsize_t> extents, hid_t type,
                          hid_t plist) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Sclose(space);
  };
  const auto chunked = [&](hid_t file, bool filter) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 4;
    H5Pset_chunk(plist, 1, &chunk);
    if (filter) H5Pset_shuffle(plist);
    dataset(file, "a", {8}, H5T_IEEE_F32LE, plist);
    H5Pclose(plist);
  };
  refused("chunked or virtual", [&](hid_t file) { chunked(file, false); });
  refused("chunked or virtual", [&](hid_t file) { chunked(file, true); });
  refused("claims more values", [&](hid_t file) {
    dataset(file, "a", {1ULL << 40, 1ULL << 20}, H5T_IEEE_F32LE, H5P_DEFAULT);
  });
  refused("claims more values", [&](hid_t file) {
    dataset(file, "a", {1ULL << 62, 1ULL << 62}, H5T_IEEE_F32LE, H5P_DEFAULT);
  });
  refused("claims more values",
          [&](hid_t file) { dataset(file, "a", {16}, H5T_IEEE_F32LE, H5P_DEFAULT); });
  refused("more than five extents", [&](hid_t file) {
    dataset(file, "a", {1, 1, 1, 1, 1, 1}, H5T_IEEE_F32LE, H5P_DEFAULT);
  });
  refused("stored in another file", [&](hid_t file) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/hostname", 0, 4);
    dataset(file, "a", {1}, H5T_IEEE_F32LE, plist);
    H5Pclose(plist);
  });
  refused("a link to elsewhere", [&](hid_t file) {
    H5Lcreate_external("/etc/hostname", "/", file, "a", H5P_DEFAULT, H5P_DEFAULT);
  });
  refused("a link to elsewhere",
          [&](hid_t file) { H5Lcreate_soft("/b", file, "a", H5P_DEFAULT, H5P_DEFAULT); });
  refused("the same object as another", [&](hid_t file) {
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "g", group, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
  });
  refused("neither a group nor a dataset", [&](hid_t file) {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
  });
  refused("a name that is not allowed", [&](hid_t file) {
    H5Gclose(H5Gcreate2(file, "a b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  });
  refused("a type that is not allowed", [&](hid_t file) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    dataset(file, "a", {2}, H5T_STD_I32BE, plist);
    H5Pclose(plist);
  });
}

TEST_CASE("a damaged HDF5 image under a right digest never crashes the reader") {
  const std::vector<std::byte> good = to_hdf5_image(sample());
  int refused = 0;
  for (std::size_t i = 0; i < good.size(); i += 3) {
    std::vector<std::byte> bad = good;
    bad[i] ^= static_cast<std::byte>(1U << (i % 8));
    if (!message_of<CheckpointError>([&] { from_hdf5_image(bad, "x"); }).empty()) ++refused;
  }
  CHECK(refused > 100);  // the others changed a value or an unused byte
}
