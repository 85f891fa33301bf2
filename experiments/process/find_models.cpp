#include <fstream>
#include <set>

#include "captioning/learning/runs/named_models.h"
#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// Whether a file begins as JPEG and PNG files do.
bool is_photo(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(4, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.starts_with("\xff\xd8\xff") || head == "\x89PNG";
}

// The folders of --models exist. Those of the environment may be of another machine, so they are no
// error, but a slip in them explains why a name is not found.
void tell_missing_folders() {
  static std::set<fs::path> told;
  std::error_code error;
  for (const fs::path& folder : given_model_folders())
    if (!fs::is_directory(folder, error) && told.insert(folder).second)
      log::warn(plain_text(str("SACCADE_MODELS: ", folder.string(), ": there is no such folder")));
}

}  // namespace

std::vector<fs::path> all_model_folders() {
  tell_missing_folders();
  std::vector<fs::path> all = given_model_folders();
  for (fs::path& own : own_model_folders()) all.push_back(std::move(own));
  return all;
}

fs::path checkpoint_of(const std::string& given) {
  if (is_photo(given))
    throw CheckpointError(given +
                          ": is a picture and not a checkpoint; are the two swapped? The model "
                          "comes first: saccade caption MODEL PICTURE");
  std::error_code error;
  if (may_name_model(given) && !fs::exists(given, error)) tell_missing_folders();
  static std::set<std::string> shown;
  return find_checkpoint(given, given_model_folders(),
                         [](Severity severity, const std::string& text) {
                           if (shown.insert(text).second) log::show(severity, text);
                         });
}

}  // namespace saccade
