#include "experiments/runs/metrics_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/base/shallow_json.h"

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

using Json = nlohmann::ordered_json;

// A line of a run has some thousand bytes.
constexpr std::streamsize kLongestLine = 1 << 20;

// Of two numbers with one name, the one of the outer object counts.
void collect(const Json& object, const std::string& prefix, std::map<std::string, double>& out) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items())
    if (value.is_number()) out.try_emplace(prefix + key, value.get<double>());
  for (const auto& [key, value] : object.items())
    collect(value, key == "metrics" ? prefix : prefix + key + ".", out);
}

std::map<std::string, double> numbers_in(const Json& json) {
  std::map<std::string, double> numbers;
  collect(json, "", numbers);
  return numbers;
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

MetricsLine line_of(const Json& json) {
  MetricsLine line{.event = text_in(json, "event"),
                   .reason = text_in(json, "reason"),
                   .numbers = numbers_in(json),
                   .estimator = {}};
  if (const auto estimator = json.find("estimator");
      estimator != json.end() && estimator->is_object())
    for (const auto& [name, value] : estimator->items())
      if (value.is_number()) line.estimator.emplace_back(name, value.get<double>());
  return line;
}

// Whether a run may have written the line: it names its event, and those that happen at an update
// say at which.
bool is_of_run(const MetricsLine& line) {
  constexpr std::array<std::string_view, 6> kAtUpdates{"update", "validation", "checkpoint",
                                                       "draws",  "resume",     "end"};
  const bool at_update =
      std::find(kAtUpdates.begin(), kAtUpdates.end(), line.event) != kAtUpdates.end();
  return !line.event.empty() && (!at_update || line.count("update"));
}

// Opens a file to be read, which may lack; throws IoError where it may not be read.
std::ifstream opened(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in && errno != ENOENT && errno != ENOTDIR) throw_io_error("read", path, errno);
  return in;
}

// Throws IoError where a file could not be read to its end.
void check_read(const std::ifstream& in, const std::filesystem::path& path) {
  if (in.bad()) throw_io_error("read", path, EIO);
}

// Takes the lines of updates after `update` out of the file.
void drop_later(const std::filesystem::path& path, Index update) {
  std::ifstream in = opened(path);
  std::string kept;
  bool drops = false;
  for (std::string text; std::getline(in, text);) {
    const Json json = shallow_json(text);
    const auto at = json.is_object() ? line_of(json).count("update") : std::nullopt;
    if (at && *at > update)
      drops = true;
    else
      kept += text + (in.eof() ? "" : "\n");
  }
  check_read(in, path);
  if (drops) write_file(path, kept);
}

}  // namespace

MetricsLog::MetricsLog(std::filesystem::path path, Index update) : path_(std::move(path)) {
  drop_later(path_, update);
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
  return numbers_in(shallow_json(line));
}

std::optional<Index> MetricsLine::count(const std::string& name) const {
  constexpr double kMost = 1e15;  // whole numbers up to here are exact
  const auto found = numbers.find(name);
  if (found == numbers.end() || !(found->second >= 0 && found->second <= kMost)) return {};
  return static_cast<Index>(found->second);
}

std::string UnreadableLines::text(const std::filesystem::path& path) const {
  if (count == 0) return "";
  return str(path.string(), ": ",
             count == 1 ? "a line is not of a run and is passed over: "
                        : str(count, " lines are not of a run and are passed over, the first is "),
             "line ", first);
}

UnreadableLines read_metrics(const std::filesystem::path& path,
                             const std::function<void(const MetricsLine&)>& visit) {
  std::ifstream in = opened(path);
  std::string line(kLongestLine, '\0');
  UnreadableLines out;
  const auto pass_over = [&](Index at) {
    if (out.count++ == 0) out.first = at;
  };
  for (Index at = 1; in.getline(line.data(), kLongestLine) || in.gcount() > 0; ++at) {
    if (in.fail() && !in.eof()) {  // a longer line
      in.clear();
      in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      pass_over(at);
      continue;
    }
    const Json json = shallow_json(std::string_view(line.c_str()));
    const MetricsLine read = json.is_object() ? line_of(json) : MetricsLine();
    if (is_of_run(read))
      visit(read);
    else if (!in.eof())
      pass_over(at);
  }
  check_read(in, path);
  return out;
}

}  // namespace saccade
