// Readers of weights, arrays, checkpoints and caches.
#include <algorithm>

#include "core/base/error.h"
#include "core/io/array_file.h"
#include "core/io/checkpoint.h"
#include "core/io/row_store.h"
#include "core/io/seal.h"
#include "core/io/tensor_files.h"
#include "tests/campaign/readers.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

void read_all_tensors(const fs::path& path) {
  const std::unique_ptr<TensorFile> file = open_tensors(path);
  for (const SafetensorsEntry& entry : file->entries()) {
    try {
      file->floats(entry);
      file->doubles(entry);
    } catch (const DataError&) {  // a type without numbers
    }
  }
}

// A file of safetensors: the length of the header, the header, the numbers.
Bytes safetensors(const std::string& header, std::size_t numbers) {
  Bytes out;
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<std::uint8_t>(header.size() >> (8 * i) & 0xff));
  out.insert(out.end(), header.begin(), header.end());
  for (std::size_t i = 0; i < numbers; ++i) out.push_back(static_cast<std::uint8_t>(i));
  return out;
}

std::vector<Bytes> safetensors_files() {
  return {safetensors(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                      R"("b":{"dtype":"F16","shape":[3],"data_offsets":[16,22]}})",
                      22),
          safetensors(
              R"({"__metadata__":{"format":"pt"},"x.y":{"dtype":"BF16","shape":[],)"
              R"("data_offsets":[0,2]},"z":{"dtype":"F64","shape":[1,0],"data_offsets":[2,2]}})",
              2)};
}

Archive small_archive() {
  Archive archive;
  archive.add_uint64("content_version", 1);
  archive.add_string("config", "name: x\n");
  archive.add_strings("vocabulary", {"<pad>", "a", "dog"});
  archive.add_int64s("frozen_grid", {3}, {7, 7, 8});
  archive.add_string("data/name", "campaign");
  return archive;
}

std::vector<Bytes> checkpoints() {
  return {written_bytes("seed.h5", [](const fs::path& f) { save_archive(f, small_archive()); })};
}

// The bytes behind the header are the input, under a header that fits them.
void read_sealed(Input bytes) {
  static const std::size_t image = [] {
    const Bytes whole = checkpoints().front();
    return read_seal(std::as_bytes(std::span(whole)), whole.size(), "seed").image_bytes;
  }();
  const std::span<const std::byte> payload = std::as_bytes(bytes);
  const std::size_t cut = std::min(image, payload.size());
  const auto head = seal(payload.first(cut), payload.subspan(cut));
  Bytes all(kSealBytes);
  std::transform(head.begin(), head.end(), all.begin(),
                 [](std::byte b) { return static_cast<std::uint8_t>(b); });
  all.insert(all.end(), bytes.begin(), bytes.end());
  load_archive(scratch_file("sealed.h5", all));
}

std::vector<Bytes> payloads() {
  Bytes all = checkpoints().front();
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kSealBytes));
  return {all};
}

void read_rows(Input bytes) {
  const RowStore store(scratch_file("cache.rows", bytes), "key");
  std::vector<float> row(static_cast<std::size_t>(store.format().width()));
  for (const std::string& id : store.ids())
    if (store.contains(id)) store.read(id, row);
}

std::vector<Bytes> row_stores() { return {cached_rows(false), cached_rows(true)}; }

// Arrays of numpy and HDF5.
void read_arrays(Input bytes) {
  const fs::path path = scratch_file("x.arrays", bytes);
  const std::unique_ptr<ArrayFile> file = open_arrays(path);
  for (const std::string& name : file->names()) {
    const ArrayInfo info = file->info(name);
    if (info.type == "text")
      file->texts(info);
    else
      file->floats(info);
  }
}

// The golden files of a folder with this ending, however deep.
std::function<std::vector<Bytes>()> goldens(const std::string& folder, const std::string& ending) {
  return [=] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(kGolden / "features" / folder))
      if (entry.path().extension() == ending) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    std::vector<Bytes> all;
    for (const fs::path& file : found) all.push_back(bytes_of_file(file));
    return all;
  };
}

}  // namespace

std::vector<Reader> file_readers() {
  return {{.name = "safetensors",
           .read = [](Input bytes) { read_all_tensors(scratch_file("x.safetensors", bytes)); },
           .seeds = safetensors_files,
           .words = {"data_offsets", "dtype", "shape", "F32", "I64", "18446744073709551615", "-1",
                     "{}"}},
          {.name = "torch",
           .read = [](Input bytes) { read_all_tensors(scratch_file("x.pth", bytes)); },
           .seeds = [] { return files(kGolden / "published/containers", ".pth"); },
           .words = {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "ctorch\nFloatStorage\n", "R.", "Q",
                     "h", "\x80\x02"}},
          {.name = "checkpoint",
           .read = [](Input bytes) { load_archive(scratch_file("x.h5", bytes)); },
           .seeds = checkpoints,
           .words = {"\x89HDF\r\n\x1a\n", "OHDR", "TREE", "SNOD", "HEAP", "GCOL"}},
          {.name = "sealed_checkpoint",
           .read = read_sealed,
           .seeds = payloads,
           .words = {"\x89HDF\r\n\x1a\n", "OHDR", "TREE", "SNOD", "HEAP", "GCOL"}},
          {.name = "rows", .read = read_rows, .seeds = row_stores, .words = {"a.jpg"}},
          {.name = "npy",
           .read = read_arrays,
           .seeds = goldens("folders", ".npy"),
           .words = {"\x93NUMPY", "'descr': '<f4'", "'fortran_order': True", "(1000000000, 9)",
                     "|O", ">f8", "\n"}},
          {.name = "npz",
           .read = read_arrays,
           .seeds = goldens("folders", ".npz"),
           .words = {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "\x93NUMPY", ".npy"}},
          {.name = "hdf5",
           .read = read_arrays,
           .seeds =
               [] {
                 std::vector<Bytes> all = goldens("files", ".h5")();
                 for (const Bytes& one : goldens("files", ".hdf5")()) all.push_back(one);
                 return all;
               },
           .words = {"\x89HDF\r\n\x1a\n", "OHDR", "TREE", "SNOD", "HEAP", "GCOL", "FRHP"}}};
}

}  // namespace saccade::campaign
