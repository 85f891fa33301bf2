#include "experiments/process/output_file.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "core/base/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

struct KindText {
  const char* ending;
  const char* name;   // of one such file
  const char* other;  // what a file is that is none
};

KindText text_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::kPage:
      return {".html", "a page", "no page of saccade's"};
    case OutputKind::kResults:
      return {".json", "a file of captions", "no file of captions that evaluate wrote"};
    case OutputKind::kImageScores:
      return {".json", "a file of scores", "no file of scores that score wrote"};
    case OutputKind::kLatex:
      return {".tex", "a table", "no table that saccade wrote"};
    case OutputKind::kMaps:
      return {".json", "a caption with its weights", "no file that overlay wrote"};
  }
  throw InternalError("unknown kind of output");
}

bool ends_as(const fs::path& file, const std::string& ending) {
  std::string own = file.extension().string();
  std::transform(own.begin(), own.end(), own.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return own == ending;
}

// Whether a file begins as those that the program writes of this kind.
bool is_of_kind(const fs::path& file, OutputKind kind) {
  std::error_code error;
  if (fs::file_size(file, error) == 0) return true;  // nothing is lost
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');  // the title of a page stands before its styles
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const auto has = [&](const char* text) { return head.find(text) != std::string::npos; };
  if (kind == OutputKind::kPage)
    return head.starts_with("<!doctype html>") && has("<title>saccade report</title>");
  if (kind == OutputKind::kLatex) return head.starts_with("% ") && has("interval");
  if (kind == OutputKind::kMaps)
    return head.starts_with("{\"tokens\":[") ||
           (head.starts_with("{\"image\":\"") && has("\",\"caption\":\"") && has("\"words\":["));
  // The first object of a list tells which of the two it is.
  const std::size_t start = head.find_first_not_of(" \n");
  if (start == std::string::npos || head[start] != '[') return false;
  return has("\"image_id\":") && has("\"caption\":") == (kind == OutputKind::kResults);
}

}  // namespace

void check_output(const std::string& option, const fs::path& file, OutputKind kind,
                  std::span<const std::string> inputs) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  const bool exists = fs::exists(status);
  if (exists && !fs::is_regular_file(status) && !fs::is_directory(status)) return;
  const KindText text = text_of(kind);
  for (const std::string& input : inputs)
    if (exists && fs::equivalent(input, file, error) && !error)
      throw UsageError(str(option, " ", file.string(), ": the command reads this file, and ",
                           text.name, " in its place would destroy it; choose another name"));
  if (!ends_as(file, text.ending))
    throw UsageError(str(option, " ", file.string(), ": the name of ", text.name, " ends in ",
                         text.ending, "; choose a name that does"));
  if (fs::is_directory(status))
    throw UsageError(str(option, " ", file.string(), ": is a folder; choose another name"));
  if (exists && !is_of_kind(file, kind))
    throw BusyError(str(file.string(), ": exists and is ", text.other,
                        "; choose another name, or remove the file"));
}

void refuse_existing(const fs::path& file, const std::string& remedy) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error)))
    throw BusyError(str(file.string(), ": exists; choose another name, or ", remedy));
}

}  // namespace saccade
