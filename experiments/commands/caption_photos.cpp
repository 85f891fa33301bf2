#include "experiments/commands/caption_photos.h"

#include <algorithm>
#include <utility>

#include "captioning/data/sequences/sequences_dataset.h"
#include "captioning/model/maps/caption_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/parallel/kernel_parts.h"
#include "experiments/process/log.h"
#include "vision/images/film_strip.h"
#include "vision/images/picture_folder.h"

namespace saccade {

namespace {

// Whether a picture has another size than all scenes of the model.
bool is_no_scene(const Geometry& geometry, const ExperimentConfig& config) {
  const std::int64_t size = config.data.scenes.size;
  return geometry.original_height != size ||
         geometry.original_width != size * config.data.scenes.frames;
}

// What --features names.
std::shared_ptr<const FeatureSource> opened_features(const ModelSession& session,
                                                     const std::string& path) {
  for (const LoadedModel& member : session.members())
    if (member.pipeline->reads_features()) return member.pipeline->features().open(path);
  throw InternalError("[features] nothing reads them");
}

// A film is a folder of its frames, or a picture with all of them side by side.
bool is_film(const ModelSession& session, const std::string& name) {
  std::error_code error;
  return session.pipeline().reads_times() && std::filesystem::is_directory(name, error);
}

Source film_source(const std::string& folder, const MessageListener& listener, Index max_pixels) {
  std::filesystem::path path = folder;
  if (!path.has_filename()) path = path.parent_path();
  return Source(read_film_strip(named_pictures({folder}), listener, max_pixels))
      .called({path.filename().string()});
}

// Whether each model can do with features alone.
bool needs_no_pictures(const ModelSession& session) {
  return std::ranges::none_of(session.members(), [](const LoadedModel& member) {
    return member.pipeline->needs_pictures();
  });
}

// All that a file has the features of, without pictures.
NamedSources unseen_sources(const std::shared_ptr<const FeatureSource>& features) {
  return {.names = features->ids(), .read = [features](Index i, const MessageListener&) {
            Source source = Source(Image()).called({features->ids()[static_cast<std::size_t>(i)]});
            source.features = features;
            return source;
          }};
}

}  // namespace

NamedSources named_sources(const ModelSession& session, const std::vector<std::string>& names,
                           const std::string& features) {
  const std::shared_ptr<const FeatureSource> given =
      features.empty() ? nullptr : opened_features(session, features);
  if (!session.pipeline().reads_text()) {
    if (names.empty() && given) {
      if (needs_no_pictures(session)) return unseen_sources(given);
      throw UsageError("--features: no picture is named that they are of; name the pictures");
    }
    std::vector<std::string> files;
    for (const std::string& name : names) {
      const std::vector<std::string> more =
          is_film(session, name) ? std::vector{name} : named_pictures({name});
      files.insert(files.end(), more.begin(), more.end());
    }
    const Index max_pixels = session.members()[0].config.data.max_pixels();
    if (given && given->ids().size() == 1 && files.size() > 1)
      throw UsageError(str("--features ", features, " has the features of one photo, and ",
                           files.size(),
                           " are named; name a file or folder that has those of all"));
    return {.names = files,
            .read = [&session, files, max_pixels, given](Index i, const MessageListener& listener) {
              const std::string& file = files[static_cast<std::size_t>(i)];
              Source source = is_film(session, file)
                                  ? film_source(file, listener, max_pixels)
                                  : Source(read_image(file, listener, max_pixels)).called({file});
              source.features = given;
              return source;
            }};
  }
  return {.names = names, .read = [names](Index i, const MessageListener&) {
            const std::string& text = names[static_cast<std::size_t>(i)];
            Source source(source_tokens(text));
            if (source.tokens.empty())
              throw DataError(str("'", text, "': the text has no tokens; give it some"));
            return source;
          }};
}

void warn_unmet(const std::string& image, const DecodedCaption& caption) {
  if (const std::string note = unmet_note(caption); !note.empty())
    log::warn(plain_text(image + ": " + note));
}

void require_pictures(const ModelSession& session, const std::string& what) {
  for (const LoadedModel& member : session.members())
    if (member.pipeline->reads_text())
      throw UsageError(str(what, " needs a model of pictures, and ", member.name,
                           " reads texts (data.type sequences)"));
}

std::string remark_on_data(const std::string& model, const ExperimentConfig& config) {
  if (config.data.type != DataKind::kScenes) return "";
  return str(model,
             " was trained on drawn scenes alone (data.type is scenes), so its captions of other "
             "pictures say little; `saccade list models` shows which models know photos");
}

std::vector<std::string> named_pictures(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      out.push_back(name);
      continue;
    }
    const FolderPictures found = pictures_in(name);
    if (!found.unread.empty()) {
      std::vector<std::string> unread;
      for (const auto& path : found.unread) unread.push_back(path.filename().string());
      log::warn(plain_text(str(
          name, ": ", counted(static_cast<Index>(unread.size()), "picture is", "pictures are"),
          " of a kind that is not read: ", first_names(unread), "; convert them to JPEG or PNG")));
    }
    if (!found.misnamed.empty()) {
      std::vector<std::string> misnamed;
      for (const auto& path : found.misnamed) misnamed.push_back(path.filename().string());
      log::warn(
          plain_text(str(name, ": left out ", counted(static_cast<Index>(misnamed.size()), "file"),
                         " with a picture in it, but without the ending of one (.jpg, .png, ...): ",
                         first_names(misnamed), "; rename it, or name it by itself")));
    }
    if (found.folders > 0 && !found.pictures.empty())
      log::warn(plain_text(str(name, ": the pictures of ", counted(found.folders, "folder"),
                               " inside are left out; name these folders, too")));
    if (found.pictures.empty())
      throw UsageError(name +
                       ": the folder has no picture that can be read (JPEG, PNG, BMP, WebP, TIFF); "
                       "name pictures, or the folder that holds them");
    for (const auto& path : found.pictures) out.push_back(path.string());
  }
  return out;
}

ExitCode caption_photos(const ModelSession& session, const PhotoRequest& request,
                        const std::function<void(Photo&)>& take) {
  const parallel::SplitKernels split;  // has an effect where pictures are too few for tasks
  ExitCode code = ExitCode::kOk;
  const LoadedModel& first = session.members()[0];
  std::string remark = request.remarks ? remark_on_data(first.name, first.config) : std::string();
  Photos photos(session.models(), request.first, request.count, request.read,
                request.search.name_objects > 0, request.keep_pictures);
  for (auto block = photos.next(); !block.empty(); block = photos.next()) {
    for (const Photo& photo : block) {
      for (const std::string& warning : photo.warnings) log::warn(plain_text(warning));
      if (!photo.error) continue;
      try {
        std::rethrow_exception(photo.error);
      } catch (const Error& error) {
        log::error(plain_text(error.what()));
        if (code == ExitCode::kOk) code = error.code();
      }
    }
    add_captions(session.models(), block, request.search, request.say);
    for (Photo& photo : block) {
      if (photo.error) continue;
      if (!remark.empty() && is_no_scene(photo.geometry, first.config))
        log::info(plain_text(std::exchange(remark, "")));
      take(photo);
    }
  }
  return code;
}

}  // namespace saccade
