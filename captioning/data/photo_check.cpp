#include "captioning/data/photo_check.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/picture_names.h"
#include "core/base/unicode.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

constexpr Index kBlock = 256;                 // photos between two reports of progress
constexpr std::size_t kMostSearched = 20000;  // files that are searched for a hint

struct PhotoState {
  bool missing = false;
  std::string problem;  // empty: the photo can be read
};

PhotoState state_of(const LoadedData& data, Index i, PhotoReading reading) {
  std::error_code error;
  if (!fs::exists(data.dataset.images[static_cast<std::size_t>(i)].path, error)) return {true, {}};
  try {
    if (reading == PhotoReading::kDecode)
      data.image(i);
    else
      data.image_size(i);
  } catch (const Error& problem) {
    return {false, problem.what()};
  }
  return {};
}

// The name without what differs between spellings of it: the case, and the Unicode form.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const unicode::CodePoint point : unicode::decode(unicode::compose(name)))
    unicode::append(out, unicode::lower(point));
  return out;
}

// Looks for a file beside the missing one whose name is spelled differently, or has an ending.
std::string other_spelling(const fs::path& missing) {
  const std::string name = missing.filename().string(), plain = plain_name(name);
  std::error_code error;
  std::size_t looked = 0;
  for (fs::directory_iterator entry(missing.parent_path(), error);
       !error && entry != fs::directory_iterator() && looked < kMostSearched;
       entry.increment(error), ++looked) {
    const std::string found = entry->path().filename().string();
    if (found == name) continue;
    if (entry->path().stem().string() == name && named_as_picture(entry->path()))
      return str(missing.parent_path().string(), " has ", found,
                 "; write the names in the captions with their endings");
    if (plain_name(found) != plain) continue;
    const bool same_letters = unicode::compose(found) == unicode::compose(name);
    return str(missing.parent_path().string(), " has ", found,
               same_letters ? ", whose accented letters are encoded in another way (NFC or NFD)"
                            : ", whose upper and lower case letters differ",
               "; rename one to the other");
  }
  return "";
}

// Looks for the missing file in the folders below that of the images.
std::string other_folder(const fs::path& missing, const std::string& id, bool all_missing) {
  const std::string path = missing.string(), ending = "/" + id;
  if (!path.ends_with(ending)) return "";
  const fs::path root = path.substr(0, path.size() - ending.size());
  std::error_code error;
  if (!fs::is_directory(root, error)) return str("there is no folder ", root.string());
  std::size_t looked = 0;
  for (fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                              error);
       !error && entry != fs::recursive_directory_iterator() && looked < kMostSearched;
       entry.increment(error), ++looked) {
    const std::string found = entry->path().string();
    if (entry->path().filename() != missing.filename()) continue;
    if (!found.ends_with(ending))
      return str("there is a ", found, "; are the names in the captions without their folder?");
    return str("there is a ", found,
               all_missing ? "; the folder of the images is " +
                                 found.substr(0, found.size() - ending.size())
                           : std::string());
  }
  return "";
}

std::string hint_for(const CaptionedImage& image, bool all_missing) {
  const std::string spelling = other_spelling(image.path);
  return spelling.empty() ? other_folder(image.path, image.id, all_missing) : spelling;
}

// The check of one data set, whose images are those from `begin` on.
PhotoCheck check_of(const Dataset& dataset, Index begin, std::span<PhotoState> states) {
  PhotoCheck out;
  out.photos = std::ssize(dataset.images);
  for (Index i = begin; i < begin + out.photos; ++i) {
    PhotoState& state = states[static_cast<std::size_t>(i)];
    if (state.missing) {
      out.missing.push_back(i);
    } else if (!state.problem.empty()) {
      if (out.unreadable.empty()) out.first_problem = std::move(state.problem);
      out.unreadable.push_back(i);
    }
  }
  if (!out.missing.empty())
    out.hint = hint_for(dataset.images[static_cast<std::size_t>(out.missing.front() - begin)],
                        std::ssize(out.missing) == out.photos);
  return out;
}

// Adds the check of a joined data set to that of all.
void add_set(const std::string& name, PhotoCheck set, PhotoCheck& all) {
  all.photos += set.photos;
  all.missing.insert(all.missing.end(), set.missing.begin(), set.missing.end());
  all.unreadable.insert(all.unreadable.end(), set.unreadable.begin(), set.unreadable.end());
  if (all.first_problem.empty()) all.first_problem = set.first_problem;
  if (!set.hint.empty()) all.hint += str(all.hint.empty() ? "" : "; ", name, ": ", set.hint);
  all.sets.push_back(std::move(set));
}

}  // namespace

PhotoCheck check_photos(const LoadedData& data, PhotoReading reading,
                        const PhotoProgress& progress) {
  if (data.is_drawn()) return {};
  const Index photos = std::ssize(data.dataset.images);
  std::vector<PhotoState> states(data.dataset.images.size());
  for (Index begin = 0; begin < photos; begin += kBlock) {
    const Index block = std::min(kBlock, photos - begin);
    parallel::for_each(block, [&](Index i) {
      states[static_cast<std::size_t>(begin + i)] = state_of(data, begin + i, reading);
    });
    if (progress) progress(begin + block, photos);
  }
  if (data.sets.empty()) return check_of(data.dataset, 0, states);
  PhotoCheck out;
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    const DatasetPart& part = data.dataset.parts[s];
    add_set(part.name, check_of(data.sets[s].dataset, part.begin, states), out);
  }
  return out;
}

std::vector<std::string> names_of(const Dataset& dataset, const std::vector<Index>& images) {
  std::vector<std::string> out;
  for (const Index i : images) out.push_back(dataset.images[static_cast<std::size_t>(i)].id);
  return out;
}

std::vector<Index> usable_images(const PhotoCheck& check, const Dataset& dataset, Split split) {
  std::vector<Index> images = images_of(dataset, split);
  std::erase_if(images, [&](Index image) {
    return std::ranges::binary_search(check.missing, image) ||
           std::ranges::binary_search(check.unreadable, image);
  });
  return images;
}

std::vector<std::string> photo_lines(const PhotoCheck& check, const LoadedData& data,
                                     PhotoReading reading, PhotoUse use) {
  if (check.photos == 0) return {};
  const auto named = [&](const std::vector<Index>& images) {
    return first_names(names_of(data.dataset, images));
  };
  std::vector<std::string> out;
  out.push_back(str("photos: ", check.usable(), " of ", check.photos, " can be read",
                    reading == PhotoReading::kDecode ? "" : ", as far as their headers tell"));
  if (!check.missing.empty())
    out.push_back(str(counted(static_cast<Index>(check.missing.size()), "photo is", "photos are"),
                      " missing: ", named(check.missing), check.hint.empty() ? "" : "; ",
                      check.hint));
  if (!check.unreadable.empty())
    out.push_back(str(counted(static_cast<Index>(check.unreadable.size()), "photo"),
                      " cannot be read: ", named(check.unreadable),
                      "; the first: ", check.first_problem));
  if (use == PhotoUse::kViews && !check.missing.empty())
    out.push_back(
        "training reads features (encoder.type features); maps are drawn without the "
        "photos that are missing");
  if (use == PhotoUse::kTraining && check.usable() < check.photos && check.usable() > 0)
    out.push_back(data.on_bad_image == BadImage::kSkip
                      ? "they are left out (data.on_bad_image is skip)"
                      : "training stops at the first of them; data.on_bad_image=skip leaves them "
                        "out");
  return out;
}

}  // namespace saccade
