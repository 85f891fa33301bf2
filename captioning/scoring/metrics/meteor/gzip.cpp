#include "captioning/scoring/metrics/meteor/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "core/base/error.h"
#include "core/base/foreign_file.h"

namespace saccade::meteor {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes read at a time

DataError broken(const std::string& name, const char* reason) {
  return DataError(str(name, ": broken gzip data (", reason, "); fetch the file again"));
}

}  // namespace

std::string inflate_gzip(std::string_view data, const std::string& name) {
  if (!data.starts_with("\x1f\x8b")) return std::string(data);
  constexpr int kGzipHeader = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipHeader) != Z_OK) throw InternalError("zlib does not start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t done = stream.total_out;
    if (done == out.size()) out.resize(out.size() + 4 * data.size() + kBlock);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    state = inflate(&stream, Z_NO_FLUSH);
  }
  if (state == Z_BUF_ERROR) throw broken(name, "it ends early");
  if (state != Z_STREAM_END) throw broken(name, stream.msg == nullptr ? "damaged" : stream.msg);
  out.resize(stream.total_out);
  return out;
}

void refuse_no_table(std::string_view head, const std::string& name) {
  const std::string kind =
      foreign_file(std::as_bytes(std::span(head).first(std::min(head.size(), kForeignHead))), name,
                   WantedFile::kText);
  if (!kind.empty()) throw DataError(str(name, ": ", kind, "; it should be a table of METEOR"));
}

struct GzipLines::File {
  gzFile handle = nullptr;
  ~File() {
    if (handle != nullptr) gzclose(handle);
  }
};

GzipLines::GzipLines(std::string path) : path_(std::move(path)), file_(std::make_unique<File>()) {
  file_->handle = gzopen(path_.c_str(), "rb");
  if (file_->handle == nullptr) {
    throw DataError(str(path_, ": cannot be opened (", std::strerror(errno), ")"));
  }
}

GzipLines::~GzipLines() = default;

bool GzipLines::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kBlock);
  const int count = gzread(file_->handle, buffer_.data() + kept, static_cast<unsigned>(kBlock));
  buffer_.resize(kept + static_cast<std::size_t>(count > 0 ? count : 0));
  // A file that was cut short reads as if it ended there; only gzerror shows the difference.
  int code = Z_OK;
  const char* reason = gzerror(file_->handle, &code);
  if (count < 0 || (count == 0 && code != Z_OK)) throw broken(path_, reason);
  return count > 0;
}

std::optional<std::string_view> GzipLines::next() {
  std::size_t searched = at_;
  std::size_t end = buffer_.find('\n', searched);
  while (end == std::string::npos) {
    searched = buffer_.size() - at_;  // its place once the buffer starts at `at_`
    if (!fill()) break;
    end = buffer_.find('\n', searched);
  }
  const bool last = end == std::string::npos;
  if (last && at_ == buffer_.size()) return std::nullopt;
  std::string_view line = std::string_view(buffer_).substr(at_, last ? end : end - at_);
  at_ = last ? buffer_.size() : end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_;
  return line;
}

std::string GzipLines::where() const { return str(path_, ":", line_); }

}  // namespace saccade::meteor
