#include "experiments/runs/metrics_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

// The offset after the last line break of a file of `size` bytes.
std::uint64_t end_of_lines(int fd, std::uint64_t size, const std::filesystem::path& path) {
  std::array<std::byte, 1> last{};
  for (; size > 0; --size) {
    if (const int error = read_all_at(fd, last, size - 1)) throw_io_error("read", path, error);
    if (last[0] == std::byte{'\n'}) break;
  }
  return size;
}

void collect(const nlohmann::ordered_json& object, const std::string& prefix,
             std::map<std::string, double>& out) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) out[prefix + key] = value.get<double>();
    collect(value, key == "metrics" ? prefix : prefix + key + ".", out);
  }
}

}  // namespace

MetricsLog::MetricsLog(std::filesystem::path path) : path_(std::move(path)) {
  file_ = FileHandle(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  struct stat status {};
  if (file_.fd() < 0 || ::fstat(file_.fd(), &status) != 0) throw_io_error("write", path_, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t whole = end_of_lines(file_.fd(), size, path_);
  if (whole != size && ::ftruncate(file_.fd(), static_cast<off_t>(whole)) != 0)
    throw_io_error("write", path_, errno);
}

void MetricsLog::add(const std::string& json) {
  const FileSizeSignalGuard guard;
  const std::string line = json + "\n";
  if (const int error = write_all(file_.fd(), std::as_bytes(std::span(line))))
    throw_io_error("write", path_, error);
}

std::map<std::string, double> numbers_of(const std::string& line) {
  std::map<std::string, double> numbers;
  collect(nlohmann::ordered_json::parse(line, nullptr, false), "", numbers);
  return numbers;
}

}  // namespace saccade
