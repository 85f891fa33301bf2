#include "experiments/commands/caption_photos.h"

#include <algorithm>
#include <utility>

#include "captioning/data/sequences/sequences_dataset.h"
#include "captioning/data/sequences/source_picture.h"
#include "captioning/model/decoding/decode_images.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/parallel/kernel_parts.h"
#include "experiments/process/log.h"
#include "vision/images/picture_folder.h"

namespace saccade {

namespace {

constexpr Index kBlock = 32;  // pictures in memory at once

struct Read {
  Photo photo;
  std::vector<std::string> warnings;
  std::optional<Error> error;
};

Read read_one(const ModelSession& session, const PhotoRequest& request, Index number) {
  Read out;
  out.photo.number = number;
  for (const ModelSession::Member& member : session.members())
    out.photo.inputs.emplace_back(member.pipeline->shape(), 1);
  try {
    Source source = request.read(
        number, [&](Severity, const std::string& text) { out.warnings.push_back(text); });
    for (std::size_t m = 0; m < out.photo.inputs.size(); ++m) {
      InputBatch& input = out.photo.inputs[m];
      const InputPipeline& pipeline = *session.members()[m].pipeline;
      const Geometry geometry = source.tokens.empty()
                                    ? pipeline.run(source.picture, input.values_of(0))
                                    : pipeline.run_text(source.tokens, input.values_of(0));
      input.set_area(0, picture_area(geometry));
      if (m == session.models().shown()[0]) out.photo.geometry = geometry;
    }
    if (request.keep_pictures) out.photo.picture = std::move(source.picture);
    out.photo.tokens = std::move(source.tokens);
  } catch (const DataError& error) {
    out.error = error;
  } catch (const IoError& error) {
    out.error = error;
  }
  return out;
}

// Whether a picture has another size than all scenes of the model.
bool is_no_scene(const Geometry& geometry, const ExperimentConfig& config) {
  const std::int64_t size = config.data.scenes.size;
  return geometry.original_height != size || geometry.original_width != size;
}

}  // namespace

Source::Source(std::vector<std::string> text) : tokens(std::move(text)) {
  if (!tokens.empty()) picture = draw_source(tokens);
}

NamedSources named_sources(const ModelSession& session, const std::vector<std::string>& names) {
  if (!session.pipeline().reads_text()) {
    const std::vector<std::string> files = named_pictures(names);
    const Index max_pixels = session.members()[0].loaded.config.data.max_pixels();
    return {.names = files, .read = [files, max_pixels](Index i, const MessageListener& listener) {
              return Source(read_image(files[static_cast<std::size_t>(i)], listener, max_pixels));
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

void require_pictures(const ModelSession& session, const std::string& what) {
  for (const ModelSession::Member& member : session.members())
    if (member.pipeline->reads_text())
      throw UsageError(str(what, " needs a model of pictures, and ", member.name,
                           " reads texts (data.type sequences)"));
}

std::string remark_on_data(const std::string& model, const ExperimentConfig& config) {
  if (config.data.type != DataKind::kScenes) return "";
  return str(model,
             " has learned drawn scenes alone (data.type is scenes), so its captions of other "
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
  const ModelSession::Member& first = session.members()[0];
  std::string remark =
      request.remarks ? remark_on_data(first.name, first.loaded.config) : std::string();
  const Index end = request.first + request.count;
  for (Index begin = request.first; begin < end; begin += kBlock) {
    std::vector<Read> block(static_cast<std::size_t>(std::min(kBlock, end - begin)));
    parallel::for_each(static_cast<Index>(block.size()), [&](Index i) {
      block[static_cast<std::size_t>(i)] = read_one(session, request, begin + i);
    });
    for (const Read& read : block) {
      for (const std::string& warning : read.warnings) log::warn(plain_text(warning));
      if (!read.error) continue;
      log::error(plain_text(read.error->what()));
      if (code == ExitCode::kOk) code = read.error->code();
    }
    // Pictures that could not be read keep their places, so that the random draws of the others do
    // not change.
    const auto load = [&](Index i, std::size_t member, std::span<float> out) {
      InputBatch& input = block[static_cast<std::size_t>(i)].photo.inputs[member];
      std::copy(input.values_of(0).begin(), input.values_of(0).end(), out.begin());
      return input.area(0);
    };
    std::vector<DecodedCaption> captions =
        decode(session.models(), {.count = static_cast<Index>(block.size()),
                                  .load = load,
                                  .search = request.search,
                                  .given = request.say,
                                  .first_image = begin});
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].error) continue;
      if (!remark.empty() && is_no_scene(block[i].photo.geometry, first.loaded.config))
        log::info(plain_text(std::exchange(remark, "")));
      block[i].photo.caption = std::move(captions[i]);
      take(block[i].photo);
    }
  }
  return code;
}

}  // namespace saccade
