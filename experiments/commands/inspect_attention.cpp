#include "experiments/commands/inspect_attention.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "captioning/scoring/scores/score_rows.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/evaluation/patch_norms.h"
#include "captioning/study/inspection/measured_agreement.h"
#include "core/base/choice.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/table.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/commands/model_session.h"
#include "experiments/options/map_options.h"
#include "experiments/process/progress.h"
#include "experiments/report/gradient_views.h"
#include "experiments/report/head_views.h"
#include "experiments/report/word_views.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

using Lines = std::vector<std::string>;
using Paths = std::vector<std::filesystem::path>;

constexpr Index kDefaultImages = 8;

void require_tokens(const ModelSession& session) {
  require_pictures(session, "--patches");
  const Encoder* encoder = session.model().encoder();
  if (!encoder || !encoder->token_encoder())
    throw UsageError(str("--patches: encoder.type ", session.config().encoder.type,
                         encoder ? "" : ", which is frozen,",
                         " has no tokens to measure; vit and hybrid have tokens unless they are "
                         "frozen"));
}

std::string patches_text(const PatchNorms& norms) {
  Table table{.columns = {{.key = ""}, {.key = ""}}};
  for (const auto& [name, value] : norms.scores()) table.add({name, value});
  table.title =
      str(norms.patches,
          " patches, measured after the encoder's last block; an outlier is a patch whose "
          "vector is longer than ",
          kOutlierNorm, " times the median of its image\n\n");
  return to_text(table);
}

Json patches_json(const PatchNorms& norms) {
  Json out{{"patches", norms.patches}};
  out.update(scores_json(norms.scores()));
  return out;
}

}  // namespace

int run_inspect_attention(const InspectAttentionArgs& args) {
  const ModelSession session({.checkpoint = args.checkpoint, .set = args.set, .data = args.data});
  session.require_one("inspect");
  const ExperimentConfig& config = session.config();
  const auto left_out = args.heads ? heads_left_out(session.model(), config) : Lines();
  if (args.heads && model_heads(session.model(), config).empty())
    throw UsageError("--heads: no part of this model attends to anything" +
                     (left_out.empty() ? std::string() : "; " + left_out[0]));
  if (args.gradients)
    if (const std::string reason = without_gradient_paths(session.model(), config); !reason.empty())
      throw UsageError("--gradients: " + reason);
  if (args.patches) require_tokens(session);
  std::optional<Occluded> occluded;
  if (!args.occlusion.empty()) occluded = choice<Occluded>(args.occlusion, "--occlusion");
  if (occluded == Occluded::kPicture) {
    require_pictures(session, "--occlusion picture");
    if (session.pipeline().reads_features())
      throw UsageError(
          "--occlusion picture changes pixels, and the model takes features that another program "
          "computed; give --occlusion regions");
  }
  const LoadedData data = load_data(session);
  const std::vector<Index> images =
      evaluation_images(data.dataset, Split::kVal, args.images.value_or(kDefaultImages));
  Progress progress("reading images");
  const DatasetInputs inputs(data, session.pipeline(), session.config().encoder,
                             progress.counting(), images);
  progress.clear();
  Json json{{"schema_version", 1},
            {"checkpoint", args.checkpoint},
            {"dataset", data.dataset.name},
            {"split", "val"},
            {"images", images.size()}};
  std::string text = str(counted(static_cast<Index>(images.size()),
                                 data.sequences ? "validation text" : "validation image"),
                         " of ", data.dataset.name, "\n");
  Paths pictures;
  const auto draw = [&](const std::vector<MeasurePicture>& drawn) {
    const Paths paths = write_pictures(args.out, drawn);
    pictures.insert(pictures.end(), paths.begin(), paths.end());
  };
  if (args.heads) {
    const HeadProfiles profiles = head_profiles(session.model(), data.dataset, inputs, images);
    json["heads"] = rows_json(table_of(profiles));
    json["head_correlations"] = correlations_json(profiles);
    json["heads_left_out"] = left_out;
    text += "\n" + to_text(table_of(profiles));
    for (const std::string& line : left_out) text += "left out: " + line + "\n";
    if (!args.out.empty()) draw(head_pictures(profiles, args.checkpoint));
  }
  if (args.gradients) {
    const GradientFlow flow = measure_gradient_flow(session.model(), data.dataset, inputs, images);
    json["gradients"] = flow_json(flow);
    text += "\n" + to_text(table_of(flow));
    if (!args.out.empty()) draw(gradient_pictures(flow, args.checkpoint, session.model().grid()));
  }
  if (occluded) {
    if (!session.models().has_attention())
      throw UsageError("--occlusion: the model has no attention (attention.score is none)");
    SearchOptions search = search_options(config, config.search, session.model().vocabulary());
    search.regime = session.regimes("").front();
    Progress removing("removing regions");
    const AgreementMeasure measure =
        measure_agreement(session.members()[0], config.attention, data, inputs,
                          {.occluded = *occluded,
                           .search = search,
                           .rollout = can_roll_out(config),
                           .images = images,
                           .progress = [&](Index done, Index total) {
                             removing.show(static_cast<double>(done) / static_cast<double>(total),
                                           str(done, " of ", counted(total, "caption")));
                           }});
    removing.clear();
    json["occlusion"] = agreement_json(measure, *occluded);
    text += "\n" + agreement_table(measure, *occluded);
  }
  if (args.patches) {
    const PatchNorms norms = patch_norms(session.model(), inputs, images).value();
    json["patches"] = patches_json(norms);
    text += "\n" + patches_text(norms);
  }
  if (!args.word.empty()) {
    const WordNeighbours words = word_neighbours(session.model(), data.dataset, inputs, images,
                                                 {.word = args.word, .captions = args.captions});
    json["word"] = neighbours_json(words);
    text += "\n" + neighbours_text(words);
  }
  if (!args.out.empty()) {
    json["pictures"] = Json::array();
    text += "\n";
    for (const std::filesystem::path& path : pictures) {
      json["pictures"].push_back(path.string());
      text += str("wrote ", path.string(), "\n");
    }
  }
  std::cout << (args.json ? json_text(json) : text) << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace saccade
