#include "experiments/commands/overlay.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "captioning/evaluation/evaluate.h"
#include "core/base/log.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/overlay_files.h"

namespace saccade {

namespace {

constexpr Index kDefaultCount = 10;

OverlayOptions overlay_options(const OverlayArgs& args) {
  if (!(args.full_heat > 0)) {
    throw UsageError(str("--full-heat must be above 0; got ", args.full_heat));
  }
  return {.style = choice<HeatStyle>(args.style, "--style"),
          .scale = choice<HeatScale>(args.scale, "--scale"),
          .fixed_max = args.full_heat,
          .colours = choice<ColourMap>(args.colours, "--colours")};
}

// Pictures by number: files that were named, or images of the model's data.
struct Pictures {
  std::vector<std::string> names;
  std::function<Image(Index)> read;
};

Pictures pictures_of(const OverlayArgs& args, const ModelSession& session) {
  if (!args.images.empty()) {
    if (!args.split.empty() || args.count) {
      throw UsageError("name either pictures, or --split and --count");
    }
    return {.names = args.images, .read = [images = args.images](Index i) {
              return read_image(images[static_cast<std::size_t>(i)]);
            }};
  }
  const auto data = std::make_shared<const LoadedData>(load_data(session.config().data));
  const Split split = args.split.empty() ? data->default_split() : parse_split(args.split);
  const std::vector<Index> images =
      evaluation_images(data->dataset, split, args.count.value_or(kDefaultCount));
  Pictures out;
  for (const Index i : images) {
    out.names.push_back(data->dataset.images[static_cast<std::size_t>(i)].id);
  }
  out.read = [data, images](Index i) { return data->image(images[static_cast<std::size_t>(i)]); };
  return out;
}

// "flickr8k-hard (hard, argmax)", "soft + hard (mean of 2, expectation)": those whose maps it is.
std::string model_title(const ModelSession& session, Regime regime) {
  std::string names;
  const std::span<const std::size_t> shown = session.models().shown();
  for (const std::size_t m : shown)
    names += (names.empty() ? "" : " + ") + session.members()[m].loaded.config.name;
  const AttentionConfig& attention = session.members()[shown[0]].loaded.config.attention;
  const std::string how = shown.size() > 1 ? str("mean of ", shown.size())
                                           : std::string(enum_name(attention.selection));
  return str(names, " (", how, ", ", enum_name(regime), ")");
}

}  // namespace

int run_overlay(const OverlayArgs& args) {
  const OverlayOptions options = overlay_options(args);
  const ModelSession session(args.model);
  if (!session.models().has_attention()) {
    throw UsageError(args.model.checkpoint +
                     ": the model has no attention to draw (attention.score is none)");
  }
  if (args.alignment) session.require_one("--alignment");
  if (args.maps.views() || args.maps.class_token)
    session.require_one("a view of layers, heads or tokens");
  const MapRequest request = map_request(args.maps, session.config());
  if (args.alignment && session.models().vocabulary().subwords() &&
      session.config().decoder.type == DecoderKind::kTransformer)
    log::info(
        "words are put together from pieces that the transformer looks at one by one: no matrix of "
        "words and words is drawn");
  const SearchOptions search = session.search(args.model.regime);
  const CaptionSource source = session.source(search.regime);
  const Pictures pictures = pictures_of(args, session);
  OverlayFiles files(args.out,
                     {.drawing = options,
                      .alignment = args.alignment ? AlignmentFiles::kYes : AlignmentFiles::kNo});
  const ExitCode code = caption_photos(
      session,
      {.count = static_cast<Index>(pictures.names.size()),
       .read = pictures.read,
       .search = search,
       .keep_pictures = true},
      [&](Photo& photo) {
        CaptionRecord record = {.image = pictures.names[static_cast<std::size_t>(photo.number)],
                                .caption = std::move(photo.caption),
                                .geometry = photo.geometry};
        Overlay overlay = make_overlay(std::move(photo.picture), record, source);
        overlay.title = str(model_title(session, search.regime), ": ",
                            std::filesystem::path(record.image).filename().string());
        CaptionMaps maps;
        if (args.alignment || args.maps.views() || args.maps.class_token)
          maps = caption_maps(session.model(), photo.inputs[0].view(), record.caption);
        if (args.maps.views()) record.views = map_views(maps, request);
        if (args.maps.class_token) record.class_token = class_token_views(maps, request.discard);
        for (const std::filesystem::path& path : files.write(overlay, record, source, maps)) {
          std::cout << path.string() << "\n";
        }
        photo.picture = {};
      });
  std::cout << std::flush;
  return static_cast<int>(code);
}

CommandRun bind_overlay(Options& options) {
  const auto args = std::make_shared<OverlayArgs>();
  add_model_options(options, args->model);
  options.arguments("images", args->images, "picture files; without any, pictures of the data",
                    "IMAGE");
  options.text("--split", args->split, "train, val or test (default: test if there is one)",
               "SPLIT");
  options.count("--count", args->count, "so many pictures of the data (default: 10)", 1);
  options.text("--out", args->out, "folder for the pictures (default: overlays)", "FOLDER");
  options.text("--style", args->style, "smooth or cells", "STYLE");
  options.text("--scale", args->scale, "what full heat means: shared, per_word or fixed", "SCALE");
  options.number("--full-heat", args->full_heat, "the weight of full heat with --scale fixed",
                 "WEIGHT");
  options.text("--colours", args->colours, "inferno, magma, plasma, viridis or cividis", "MAP");
  options.flag("--alignment", args->alignment,
               "also draw the matrices of words and regions, of an encoder's tokens, of a "
               "refinement's regions and of a transformer's words, as PNG and SVG");
  add_map_options(options, args->maps);
  return [args] { return run_overlay(*args); };
}

}  // namespace saccade
