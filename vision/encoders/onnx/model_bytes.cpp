#include "vision/encoders/onnx/model_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "vision/encoders/onnx/onnx_model.h"
#include "vision/images/file_bytes.h"

namespace saccade {

namespace onnx_file {

namespace {

namespace fs = std::filesystem;

// A file that has been opened for reading.
struct WeightFile {
  fs::path path;
  FileHandle handle;
  Index bytes = 0;
};

class OutsideReader {
 public:
  explicit OutsideReader(const fs::path& file) : file_(file.string()) {
    const fs::path folder = file.parent_path();
    std::error_code error;
    folder_ = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
    if (error) throw IoError(str(file_, ": its folder cannot be read: ", error.message()));
  }

  void read(onnx::TensorProto& tensor) {
    std::string location;
    Index offset = 0, length = -1;
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = number(tensor, "offset", entry.value());
      if (entry.key() == "length") length = number(tensor, "length", entry.value());
    }
    const Index each = number_bytes(tensor.data_type());
    if (each == 0) refuse(tensor, "is of a type that no weights have; the file is damaged");
    const Index bytes = count_of(tensor, place(tensor)) * each;
    total_ += bytes;
    if (bytes > kMaxBytes || total_ > kMaxBytes)
      throw DataError(file_ + ": has more than the 2 GiB of weights that a network may have here");
    if (length >= 0 && length != bytes)
      refuse(tensor, str("has ", length, " bytes in '", location, "', and its extents need ", bytes,
                         "; the file is damaged"));
    const WeightFile& from = opened(tensor, location);
    if (offset > from.bytes || bytes > from.bytes - offset)
      refuse(tensor, str("should be ", bytes, " bytes from byte ", offset, " of '", location,
                         "', which has ", from.bytes,
                         "; it was cut or is of another model: copy both files again"));
    std::string numbers(static_cast<std::size_t>(bytes), '\0');
    const auto into = std::as_writable_bytes(std::span(numbers));
    if (const int error = read_all_at(from.handle.fd(), into, static_cast<std::uint64_t>(offset)))
      throw_io_error("read", from.path, error);
    tensor.set_raw_data(std::move(numbers));
    tensor.clear_external_data();
    tensor.clear_data_location();
  }

 private:
  std::string place(const onnx::TensorProto& tensor) const {
    return str(file_, ": array '", one_line(tensor.name()), "'");
  }
  [[noreturn]] void refuse(const onnx::TensorProto& tensor, const std::string& why) const {
    throw DataError(str(place(tensor), " ", one_line(why)));
  }

  Index number(const onnx::TensorProto& tensor, const char* key, const std::string& text) const {
    Index value = -1;
    const char* end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || read != end || value < 0)
      refuse(tensor, str("has '", text, "' as its ", key,
                         " in another file, which is no number of bytes; the file is damaged: "
                         "export it again"));
    return value;
  }

  const WeightFile& opened(const onnx::TensorProto& tensor, const std::string& location) {
    const auto found = files_.find(location);
    if (found != files_.end()) return found->second;
    if (location.empty())
      refuse(tensor, "is in another file, and the model does not name it; export it again");
    if (location.find('\0') != std::string::npos)
      refuse(tensor, str("is in a file whose name has a zero byte, '", location,
                         "'; the model is damaged: export it again"));
    const fs::path relative(location);
    bool climbs = relative.is_absolute();
    for (const fs::path& part : relative) climbs = climbs || part == "..";
    if (climbs)
      refuse(tensor, str("is in '", location,
                         "', and weights are read only from the folder of "
                         "their model; export it again, into one folder"));
    std::error_code error;
    const fs::path path = fs::canonical(folder_ / relative, error);
    if (error)
      refuse(tensor, str("is in another file, '", location, "', which is not in ", folder_.string(),
                         "; copy it there: both files are the model"));
    const fs::path inside = path.lexically_relative(folder_);
    if (inside.empty() || *inside.begin() == "..")
      refuse(tensor, str("is in '", location,
                         "', a link that leads out of the model's folder; "
                         "copy the file there"));
    WeightFile file{.path = path, .handle = {}};
    file.handle = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat status {};
    if (file.handle.fd() < 0 || ::fstat(file.handle.fd(), &status) != 0)
      throw_io_error("read", path, errno);
    if (!S_ISREG(status.st_mode))
      refuse(tensor, str("is in '", location, "', which is not a regular file"));
    file.bytes = static_cast<Index>(status.st_size);
    if (const std::string kind = foreign_file(path.string());
        file.bytes < 1024 && kind.find("Git LFS") != std::string::npos)
      refuse(tensor, str("is in '", location, "', but ", kind));
    return files_.emplace(location, std::move(file)).first->second;
  }

  std::string file_;
  fs::path folder_;
  std::map<std::string, WeightFile> files_;  // by location
  Index total_ = 0;
};

// Puts the numbers that lie in other files into the model. Such a file must be below the folder of
// the model `file`: no absolute path, no `..` and no link that leads out of it. Returns whether
// there were any. Throws DataError, which names model, array and file, where the place is not
// allowed, the file is missing, or the array's bytes do not lie within it; IoError where it cannot
// be read.
bool take_outside_weights(onnx::ModelProto& model, const fs::path& file) {
  std::vector<onnx::TensorProto*> outside;
  for (onnx::TensorProto* tensor : tensors_of(*model.mutable_graph()))
    if (tensor->data_location() == onnx::TensorProto::EXTERNAL) outside.push_back(tensor);
  if (outside.empty()) return false;
  OutsideReader reader(file);
  for (onnx::TensorProto* tensor : outside) reader.read(*tensor);
  return true;
}

}  // namespace

}  // namespace onnx_file

std::vector<std::uint8_t> read_model_bytes(const std::filesystem::path& file) {
  std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  if (!onnx_file::take_outside_weights(model, file)) return bytes;
  return onnx_file::bytes_of(model, file.string());
}

Index stated_picture_side(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes =
      read_file_bytes(file, {.noun = "ONNX model", .max_bytes = onnx_file::kMaxBytes});
  const onnx::ModelProto model = onnx_file::parse_alone(bytes, file.string());
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    const auto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() != 4 || shape.dim(1).dim_value() != 3) continue;
    const Index rows = shape.dim(2).dim_value(), cols = shape.dim(3).dim_value();
    return rows == cols ? std::max<Index>(rows, 0) : 0;
  }
  return 0;
}

}  // namespace saccade
