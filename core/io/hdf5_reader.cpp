// The program libexec/saccade/hdf5-reader: reads arrays of HDF5 files for another process, with
// which it is connected by its standard input. A damaged file may crash the HDF5 library, and then
// ends this process alone.
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <map>
#include <new>
#include <vector>

#include "core/io/hdf5_messages.h"
#include "core/io/hdf5_session.h"

namespace saccade {
namespace {

constexpr int kSocket = STDIN_FILENO;

struct Refused {
  std::string why;
};

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// The type of a dataset's elements as safetensors calls it; "" for one that is not read.
std::string type_name(hid_t type) {
  const std::string bits = std::to_string(8 * H5Tget_size(type));
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return "F" + bits;
    case H5T_INTEGER:
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "U" : "I") + bits;
    case H5T_ENUM:  // h5py's truth values
      return bits == "8" ? "BOOL" : "";
    case H5T_STRING:
      return "text";
    default:
      return "";
  }
}

class File {
 public:
  explicit File(const std::string& path) : file_(opened(path)) {
    if (!file_)
      throw Refused{
          "HDF5 cannot open it; it is cut, damaged or still being written, copy it again"};
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) bytes_ = static_cast<std::size_t>(status.st_size);
  }
  std::size_t bytes() const { return bytes_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    if (H5Literate(file_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_name, &names) < 0)
      throw Refused{"the list of its arrays is damaged; copy it again"};
    return names;
  }

  void info(const std::string& name, Hdf5Message& answer) const {
    const H5Id set = open(name);
    const H5Id type(H5Dget_type(set.get()), H5Tclose);
    const std::string own = type_name(type.get());
    if (own.empty()) throw Refused{"its elements are neither numbers nor texts"};
    answer.add(own).add(H5Tget_size(type.get()));
    for (const hsize_t extent : extents(set)) answer.add(std::uint64_t{extent});
  }

  std::string numbers(const std::string& name, hsize_t first, hsize_t rows) const {
    const H5Id set = open(name), own(H5Dget_type(set.get()), H5Tclose);
    const std::string type = type_name(own.get());
    std::vector<hsize_t> count = extents(set), start(count.size(), 0);
    const H5Id space(H5Dget_space(set.get()), H5Sclose);
    if (!count.empty()) {
      start[0] = first;
      count[0] = rows;
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                          nullptr);
    }
    std::size_t bytes = H5Tget_size(own.get());
    for (const hsize_t extent : count)
      if (__builtin_mul_overflow(bytes, extent, &bytes)) throw std::bad_alloc();
    std::string out(bytes, '\0');
    if (out.empty()) return out;
    const H5Id half = hdf5_half_type();
    // The library changes the order of bytes.
    const H5Id memory(type == "F16"   ? H5Tcopy(half.get())
                      : type == "F32" ? H5Tcopy(H5T_IEEE_F32LE)
                      : type == "F64" ? H5Tcopy(H5T_IEEE_F64LE)
                                      : H5Tcopy(own.get()),
                      H5Tclose);
    if (H5Tget_class(own.get()) == H5T_INTEGER) H5Tset_order(memory.get(), H5T_ORDER_LE);
    const H5Id part(count.empty()
                        ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                    H5Sclose);
    if (H5Dread(set.get(), memory.get(), part.get(), space.get(), H5P_DEFAULT, out.data()) < 0)
      throw Refused{
          "HDF5 cannot read its numbers; they are damaged, or packed by a filter that it does not "
          "have (gzip is read)"};
    return out;
  }

  std::vector<std::string> texts(const std::string& name) const {
    const H5Id set = open(name), type(H5Dget_type(set.get()), H5Tclose);
    std::size_t count = 1;
    for (const hsize_t extent : extents(set))
      if (__builtin_mul_overflow(count, extent, &count)) throw std::bad_alloc();
    std::vector<std::string> out(count);
    const auto read = [&](void* into) {
      if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, into) < 0)
        throw Refused{"HDF5 cannot read its texts"};
    };
    if (H5Tis_variable_str(type.get()) > 0) {
      std::vector<char*> own(count, nullptr);
      const H5Id space(H5Dget_space(set.get()), H5Sclose);
      read(own.data());
      for (std::size_t i = 0; i < count; ++i)
        if (own[i] != nullptr) out[i] = own[i];
      H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, own.data());
      return out;
    }
    const std::size_t width = H5Tget_size(type.get());
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, width, &bytes)) throw std::bad_alloc();
    std::string all(bytes, '\0');
    read(all.data());
    for (std::size_t i = 0; i < count; ++i)
      out[i] = all.substr(i * width, strnlen(all.data() + i * width, width));
    return out;
  }

 private:
  // Closing the file closes what is still open in it: the library keeps a group open that was taken
  // for an array, and would then give what the file held before it was replaced.
  static H5Id opened(const std::string& path) {
    const H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose};
  }
  H5Id open(const std::string& name) const {
    H5Id set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set)
      throw Refused{"it is no array (of groups of arrays only those of the file itself are read)"};
    // Otherwise a file that others wrote could name any file of this machine.
    const H5Id made(H5Dget_create_plist(set.get()), H5Pclose);
    if (!made || H5Pget_external_count(made.get()) != 0 || H5Pget_layout(made.get()) == H5D_VIRTUAL)
      throw Refused{"its numbers lie in another file, which is not read; copy them into this one"};
    return set;
  }
  static std::vector<hsize_t> extents(const H5Id& set) {
    const H5Id space(H5Dget_space(set.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::clamp(rank, 0, H5S_MAX_RANK)));
    if (rank < 0 || H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) < 0)
      throw Refused{"its shape is damaged"};
    return extents;
  }

  H5Id file_;
  std::size_t bytes_ = 0;
};

// Ends the process, by the signal SIGPROF, where a wish takes more of a processor's time than any
// file of this size can need: damaged lists may be endless.
void limit_time(std::size_t file_bytes) {
  constexpr std::size_t kBytesPerSecond = 1 << 20;
  const itimerval limit{{0, 0}, {static_cast<time_t>(2 + file_bytes / kBytesPerSecond), 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

// Answers one wish; false where it is none.
bool answer(Hdf5Message wish, std::map<std::uint64_t, File>& files) {
  const auto kind = wish.number(), number = wish.number();
  if (!kind || !number) return false;
  const auto which = static_cast<Hdf5Wish>(*kind);
  if (which == Hdf5Wish::kClose) {
    files.erase(*number);
    return true;
  }
  const auto name = wish.text();
  if (!name) return false;
  const std::string own(*name);
  Hdf5Message out;
  try {
    out.add(static_cast<std::uint64_t>(Hdf5Answer::kGiven));
    if (which == Hdf5Wish::kOpen) {
      struct stat status {};
      limit_time(::stat(own.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0);
      files.erase(*number);
      const File& file = files.try_emplace(*number, own).first->second;
      for (const std::string& one : file.names()) out.add(one);
    } else {
      const auto found = files.find(*number);
      if (found == files.end()) return false;
      const File& file = found->second;
      limit_time(file.bytes());
      if (which == Hdf5Wish::kInfo) {
        file.info(own, out);
      } else if (which == Hdf5Wish::kNumbers) {
        const auto first = wish.number(), rows = wish.number();
        if (!first || !rows) return false;
        out.add(file.numbers(own, *first, *rows));
      } else {
        for (const std::string& one : file.texts(own)) out.add(one);
      }
    }
  } catch (const Refused& refused) {
    out = Hdf5Message();
    out.add(static_cast<std::uint64_t>(Hdf5Answer::kRefused)).add(refused.why);
  } catch (const std::exception&) {  // std::bad_alloc, std::length_error
    out = Hdf5Message();
    out.add(static_cast<std::uint64_t>(Hdf5Answer::kNoMemory));
  }
  const itimerval none{};
  ::setitimer(ITIMER_PROF, &none, nullptr);
  return send_message(kSocket, out);
}

}  // namespace
}  // namespace saccade

int main() {
  using namespace saccade;
  // It ends with the process that it reads for.
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP}) std::signal(ignored, SIG_IGN);
  const auto session = hdf5_session();
  if (!send_message(kSocket, Hdf5Message().add(kHdf5Greeting))) return 1;
  std::map<std::uint64_t, File> files;
  while (auto wish = receive_message(kSocket, std::numeric_limits<std::uint32_t>::max()))
    if (!answer(std::move(*wish), files)) return 1;
  return 0;
}
