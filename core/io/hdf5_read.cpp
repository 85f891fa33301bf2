// HDF5 image -> Archive, distrustful: the image may have been made by anyone.
#include <hdf5_hl.h>

#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/io/hdf5_handle.h"
#include "core/io/hdf5_image.h"

namespace saccade {

namespace {

constexpr int kMostDepth = 16;
constexpr std::size_t kMostEntries = 100000;
constexpr int kMostRank = 5;

using Visitor = std::function<void(const std::string&, Archive::Entry)>;

class Reader {
 public:
  Reader(std::size_t image_bytes, const std::string& source, const Visitor& visitor)
      : image_bytes_(image_bytes), source_(source), visitor_(visitor) {}

  void read(hid_t file) { group(file, "", 0); }

 private:
  // A dataset's extents and size, within what the image can hold.
  struct Extent {
    std::vector<Index> shape;
    std::size_t count = 1;
  };

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw CheckpointError(source_ + ": entry '" + name + "' " + why +
                          "; this is no checkpoint of this program");
  }

  void group(hid_t group, const std::string& path, int depth) {
    if (depth > kMostDepth) refuse(path, "is nested too deeply");
    H5G_info_t info{};
    if (H5Gget_info(group, &info) < 0) refuse(path, "is an unreadable group");
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      if (++entries_ > kMostEntries) refuse(path, "has too many entries");
      link(group, path, i, depth);
    }
  }

  void link(hid_t group_id, const std::string& path, hsize_t i, int depth) {
    const ssize_t letters =
        H5Lget_name_by_idx(group_id, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (letters <= 0 || letters > 1000) refuse(path, "has an unreadable link");
    std::string part(static_cast<std::size_t>(letters) + 1, '\0');
    H5Lget_name_by_idx(group_id, ".", H5_INDEX_NAME, H5_ITER_INC, i, part.data(), part.size(),
                       H5P_DEFAULT);
    part.pop_back();
    const std::string name = path.empty() ? part : path + "/" + part;
    if (!Archive::bad_name(name).empty()) refuse(path + "/?", "has a name that is not allowed");
    H5L_info_t info{};
    if (H5Lget_info(group_id, part.c_str(), &info, H5P_DEFAULT) < 0) {
      refuse(name, "is an unreadable link");
    }
    if (info.type != H5L_TYPE_HARD) refuse(name, "is a link to elsewhere");
    if (!objects_.insert(info.u.address).second) refuse(name, "is the same object as another");

    const H5Id object(H5Oopen(group_id, part.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) refuse(name, "cannot be opened");
    const H5I_type_t type = H5Iget_type(object.get());
    if (type == H5I_GROUP) {
      group(object.get(), name, depth + 1);
    } else if (type == H5I_DATASET) {
      dataset(object.get(), name);
    } else {
      refuse(name, "is neither a group nor a dataset");
    }
  }

  void dataset(hid_t set, const std::string& name) {
    check_layout(set, name);
    const H5Id type(H5Dget_type(set), H5Tclose);
    if (!type) refuse(name, "has an unreadable type");
    const Extent extent = extent_of(set, H5Tget_size(type.get()), name);
    const auto is = [&](hid_t wanted) { return H5Tequal(type.get(), wanted) > 0; };
    if (is(H5T_IEEE_F32LE)) {
      numbers<float>(set, H5T_IEEE_F32LE, extent, name);
    } else if (is(H5T_IEEE_F64LE)) {
      numbers<double>(set, H5T_IEEE_F64LE, extent, name);
    } else if (is(H5T_STD_I64LE)) {
      numbers<std::int64_t>(set, H5T_STD_I64LE, extent, name);
    } else if (is(H5T_STD_U64LE) && extent.shape.empty()) {
      std::uint64_t value = 0;
      values(set, H5T_STD_U64LE, &value, name);
      visitor_(name, value);
    } else if (is_string(type.get())) {
      texts(set, type.get(), extent, name);
    } else {
      refuse(name, "has a type that is not allowed");
    }
  }

  void check_layout(hid_t set, const std::string& name) const {
    const H5Id plist(H5Dget_create_plist(set), H5Pclose);
    if (!plist) refuse(name, "has no readable layout");
    const H5D_layout_t layout = H5Pget_layout(plist.get());
    if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) {
      refuse(name, "is chunked or virtual, which is not allowed");
    }
    if (H5Pget_nfilters(plist.get()) != 0) refuse(name, "is filtered, which is not allowed");
    if (H5Pget_external_count(plist.get()) != 0) refuse(name, "is stored in another file");
  }

  Extent extent_of(hid_t set, std::size_t element_bytes, const std::string& name) const {
    const H5Id space(H5Dget_space(set), H5Sclose);
    const H5S_class_t kind = space ? H5Sget_simple_extent_type(space.get()) : H5S_NO_CLASS;
    if (kind != H5S_SCALAR && kind != H5S_SIMPLE) refuse(name, "has no plain shape");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 0 || rank > kMostRank) refuse(name, "has more than five extents");
    hsize_t extents[kMostRank] = {};
    H5Sget_simple_extent_dims(space.get(), extents, nullptr);
    Extent extent;
    std::size_t bytes = element_bytes;
    for (int i = 0; i < rank; ++i) {
      const bool too_large = __builtin_mul_overflow(extent.count, extents[i], &extent.count) ||
                             __builtin_mul_overflow(bytes, extents[i], &bytes) ||
                             extents[i] > image_bytes_;
      if (too_large) refuse(name, "claims more values than the file has bytes");
      extent.shape.push_back(static_cast<Index>(extents[i]));
    }
    // What is not stored would be read as fill values.
    if (bytes > image_bytes_ || H5Dget_storage_size(set) != bytes) {
      refuse(name, "claims more values than the file holds");
    }
    return extent;
  }

  void values(hid_t set, hid_t type, void* into, const std::string& name) const {
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) < 0) refuse(name, "cannot be read");
  }

  template <class T>
  void numbers(hid_t set, hid_t type, const Extent& extent, const std::string& name) {
    std::vector<T> into(extent.count);
    if (extent.count > 0) values(set, type, into.data(), name);
    visitor_(name, NumberArray<T>(extent.shape, std::move(into)));
  }

  static bool is_string(hid_t type) {
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           H5Tget_strpad(type) == H5T_STR_NULLPAD;
  }

  void texts(hid_t set, hid_t type, const Extent& extent, const std::string& name) {
    if (extent.shape.size() > 1) refuse(name, "has a shape that is not allowed");
    const std::size_t length = H5Tget_size(type);
    std::string padded(length * extent.count, '\0');
    if (!padded.empty()) values(set, type, padded.data(), name);
    const auto unpadded = [](std::string text) {
      const std::size_t last = text.find_last_not_of('\0');
      text.resize(last == std::string::npos ? 0 : last + 1);
      return text;
    };
    if (extent.shape.empty()) {
      return visitor_(name, unpadded(std::move(padded)));
    }
    std::vector<std::string> list(extent.count);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = unpadded(padded.substr(i * length, length));
    }
    visitor_(name, std::move(list));
  }

  std::size_t image_bytes_;
  const std::string& source_;
  const Visitor& visitor_;
  std::set<haddr_t> objects_;
  std::size_t entries_ = 0;
};

}  // namespace

void visit_hdf5_image(std::span<std::byte> image, const std::string& source,
                      const Visitor& visitor) {
  const Hdf5Session session;
  const unsigned in_place = H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE;
  const H5Id file(H5LTopen_file_image(image.data(), image.size(), in_place), H5Fclose);
  if (!file) throw CheckpointError(source + ": its content is not an HDF5 file");
  Reader(image.size(), source, visitor).read(file.get());
}

Archive from_hdf5_image(std::span<std::byte> image, const std::string& source) {
  Archive archive(source);
  visit_hdf5_image(image, source, [&](const std::string& name, Archive::Entry entry) {
    archive.add(name, std::move(entry));
  });
  return archive;
}

}  // namespace saccade
