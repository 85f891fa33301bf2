#include "experiments/serve/upload.h"

#include <httplib.h>

#include "core/base/error.h"

namespace saccade {

Upload read_upload(const httplib::ContentReader& read, bool form, Index most) {
  Upload upload;
  std::vector<std::uint8_t>* into = form ? nullptr : &upload.picture;
  const auto take = [&](const char* bytes, std::size_t count) {
    const std::size_t before = upload.picture.size() + upload.features.size();
    upload.large = before + count > static_cast<std::size_t>(most);
    if (!upload.large) into->insert(into->end(), bytes, bytes + count);
    return !upload.large;
  };
  if (!form) {
    upload.whole = read(take);
    return upload;
  }
  const auto begin = [&](const httplib::MultipartFormData& field) {
    into = field.name == "photo"      ? &upload.picture
           : field.name == "features" ? &upload.features
                                      : nullptr;
    if (!into || !into->empty())
      upload.problem = "the form takes one field photo, and one field features";
    return upload.problem.empty();
  };
  upload.whole = read(begin, take);
  return upload;
}

}  // namespace saccade
