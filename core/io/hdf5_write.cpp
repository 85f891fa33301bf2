// Writes an archive as an HDF5 image. The library's version bounds stay at their defaults: later
// ones leave a wrong checksum of the superblock in a file image, which then cannot be opened.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/io/half.h"
#include "core/io/hdf5_image.h"
#include "core/io/hdf5_session.h"
#include "core/io/packing.h"

namespace saccade {

namespace {

H5Id string_type(std::size_t length) {
  H5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  // HDF5 has no strings of length zero; with padding, one zero byte stands for "".
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// How many bytes a list of texts takes.
struct ListBytes {
  std::size_t longest = 1, all = 0, count = 0;
  std::size_t padded() const { return longest * count; }
  // Whether padding every text to the longest one would waste too much.
  bool joins() const {
    constexpr std::size_t kLittle = 1 << 20, kTimes = 16;
    return padded() > kLittle && padded() / kTimes > all;
  }
};

ListBytes bytes_of(const std::vector<std::string>& texts) {
  ListBytes out{.longest = 1, .all = 0, .count = texts.size()};
  for (const std::string& text : texts) {
    out.longest = std::max(out.longest, text.size());
    out.all += text.size() + 1;
  }
  return out;
}

// The only chunk of a packed entry.
struct Chunk {
  haddr_t offset = HADDR_UNDEF;
  hsize_t bytes = 0;
};
Chunk only_chunk(hid_t set) {
  const H5Id space(H5Dget_space(set), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> origin{};
  unsigned skipped = 0;
  Chunk chunk;
  const bool found = H5Dget_chunk_info(set, space.get(), 0, origin.data(), &skipped, &chunk.offset,
                                       &chunk.bytes) >= 0;
  return found && skipped == 0 ? chunk : Chunk{};
}

// Writes entries and records where HDF5 puts them.
class Writer {
 public:
  explicit Writer(hid_t file)
      : file_(file),
        link_plist_(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
        set_plist_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {
    H5Pset_create_intermediate_group(link_plist_.get(), 1);
    H5Pset_obj_track_times(set_plist_.get(), 0);  // so that equal archives give equal files
  }

  bool write(const std::string& name, const NumberArray<float>& array) {
    if (array.has_16_bits()) {
      std::vector<std::uint16_t> bits(array.values().size());
      halves_from_floats(array.values(), bits);
      return small_numbers<std::uint16_t>({name, "f16", array.shape()}, bits,
                                          hdf5_half_type().get());
    }
    return numbers({name, "f32", array.shape()}, array.values().data(), H5T_IEEE_F32LE);
  }
  bool write(const std::string& name, const NumberArray<double>& array) {
    return numbers({name, "f64", array.shape()}, array.values().data(), H5T_IEEE_F64LE);
  }
  bool write(const std::string& name, const NumberArray<std::int64_t>& array) {
    return numbers({name, "i64", array.shape()}, array.values().data(), H5T_STD_I64LE);
  }
  bool write(const std::string& name, std::uint64_t value) {
    return numbers({name, "u64", {}}, &value, H5T_STD_U64LE);
  }
  bool write(const std::string& name, const std::string& text) {
    SACCADE_ASSERT(text.find('\0') == std::string::npos, "zero byte in archive entry '", name, "'");
    const H5Id type = string_type(text.size());
    const H5Id space(H5Screate(H5S_SCALAR), H5Sclose);
    return dataset({name, "text", {}}, type.get(), space.get(), text.c_str());
  }
  bool write(const std::string& name, const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      SACCADE_ASSERT(text.find('\0') == std::string::npos, "zero byte in archive entry '", name,
                     "'");
    const ListBytes bytes = bytes_of(texts);
    if (bytes.joins()) return joined(name, texts);
    const std::size_t longest = bytes.longest;
    std::string padded(longest * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::copy(texts[i].begin(), texts[i].end(),
                padded.begin() + static_cast<std::ptrdiff_t>(i * longest));
    }
    const H5Id type = string_type(longest);
    const hsize_t count = texts.size();
    const H5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    return dataset({name, "texts", {static_cast<Index>(count)}}, type.get(), space.get(),
                   padded.data());
  }
  const std::vector<EntryPlace>& places() const { return places_; }

 private:
  // A list as one text, in which a zero byte ends each of its texts.
  bool joined(const std::string& name, const std::vector<std::string>& texts) {
    std::vector<std::uint8_t> bytes;
    for (const std::string& text : texts) {
      bytes.insert(bytes.end(), text.begin(), text.end());
      bytes.push_back(0);
    }
    const hsize_t count = bytes.size();
    const H5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    return dataset({name, "joined", {static_cast<Index>(texts.size())}}, H5T_STD_U8LE, space.get(),
                   bytes.data());
  }

  bool numbers(EntryPlace place, const void* values, hid_t type) {
    const std::vector<hsize_t> extents(place.shape.begin(), place.shape.end());
    const H5Id space(extents.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(extents.size()),
                                                        extents.data(), nullptr),
                     H5Sclose);
    return dataset(std::move(place), type, space.get(), values);
  }

  // Packs the numbers where that pays: a chunk costs HDF5 a few kilobytes beside its content.
  template <class T>  // of two bytes
  bool small_numbers(EntryPlace place, std::span<const T> values, hid_t type) {
    constexpr std::size_t kChunkCost = 4096, kFewest = 1 << 15, kMost = std::size_t{1} << 30;
    const std::span<const std::byte> plain = std::as_bytes(values);
    if (values.size() >= kFewest && values.size() <= kMost) {
      const std::vector<std::byte> packed = pack(plain, sizeof(T));
      if (packed.size() + kChunkCost < plain.size() &&
          values.size() <= kMostPackedPerByte * packed.size())
        return chunk(std::move(place), type, packed);
    }
    return numbers(std::move(place), values.data(), type);
  }

  bool chunk(EntryPlace place, hid_t type, std::span<const std::byte> packed) {
    const std::vector<hsize_t> extents(place.shape.begin(), place.shape.end());
    const auto rank = static_cast<int>(extents.size());
    const H5Id space(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
    const H5Id plist(H5Pcopy(set_plist_.get()), H5Pclose);
    if (H5Pset_chunk(plist.get(), rank, extents.data()) < 0 || H5Pset_shuffle(plist.get()) < 0 ||
        H5Pset_deflate(plist.get(), 9) < 0)
      return false;
    const H5Id set(H5Dcreate2(file_, place.name.c_str(), type, space.get(), link_plist_.get(),
                              plist.get(), H5P_DEFAULT),
                   H5Dclose);
    const std::vector<hsize_t> origin(extents.size(), 0);
    if (!set ||
        H5Dwrite_chunk(set.get(), H5P_DEFAULT, 0, origin.data(), packed.size(), packed.data()) < 0)
      return false;
    const Chunk written = only_chunk(set.get());
    place.offset = written.offset;
    place.bytes = written.bytes;
    place.packed = true;
    places_.push_back(std::move(place));
    return true;
  }

  bool dataset(EntryPlace place, hid_t type, hid_t space, const void* values) {
    const H5Id set(H5Dcreate2(file_, place.name.c_str(), type, space, link_plist_.get(),
                              set_plist_.get(), H5P_DEFAULT),
                   H5Dclose);
    if (!set) return false;
    if (H5Sget_simple_extent_npoints(space) > 0) {
      if (H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) return false;
      place.offset = H5Dget_offset(set.get());
      place.bytes = H5Dget_storage_size(set.get());
    }
    places_.push_back(std::move(place));
    return true;
  }

  hid_t file_;
  H5Id link_plist_, set_plist_;
  std::vector<EntryPlace> places_;
};

// The approximate number of bytes of an entry in the image.
struct EntryBytes {
  template <class T>
  std::size_t operator()(const NumberArray<T>& array) const {
    return array.values().size_bytes();
  }
  std::size_t operator()(std::uint64_t) const { return 8; }
  std::size_t operator()(const std::string& text) const { return text.size(); }
  std::size_t operator()(const std::vector<std::string>& texts) const {
    const ListBytes bytes = bytes_of(texts);
    return bytes.joins() ? bytes.all : bytes.padded();
  }
};

// The approximate size of the image, so that it is allocated once.
std::size_t estimated_bytes(const Archive& archive) {
  std::size_t total = 4096;
  for (const auto& [name, entry] : archive.entries()) {
    total += 1024 + std::visit(EntryBytes{}, entry);
  }
  return total;
}

// Returns the bytes of the file and closes it.
std::vector<std::byte> take_image(H5Id& file) {
  SACCADE_ASSERT(H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0, "HDF5 cannot flush a file in memory");
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  SACCADE_ASSERT(size > 0, "HDF5 gives no file image");
  std::vector<std::byte> image(static_cast<std::size_t>(size));
  const ssize_t got = H5Fget_file_image(file.get(), image.data(), image.size());
  SACCADE_ASSERT(got == size, "HDF5 gives a file image of another size");
  SACCADE_ASSERT(file.close(), "HDF5 cannot close a file in memory");
  return image;
}

// Opens an image in its own memory: whatever HDF5 allocates and copies is the image itself. (HDF5's
// helper for this leaks, and real copies would triple the memory of a save.)
H5Id open_in_place(std::span<std::byte> image) {
  H5FD_file_image_callbacks_t in_place{};
  in_place.image_malloc = [](size_t, H5FD_file_image_op_t, void* bytes) { return bytes; };
  in_place.image_memcpy = [](void* to, const void*, size_t, H5FD_file_image_op_t, void*) {
    return to;
  };
  in_place.image_realloc = [](void*, size_t, H5FD_file_image_op_t, void*) -> void* {
    return nullptr;  // it is opened for reading and never grows
  };
  in_place.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
  in_place.udata_copy = [](void* bytes) { return bytes; };
  in_place.udata_free = [](void*) -> herr_t { return 0; };
  in_place.udata = image.data();
  const H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), 1 << 20, 0);
  H5Pset_file_image_callbacks(access.get(), &in_place);
  H5Pset_file_image(access.get(), image.data(), image.size());
  return {H5Fopen("archive", H5F_ACC_RDONLY, access.get()), H5Fclose};
}

// Opens the image as a tool would and looks up every entry.
void check_image(std::span<std::byte> image, const std::vector<EntryPlace>& places) {
  const H5Id file = open_in_place(image);
  SACCADE_ASSERT(file, "an HDF5 image does not open");
  for (const EntryPlace& place : places) {
    const H5Id set(H5Dopen2(file.get(), place.name.c_str(), H5P_DEFAULT), H5Dclose);
    const auto offset = [&] {
      return place.packed ? only_chunk(set.get()).offset : H5Dget_offset(set.get());
    };
    const bool found = set && H5Dget_storage_size(set.get()) == place.bytes &&
                       (place.bytes == 0 || offset() == place.offset);
    SACCADE_ASSERT(found, "archive entry '", place.name, "' is not where HDF5 put it");
  }
}

}  // namespace

Hdf5Image to_hdf5_image(const Archive& archive) {
  const auto session = hdf5_session();
  const H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), estimated_bytes(archive), 0);
  H5Id file(H5Fcreate("archive", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  SACCADE_ASSERT(file, "HDF5 cannot make a file in memory");
  Writer writer(file.get());
  for (const auto& [name, entry] : archive.entries()) {
    const bool written = std::visit(
        [&, &path = name](const auto& value) { return writer.write(path, value); }, entry);
    SACCADE_ASSERT(written, "HDF5 cannot write archive entry '", name, "'");
  }
  Hdf5Image image{take_image(file), writer.places()};
  check_image(image.bytes, image.places);
  return image;
}

}  // namespace saccade
