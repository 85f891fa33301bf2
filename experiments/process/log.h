// Messages to the user, on stderr; stdout is for data.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/messages.h"

namespace saccade::log {

// Whether the level in front of a message is coloured; kAuto: if stderr is a terminal.
enum class Colour { kAuto, kAlways, kNever };
void set_colour(Colour colour);

// Leaves out all messages that are not errors.
void set_errors_only();
bool shows_only_errors();

void info(const std::string& message);
void warn(const std::string& message);
void error(const std::string& message);
// A MessageListener that shows the messages of the library.
void show(Severity severity, const std::string& message);

// While it lives, every message is also appended to a file, with the time. It must be created and
// destroyed while no other thread writes messages. Throws IoError.
class FileCopy {
 public:
  explicit FileCopy(const std::filesystem::path& path);
  ~FileCopy();
  FileCopy(const FileCopy&) = delete;
  FileCopy& operator=(const FileCopy&) = delete;

  // Writes a line to the file only.
  void note(const std::string& message);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::log
