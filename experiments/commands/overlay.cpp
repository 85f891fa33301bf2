#include "experiments/commands/overlay.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "captioning/learning/runs/run_directory.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/inspection/encoder_maps.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/said_caption.h"
#include "experiments/commands/shown_models.h"
#include "experiments/pictures/overlay_files.h"
#include "experiments/process/log.h"
#include "experiments/process/progress.h"
#include "vision/drawing/font_coverage.h"

namespace saccade {

namespace {

constexpr Index kDefaultCount = 10;

// Files or texts that were named, or images of the model's data.
NamedSources pictures_of(const OverlayArgs& args, const ModelSession& session) {
  if (!args.images.empty()) {
    if (!args.split.empty() || args.count) {
      throw UsageError("name either pictures, or --split and --count");
    }
    return named_sources(session, args.images, args.model.features);
  }
  if (!args.model.features.empty()) {
    if (!args.split.empty() || args.count)
      throw UsageError(
          "--features is for what it has the features of, or for pictures that are named; those of "
          "a data set are found in the files of the config (--set encoder.features.path=PLACE)");
    return named_sources(session, {}, args.model.features);
  }
  const auto data = std::make_shared<const LoadedData>(load_data(session));
  const Split split = args.split.empty() ? data->default_split() : parse_split(args.split);
  const std::vector<Index> images =
      evaluation_images(data->dataset, split, args.count.value_or(kDefaultCount));
  NamedSources out;
  for (const Index i : images) {
    out.names.push_back(data->dataset.images[static_cast<std::size_t>(i)].id);
  }
  const bool needed = session.pipeline().needs_pictures();
  out.read = [data, images, needed](Index i, const MessageListener&) {
    const Index image = images[static_cast<std::size_t>(i)];
    const SourceText* text = data->text(image);
    const CaptionedImage& photo = data->dataset.images[static_cast<std::size_t>(image)];
    if (text) return Source(text->tokens);
    return Source(needed || data->has_picture(image) ? data->image(image) : Image())
        .called({photo.id, photo.path});
  };
  return out;
}

// The name that a report gives the model: its own, where it was named by it, or that of its run. If
// only the file is known, the one from its config.
std::string member_name(const LoadedModel& member) {
  if (stands_for_model(member.name)) return member.name;
  const std::filesystem::path run = run_of(member.name);
  return run.empty() ? member.config.name : run_name(run);
}

// "hard, seed 1 (hard, argmax)", "soft + hard (mean of 2, expectation)": the models of the maps.
std::string model_title(const ModelSession& session, Regime regime) {
  std::string names;
  const std::span<const std::size_t> shown = session.models().shown();
  for (const std::size_t m : shown)
    names += (names.empty() ? "" : " + ") + member_name(session.members()[m]);
  const AttentionConfig& attention = session.members()[shown[0]].config.attention;
  const std::string how = shown.size() > 1 ? str("mean of ", shown.size()) : attention.selection;
  return str(names, " (", how, ", ", enum_name(regime), ")");
}

// ", layer 2" where a caption has the maps of one of several layers.
std::string layer_name(const DecodedCaption& caption) {
  if (caption.words.empty() || caption.words[0].map.layer.count == 1) return "";
  return ", layer " + caption.words[0].map.layer.name();
}

// A model with attention, and which of its maps are drawn.
struct OverlayModel {
  std::string name;
  ModelSession session;
  MapRequest maps;
  SearchOptions search;
  CaptionSource source;
  std::vector<int> say{};  // a caption of one's own; empty: one is searched
  std::string title{};
  std::optional<ReceptiveField> field{};

  OverlayModel(const OverlayArgs& args, const std::string& checkpoint)
      : name(checkpoint),
        session(model_args(args.model, checkpoint)),
        maps(map_request(args.maps, session.config())),
        search(session.search(args.model.regime)),
        source(session.source(search.regime)) {
    if (!session.models().has_maps())
      throw UsageError(checkpoint +
                       ": the model has no attention to draw (attention.score is none)");
    if (args.maps.views() || args.maps.class_token)
      session.require_one("a view of layers, heads or tokens");
    source.without = session.heads_without();
    source.given = args.say.has_value();
    say = said_words(args.say, model_args(args.model, checkpoint), session);
    session.remove_heads();
    search.recording = {.layers = args.maps.views(), .words = args.alignment};
    title = model_title(session, search.regime);
    if (source.given) title += ", a caption that was given";
  }

  // Throws UsageError, with the reason, where no cell is chosen or every cell covers everything.
  ReceptiveField chosen_field() const {
    const auto refuse = [&](const std::string& reason) {
      throw UsageError(str("--receptive-field: ", name, ": ", reason));
    };
    if (search.regime != Regime::kArgmax && search.regime != Regime::kSample)
      refuse(str("in the regime ", enum_name(search.regime),
                 " no cell is chosen; hard models choose with --regime argmax or sample"));
    if (session.members().size() > 1) refuse("an ensemble's cells are of several networks");
    const CaptionModel& model = session.model();
    if (model.refinement() != nullptr)
      refuse("its regions have attended to each other (encoder.refine.layers)");
    try {
      return model.encoder() != nullptr ? model.encoder()->receptive_field()
                                        : session.pipeline().frozen()->receptive_field();
    } catch (const UsageError& error) {
      refuse(error.what());
    }
    return {};
  }

 private:
  static ModelArgs model_args(ModelArgs args, const std::string& checkpoint) {
    args.checkpoint = checkpoint;
    return args;
  }
};

// A picture with the caption and the maps of one model.
struct MappedPicture {
  CaptionRecord record;
  Overlay overlay;
  EncoderMaps encoder;
};

MappedPicture map_picture(const OverlayArgs& args, const OverlayModel& model,
                          const std::string& image, Photo& photo) {
  warn_unmet(image, photo.caption);
  MappedPicture mapped{
      .record = {.image = image, .caption = std::move(photo.caption), .geometry = photo.geometry},
      .overlay = {},
      .encoder = {}};
  mapped.record.tokens = photo.tokens;
  mapped.overlay = make_overlay(std::move(photo.picture), mapped.record, model.source);
  if (args.alignment || args.maps.rollout || args.maps.class_token)
    mapped.encoder = encoder_maps(model.session.model(), photo.inputs[0].view());
  if (args.maps.views())
    mapped.record.views = map_views(mapped.record.caption, model.maps, mapped.encoder);
  if (args.maps.class_token)
    mapped.record.class_token = class_token_views(mapped.encoder, model.maps.discard);
  mapped.overlay.field = model.field;
  const std::string shown =
      photo.tokens.empty() ? std::filesystem::path(image).filename().string() : image;
  mapped.overlay.title = str(model.title, ": ", shown);
  // The title of a view has its layer already, and the class token's sheet shares the title.
  if (!args.maps.views() && !args.maps.class_token)
    mapped.overlay.title += layer_name(mapped.record.caption);
  return mapped;
}

// Finds the receptive fields. Of models side by side some may choose no cell; it is an error if
// none does.
void find_fields(std::deque<OverlayModel>& models) {
  std::string reason;
  bool found = false;
  for (OverlayModel& model : models) {
    try {
      model.field = model.chosen_field();
      found = true;
    } catch (const UsageError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  if (!found) throw UsageError(reason);
}

// Ensembles are the same in any order.
void refuse_same(const OverlayModel& one, const OverlayModel& other) {
  const std::vector<LoadedModel>&ours = one.session.members(), &theirs = other.session.members();
  if (std::is_permutation(
          ours.begin(), ours.end(), theirs.begin(), theirs.end(),
          [](const auto& a, const auto& b) { return same_checkpoint(a.name, b.name); }))
    throw UsageError(
        str("--with: ", one.name, " and ", other.name, " are the same model; name each once"));
}

// Throws UsageError that names the model.
OverlayModel& add_model(std::deque<OverlayModel>& models, const OverlayArgs& args,
                        const std::string& checkpoint) {
  try {
    return models.emplace_back(args, checkpoint);
  } catch (const UsageError& error) {
    const std::string reason = error.what();
    if (args.with.empty() || reason.starts_with(checkpoint)) throw;
    throw UsageError(checkpoint + ": " + reason);
  }
}

std::deque<OverlayModel> load_models(const OverlayArgs& args) {
  std::deque<OverlayModel> models;
  const OverlayModel& first = add_model(models, args, args.model.checkpoint);
  for (const std::string& checkpoint : args.with) {
    const OverlayModel& model = add_model(models, args, checkpoint);
    for (std::size_t m = 0; m + 1 < models.size(); ++m) refuse_same(models[m], model);
    const DataIdentity& data = first.session.data();
    const std::string remark =
        data_remark(checkpoint, model.session.data(), data.name, data.digest);
    if (!remark.empty()) log::info(plain_text(str(remark, ", not on that of ", first.name)));
  }
  std::map<std::string, int> count;
  for (const OverlayModel& model : models) ++count[model.title];
  for (OverlayModel& model : models)
    if (count[model.title] > 1) model.title = model.name + ": " + model.title;
  return models;
}

// Refuses a name that looks like that of a file, because a folder of drawings is made.
void check_folder(const std::string& out) {
  std::error_code error;
  if (std::filesystem::is_directory(out, error)) return;
  const std::string ending = std::filesystem::path(out).extension().string();
  for (const char* file : {".html", ".png", ".svg", ".pdf", ".jpg", ".jpeg", ".json"})
    if (ending == file)
      throw UsageError(str("--out ", out,
                           ": the drawings are several files, for which a folder is made; name a "
                           "folder, such as ",
                           out.substr(0, out.size() - ending.size())));
}

void check_together(const OverlayArgs& args) {
  if (args.with.empty()) return;
  if (args.alignment || args.maps.class_token)
    throw UsageError(str(args.alignment ? "--alignment" : "--class-token",
                         " draws one model's; leave out --with"));
  if (args.drawing.panels)
    throw UsageError(
        "--panels has no effect: of several models there are no panels; leave out "
        "--with");
}

// The strips of all models for a picture that the first model has captioned; `read` reads it.
std::vector<Overlay> strips_of(const OverlayArgs& args, MapMeasure measure,
                               const std::deque<OverlayModel>& models, MappedPicture first,
                               Index number, const Photos::Read& read) {
  std::vector<Overlay> strips;
  const auto add = [&](const MappedPicture& mapped) {
    for (ViewOverlay& view : view_overlays(mapped.overlay, mapped.record, measure))
      strips.push_back(std::move(view.overlay));
  };
  const std::shared_ptr<const Image> picture = first.overlay.image;
  add(first);
  for (std::size_t m = 1; m < models.size(); ++m)
    caption_photos(
        models[m].session,
        {.count = 1,
         .first = number,
         .read = read,
         .search = models[m].search,
         .say = models[m].say,
         .keep_pictures = true},
        [&](Photo& photo) {
          MappedPicture mapped = map_picture(args, models[m], first.record.image, photo);
          const Geometry& own = mapped.overlay.geometry;  // of features alone its own
          if (own.original_height == picture->height && own.original_width == picture->width)
            mapped.overlay.image = picture;
          add(mapped);
        });
  return strips;
}

// The characters of words that the font of the drawings cannot write.
class GlyphGaps {
 public:
  explicit GlyphGaps(std::filesystem::path font) : font_(std::move(font)) {}

  void look_at(const Overlay& overlay) {
    std::string text;
    for (const LabelledMap& word : overlay.words) text += word.text + " ";
    missing_.merge(missing_glyphs(font_, text));
  }
  void warn() const {
    if (missing_.empty()) return;
    const std::vector<std::string> characters(missing_.begin(), missing_.end());
    log::warn(plain_text(str(
        font_.empty() ? "DejaVu Sans" : font_.string(), " has no glyphs for ",
        first_names(characters),
        ", which are drawn as boxes; name a font that has them with --font FILE (fc-list lists the "
        "fonts that are installed; fonts-noto-cjk has Chinese, Japanese and Korean)")));
  }

 private:
  std::filesystem::path font_;
  std::set<std::string> missing_;
};

// Prints what was written: each path as soon as it is there, or all in one JSON object at the end.
class WrittenFiles {
 public:
  WrittenFiles(bool as_json, std::size_t pictures) : as_json_(as_json), pictures_(pictures) {}

  void add(const std::string& image, const std::vector<std::filesystem::path>& paths) {
    progress_.clear();
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::filesystem::path& path : paths) {
      files.push_back(path.string());
      if (!as_json_) std::cout << path.string() << "\n";
    }
    json_.push_back({{"image", image}, {"files", std::move(files)}});
    progress_.show(static_cast<double>(json_.size()) / static_cast<double>(pictures_),
                   str(json_.size(), " of ", pictures_, " pictures"));
  }

  void finish() {
    progress_.clear();
    if (as_json_)
      std::cout << json_text(nlohmann::ordered_json({{"schema_version", 1}, {"pictures", json_}}));
    std::cout << std::flush;
  }

 private:
  bool as_json_;
  std::size_t pictures_;
  Progress progress_{"overlays"};
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
};

}  // namespace

int run_overlay(const OverlayArgs& args) {
  const Drawing drawing = drawing_of(args.drawing, args.alignment ? Matrices::kYes : Matrices::kNo);
  check_together(args);
  if (!args.images.empty()) refuse_without_effect(args.model);
  check_folder(args.out);
  std::deque<OverlayModel> models = load_models(args);
  if (args.receptive_field) find_fields(models);
  const OverlayModel& first = models.front();
  const ModelSession& session = first.session;
  if (args.alignment) session.require_one("--alignment");
  if (args.alignment && session.models().vocabulary().has_pieces() &&
      decoder_traits(session.config().decoder).attends_to_words)
    log::info(
        "words are put together from pieces, to which the decoder attends one by one: no matrix of "
        "words and words is drawn");
  const NamedSources pictures = pictures_of(args, session);
  OverlayFiles files(
      args.out, {.drawing = drawing, .matrices = args.alignment ? Matrices::kYes : Matrices::kNo});
  std::set<std::string> missing(drawing.words.begin(), drawing.words.end());
  const auto look_at = [&](const Overlay& overlay) {
    for (const LabelledMap& word : overlay.words) missing.erase(word.text);
  };
  WrittenFiles written(args.json, pictures.names.size());
  GlyphGaps gaps(drawing.options.font);
  const ExitCode code = caption_photos(
      session,
      {.count = static_cast<Index>(pictures.names.size()),
       .read = pictures.read,
       .search = first.search,
       .say = first.say,
       .keep_pictures = true},
      [&](Photo& photo) {
        const Index number = photo.number;
        const std::string& image = pictures.names[static_cast<std::size_t>(number)];
        MappedPicture mapped = map_picture(args, first, image, photo);
        photo = {};
        if (models.size() > 1) {
          const auto strips =
              strips_of(args, drawing.measure, models, std::move(mapped), number, pictures.read);
          for (const Overlay& strip : strips) {
            gaps.look_at(strip);
            look_at(strip);
          }
          written.add(image, {files.write_strips(image, strips)});
          return;
        }
        gaps.look_at(mapped.overlay);
        look_at(mapped.overlay);
        written.add(image,
                    files.write(mapped.overlay, mapped.record, first.source, mapped.encoder));
      });
  written.finish();
  gaps.warn();
  if (!missing.empty())
    log::warn(plain_text(str("--words: no caption that was drawn has ",
                             first_names(std::vector(missing.begin(), missing.end())))));
  return static_cast<int>(code);
}

namespace {

CommandRun bind_overlay(Options& options) {
  const auto args = std::make_shared<OverlayArgs>();
  add_model_options(options, args->model);
  options.arguments("images", args->images,
                    "picture files, or folders of them; texts for a model of texts; without any, "
                    "pictures or texts of the data",
                    "IMAGE");
  options.text("--split", args->split, "train, val or test (default: test if there is one)",
               "SPLIT");
  options.count("--count", args->count, "number of pictures of the data (default: 10)", 1);
  options.text("--out", args->out, "folder for the pictures (default: overlays)", "FOLDER");
  options.repeatable("--with", args->with, "another model, for one sheet with one strip per model",
                     "CHECKPOINT");
  add_features_option(options, args->model);
  add_say_option(options, args->say);
  add_drawing_options(options, args->drawing);
  options.flag("--alignment", args->alignment,
               "also draw the matrices of words and regions (which for texts are drawn anyway), of "
               "an encoder's tokens, of a refinement's regions and of a transformer's words, as "
               "PNG and SVG");
  options.flag("--receptive-field", args->receptive_field,
               "where a cell is chosen (hard attention), also outline the pixels that it could "
               "see, apart from what normalisation adds from the whole picture");
  add_map_options(options, args->maps);
  options.flag("--json", args->json, "print the written files as a JSON object");
  return [args] { return run_overlay(*args); };
}

}  // namespace

const Command kOverlayCommand = {"overlay", "draw the attention maps of a model, one per word",
                                 "saccade overlay runs/first photo.jpg --out overlays",
                                 bind_overlay};

}  // namespace saccade
