// Reads gzip: a whole file at once, or line by line for files that do not fit in memory. Private to
// the METEOR folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace saccade::meteor {

// The text of gzip data; data that is not gzip is returned as it is. Throws DataError, which calls
// the data `name`, when it is broken.
std::string inflate_gzip(std::string_view data, const std::string& name);

// Throws DataError where a text, of which `head` is the beginning, is a web page, an empty file or
// the like, and no table of METEOR.
void refuse_no_table(std::string_view head, const std::string& name);

// The lines of a gzip file, without their ends; a file that is not compressed is read as it is.
class GzipLines {
 public:
  // Throws DataError when the file cannot be opened.
  explicit GzipLines(std::string path);
  ~GzipLines();
  GzipLines(const GzipLines&) = delete;
  GzipLines& operator=(const GzipLines&) = delete;

  // The next line, or nothing at the end. It is valid until the next call. Throws DataError when
  // the data is broken.
  std::optional<std::string_view> next();
  // How many lines next() has returned.
  std::int64_t count() const { return line_; }
  // PATH:LINE of the line that next() returned last, for messages.
  std::string where() const;

 private:
  struct File;
  bool fill();  // false at the end of the file

  std::string path_;
  std::unique_ptr<File> file_;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_
  std::int64_t line_ = 0;
};

}  // namespace saccade::meteor
