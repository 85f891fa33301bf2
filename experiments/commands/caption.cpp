#include "experiments/commands/caption.h"

#include <signal.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "captioning/explorer/explorer_json.h"
#include "captioning/learning/runs/named_models.h"
#include "captioning/model/maps/caption_json.h"
#include "captioning/model/maps/caption_record.h"
#include "captioning/model/maps/caption_text.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/said_caption.h"
#include "experiments/commands/shown_models.h"
#include "experiments/commands/watched_folder.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/output_file.h"
#include "experiments/process/stop_signal.h"
#include "experiments/report/photo_page.h"

namespace saccade {

namespace {

// The probability of a word, or of the end of the caption: "0.3126", "2.1e-05".
std::string probability(double log_prob) {
  std::ostringstream out;
  const double p = std::exp(log_prob);
  if (p >= 0.0001)
    out << std::fixed << std::setprecision(4);
  else
    out << std::scientific << std::setprecision(1);
  out << p;
  return out.str();
}

// The words of a caption that was given, each with its probability after those before it.
std::string said(const std::string& path, const DecodedCaption& caption,
                 const CaptionSource& source) {
  std::ostringstream out;
  out << plain_text(path) << ": " << plain_text(caption_text(caption, *source.vocabulary)) << "\n"
      << std::fixed << std::setprecision(2) << "  log p " << caption.log_prob << ":";
  for (const DecodedWord& word : caption.words)
    out << " " << plain_text(word_text(word, *source.vocabulary)) << " "
        << probability(word.log_prob) << ",";
  out << " end " << probability(caption.last.log_prob) << "\n";
  return out.str();
}

// "path: caption"; with alternatives a line per caption, the best first, and of a caption that was
// given the probability of each word.
std::string caption_lines(const std::string& path, const DecodedCaption& caption,
                          const CaptionSource& source) {
  if (source.given) return said(path, caption, source);
  const auto text = [&](const DecodedCaption& one) {
    return plain_text(caption_text(one, *source.vocabulary));
  };
  if (!source.alternatives) return plain_text(path) + ": " + text(caption) + "\n";
  std::ostringstream out;
  out << plain_text(path) << ":\n" << std::fixed << std::setprecision(2);
  const auto line = [&](std::size_t rank, const DecodedCaption& one) {
    out << std::setw(4) << rank << "  log p " << std::setw(6) << one.log_prob << "  " << text(one)
        << "\n";
  };
  line(1, caption);
  for (std::size_t k = 0; k < caption.others.size(); ++k) line(k + 2, caption.others[k]);
  return out.str();
}

SearchOptions search_of(const CaptionArgs& args, const ModelSession& session) {
  SearchOptions search = session.search(args.model.regime);
  if (!args.page.empty()) session.require_one("--page");
  if (args.all_maps) {
    if (!session.models().has_maps())
      throw UsageError(
          "--all-maps: the words of the model attend to no regions (decoder.image or "
          "attention.score), so there are no maps; leave it out");
    session.require_one("--all-maps");
    search.recording.layers = true;
  }
  if (args.occlusion) {
    session.require_one("--occlusion");
    if (search.regime == Regime::kSample)
      throw UsageError(
          "--occlusion: in the regime sample the regions are drawn, and another draw would be "
          "taken for the effect of a region; give another --regime");
  }
  if (!args.page.empty()) {
    search.recording.words = args.self_attention;
    search.alternatives =
        search.mode == SearchMode::kBeam
            ? page_search(session.config(), session.model().vocabulary()).alternatives
            : 1;
  }
  if (args.say) search.alternatives = 1;
  if (!args.alternatives) return search;
  if (args.say)
    throw UsageError("--say: the caption is given, so there are no --alternatives; leave them out");
  if (search.mode != SearchMode::kBeam)
    throw UsageError(str("--alternatives lists what beam search finds, and search.mode is ",
                         enum_name(search.mode), "; give --mode beam"));
  search.alternatives = *args.alternatives;
  if (search.alternatives > search.beam)
    throw UsageError(str("--alternatives ", search.alternatives, " needs a beam of at least ",
                         search.alternatives, ", and search.beam is ", search.beam,
                         ": beam search finds at most one caption per hypothesis; give --beam ",
                         search.alternatives, " or more"));
  return search;
}

void check(const CaptionArgs& args) {
  if (args.images.empty() && args.watch.empty() && args.model.features.empty())
    throw UsageError(
        "no picture is named; name pictures or a folder of them, or a folder with --watch; for a "
        "model of texts, give texts");
  const bool shown = args.json || !args.page.empty();
  if (args.all_maps && !shown)
    throw UsageError(
        "--all-maps has no effect: maps are in the JSON and in pages alone; give --json or --page "
        "as well");
  if (args.occlusion && !shown)
    throw UsageError(
        "--occlusion has no effect: what regions do for words is in the JSON and in pages alone; "
        "give --json or --page as well");
  if (args.self_attention && args.page.empty())
    throw UsageError(
        "--self-attention has no effect: what regions and words attend to is in pages alone; give "
        "--page as well");
  if (!args.page.empty() && !args.watch.empty())
    throw UsageError(
        "--page: a page holds the pictures that are named, and --watch never ends; name pictures, "
        "or a folder of them");
  if (!args.model.features.empty() && !args.watch.empty())
    throw UsageError(
        "--features: the pictures that --watch finds are not known yet, nor are their features; "
        "name pictures");
  if (!args.images.empty() && !args.watch.empty())
    throw UsageError("--watch captions what is in " + args.watch +
                     "; caption the named pictures with another command");
}

// Refuses the name of a model among the pictures, which is meant as one more model.
void refuse_models(const CaptionArgs& args, const ModelSession& session) {
  if (session.pipeline().reads_text()) return;
  const std::vector<NamedModel> models = named_models(all_model_folders());
  for (const std::string& image : args.images) {
    std::error_code error;
    const bool named = std::any_of(models.begin(), models.end(),
                                   [&](const NamedModel& model) { return model.name == image; });
    if (named && !std::filesystem::exists(image, error))
      throw UsageError(str(
          image, " is a model and not a picture; the captions of an ensemble are asked for by ",
          args.model.checkpoint, ",", image, ", and those of several models by one command each"));
  }
}

// The model with all of its heads, where some are removed from the one that captions.
class WholeModel {
 public:
  WholeModel(const CaptionArgs& args, const SearchOptions& search) : search_(search) {
    search_.recording = {};
    search_.alternatives = 1;
    if (!args.model.without.empty() && !args.say) session_.emplace(args.model);
  }
  // The caption of a photo; "" where no head is removed, or where the caption is given.
  std::string caption(const Photo& photo) const {
    if (!session_) return "";
    const Ensemble& models = session_->models();
    const EncodedPictures whole(models, photo.views());
    const auto number = static_cast<std::uint64_t>(photo.number);
    return caption_text(whole.caption(search_, number, {&photo.seen, 1}).front(),
                        models.vocabulary());
  }

 private:
  SearchOptions search_;
  std::optional<ModelSession> session_;  // its heads are never removed
};

// The line below a caption that says what the whole model wrote; "" where no head is removed.
std::string whole_line(const std::string& whole) {
  return whole.empty() ? "" : "  with all heads: " + plain_text(whole) + "\n";
}

// What is printed of a photo as JSON.
CaptionRecord record_of(const CaptionArgs& args, const ModelSession& session,
                        const SearchOptions& search, const std::string& path, Photo& photo,
                        const std::string& whole) {
  CaptionRecord record{.image = path,
                       .caption = std::move(photo.caption),
                       .geometry = photo.geometry,
                       .whole = whole};
  record.tokens = photo.tokens;
  const MapChoice each{.kind = MapChoice::Kind::kEach};
  if (args.all_maps) record.views = map_views(record.caption, {.layer = each, .head = each});
  if (args.occlusion)
    add_effects(session.model(), session.config().attention, photo.inputs[0].view(), search,
                record.caption);
  return record;
}

// The page of the photos that are named.
struct Page {
  ShownModel model;
  PhotoPage photos;

  Page(const CaptionArgs& args, const ModelSession& session, Regime regime)
      : model(shown_models({args.model.checkpoint}).models[0]),
        photos(model, {.regime = regime,
                       .all_maps = args.all_maps,
                       .occlusion = args.occlusion,
                       .self_attention = args.self_attention}) {
    model.loaded = &session.members()[0];
  }

  void write(const std::string& file) const {
    if (photos.photos() == 0) {
      log::warn(plain_text(file + " was not written: no picture could be read"));
      return;
    }
    const std::string html = photos.html();
    write_file(file, html);
    std::cerr << "wrote " << plain_text(file) << " (" << html.size() / 1000 << " kB)\n";
  }
};

// Captions one picture at a time, so that a line never waits for the next picture.
int watch(const CaptionArgs& args, const ModelSession& session, const SearchOptions& search,
          std::span<const int> say, const CaptionSource& source, const WholeModel& all_heads,
          const StopSignal& signal) {
  WatchedFolder folder(args.watch, session.config().data.max_pixels());
  const auto caption = [&](const std::string& path, Image& picture) {
    const auto print = [&](Photo& photo) {
      warn_unmet(path, photo.caption);
      const std::string whole = all_heads.caption(photo);
      if (args.json)
        std::cout << json_line(
                         caption_json(record_of(args, session, search, path, photo, whole), source))
                  << "\n";
      else
        std::cout << caption_lines(path, photo.caption, source) << whole_line(whole);
    };
    caption_photos(session,
                   {.count = 1,
                    .read = [&](Index, const auto&) { return Source(std::move(picture)); },
                    .search = search,
                    .say = say,
                    .remarks = false},
                   print);
    if (!std::cout.flush()) throw IoError("cannot write to standard output; check the disk");
  };
  while (signal.number() == 0) {
    folder.poll(caption, signal.number());
    WatchedFolder::rest();
  }
  return signal_exit_code(signal.number());
}

}  // namespace

int run_caption(const CaptionArgs& args) {
  check(args);
  refuse_without_effect(args.model);
  std::optional<StopSignal> signal;
  if (!args.watch.empty()) {
    signal.emplace("the picture that is being read is captioned first");
    ::signal(SIGPIPE, SIG_DFL);  // `| head` ends it without a message, as other commands
  }
  if (!args.page.empty()) check_output("--page", args.page, OutputKind::kPage, args.images);
  ModelSession session(args.model);
  refuse_models(args, session);
  const SearchOptions search = search_of(args, session);
  CaptionSource source = session.source(search.regime);
  source.alternatives = args.alternatives.has_value();
  source.without = session.heads_without();
  const std::vector<int> say = said_words(args.say, args.model, session);
  source.given = args.say.has_value();
  session.remove_heads();
  const WholeModel all_heads(args, search);
  if (signal) {
    require_pictures(session, "--watch");
    return watch(args, session, search, say, source, all_heads, *signal);
  }
  const NamedSources images = named_sources(session, args.images, args.model.features);
  const auto path = [&](Index i) { return images.names[static_cast<std::size_t>(i)]; };
  std::vector<CaptionRecord> records;
  std::optional<Page> page;
  if (!args.page.empty()) page.emplace(args, session, search.regime);
  const ExitCode code = caption_photos(
      session,
      {.count = static_cast<Index>(images.names.size()),
       .read = images.read,
       .search = search,
       .say = say,
       .keep_pictures = page.has_value()},
      [&](Photo& photo) {
        warn_unmet(path(photo.number), photo.caption);
        const std::string whole = all_heads.caption(photo);
        if (!args.json)
          std::cout << caption_lines(path(photo.number), photo.caption, source)
                    << whole_line(whole);
        if (!args.json && !page) return;
        CaptionRecord record = record_of(args, session, search, path(photo.number), photo, whole);
        if (page) page->photos.add(photo.picture, photo.inputs[0].view(), record);
        if (args.json) records.push_back(std::move(record));
      });
  if (args.json) std::cout << captions_json(records, source);
  std::cout << std::flush;
  if (page) page->write(args.page);
  if (page && args.self_attention && page->photos.photos() > 0 && !page->photos.attends_to_itself())
    log::warn(plain_text("--self-attention has no effect: " + page->model.name +
                         " has no regions or words that attend to each other"));
  return static_cast<int>(code);
}

namespace {

CommandRun bind_caption(Options& options) {
  const auto args = std::make_shared<CaptionArgs>();
  add_model_options(options, args->model);
  options.arguments("images", args->images,
                    "picture files, or folders of them; texts for a model of texts", "IMAGE");
  add_features_option(options, args->model);
  add_say_option(options, args->say);
  options.text("--watch", args->watch,
               "caption the pictures in a folder, and each picture that appears in it as soon as "
               "the file is complete, until a signal stops the program",
               "DIR");
  options.count("--alternatives", args->alternatives,
                "list the N best captions that beam search finds, each with its log-probability",
                1);
  options.flag("--all-maps", args->all_maps,
               "with --json: also print the maps of every layer and head, as 'maps'; with --page: "
               "show them");
  options.flag(
      "--occlusion", args->occlusion,
      "with --json: also print for every word and region by how much the log-probability "
      "of the word falls when the region is removed, as 'occlusion'; with --page: show it");
  options.flag("--self-attention", args->self_attention,
               "with --page: also show what each region attends to in the encoder and its "
               "refinement, and each word in a decoder of transformers");
  options.text("--page", args->page,
               "also write a page that shows the pictures with their captions and maps, as the "
               "explorer of a report does; it is one file and opens without a network",
               "FILE.html");
  options.flag("--json", args->json,
               "print a JSON array with words, log-probabilities, gates and attention weights; "
               "with --watch one object per line");
  return [args] { return run_caption(*args); };
}

}  // namespace

const Command kCaptionCommand = {"caption", "write a caption for each picture",
                                 "saccade caption runs/first photo.jpg", bind_caption};

}  // namespace saccade
