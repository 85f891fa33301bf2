#include "experiments/commands/caption.h"

#include <iostream>
#include <memory>

#include "experiments/commands/caption_photos.h"
#include "experiments/plain_text.h"

namespace saccade {

int run_caption(const CaptionArgs& args) {
  const ModelSession session(args.model);
  const SearchOptions search = session.search(args.model.regime);
  const CaptionSource source = session.source(search.regime);
  const auto path = [&](Index i) { return args.images[static_cast<std::size_t>(i)]; };
  std::vector<CaptionRecord> records;
  const ExitCode code =
      caption_photos(session,
                     {.count = static_cast<Index>(args.images.size()),
                      .read = [&](Index i) { return read_image(path(i)); },
                      .search = search},
                     [&](Photo& photo) {
                       if (args.json) {
                         records.push_back({.image = path(photo.number),
                                            .caption = std::move(photo.caption),
                                            .geometry = photo.geometry});
                         return;
                       }
                       std::cout << plain_text(path(photo.number) + ": " +
                                               caption_text(photo.caption, *source.vocabulary))
                                 << "\n";
                     });
  if (args.json) std::cout << captions_json(records, source);
  std::cout << std::flush;
  return static_cast<int>(code);
}

CommandRun bind_caption(Options& options) {
  const auto args = std::make_shared<CaptionArgs>();
  add_model_options(options, args->model);
  options.arguments("images", args->images, "picture files", "IMAGE", Need::kRequired);
  options.flag("--json", args->json,
               "print an array with words, log-probabilities, gates and attention");
  return [args] { return run_caption(*args); };
}

}  // namespace saccade
