#include "experiments/commands/inspect_attention.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "captioning/decoders/decoder_traits.h"
#include "captioning/evaluation/evaluate.h"
#include "captioning/evaluation/patch_norms.h"
#include "captioning/inspection/gradient_flow.h"
#include "captioning/inspection/head_profiles.h"
#include "captioning/scoring/text_table.h"
#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "experiments/commands/model_session.h"
#include "experiments/process/progress.h"
#include "vision/encoders/encoder_kind.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kDefaultImages = 8;

void require_heads(const ModelSession& session) {
  const RefinementConfig& refine = session.config().encoder.refine;
  const bool one_layer = decoder_traits(session.config().decoder).layers <= 1;
  if (refine.layers == 0 && session.config().attention.heads == 1 && one_layer)
    throw UsageError(
        "--heads: this model has no heads to compare (encoder.refine.layers is 0, attention.heads "
        "is 1 and the decoder attends once per word)");
  if (refine.layers > 0 && refine.type == SequenceAttentionKind::kLinformer)
    throw UsageError(
        "--heads: encoder.refine.type linformer weights mixtures of regions, which have no "
        "positions");
}

void require_paths(const ModelSession& session) {
  const AttentionConfig& attention = session.config().attention;
  if (!session.models().has_attention())
    throw UsageError("--gradients: the model has no attention (attention.score is none)");
  if (attention.mechanism != MechanismKind::kComposed)
    throw UsageError(str("--gradients: attention.mechanism ", enum_name(attention.mechanism),
                         " does not keep the keys and values of regions apart, as composed "
                         "mechanisms do"));
}

void require_tokens(const ModelSession& session) {
  const Encoder* encoder = session.model().encoder();
  if (!encoder || !encoder->token_encoder())
    throw UsageError(str("--patches: encoder.type ", enum_name(session.config().encoder.type),
                         encoder ? "" : ", which is frozen,",
                         " has no tokens to measure; vit and hybrid have tokens unless they are "
                         "frozen"));
}

std::string patches_table(const PatchNorms& norms) {
  TextTable table;
  for (const auto& [name, value] : norms.scores()) table.add({name, fixed(value)});
  return str(
      norms.patches,
      " patches, measured after the encoder's last block; an outlier is a patch whose vector "
      "is longer than ",
      kOutlierNorm, " times the median of its image\n\n", table.text());
}

Json patches_json(const PatchNorms& norms) {
  Json out{{"patches", norms.patches}};
  for (const auto& [name, value] : norms.scores()) out[name] = value;
  return out;
}

std::string heads_table(std::span<const ProfiledHead> heads) {
  TextTable table;
  table.add({"heads", "layer", "head", "maps", "over", "previous", "next", "first", "diagonal",
             "entropy", "kind"});
  for (const ProfiledHead& head : heads) {
    const HeadProfile& p = head.profile;
    table.add({std::string(enum_name(head.place)), str(head.layer), str(head.head), str(p.maps),
               str(head.columns), fixed(p.previous), fixed(p.next), fixed(p.first),
               fixed(p.diagonal), fixed(p.entropy), std::string(enum_name(kind_of(p)))});
  }
  return table.text();
}

Json heads_json(std::span<const ProfiledHead> heads) {
  Json rows = Json::array();
  for (const ProfiledHead& head : heads) {
    const HeadProfile& p = head.profile;
    rows.push_back({{"place", enum_name(head.place)},
                    {"layer", head.layer},
                    {"head", head.head},
                    {"maps", p.maps},
                    {"regions", head.columns},
                    {"previous", p.previous},
                    {"next", p.next},
                    {"first", p.first},
                    {"diagonal", p.diagonal},
                    {"entropy", p.entropy},
                    {"kind", enum_name(kind_of(p))}});
  }
  return rows;
}

// Norms are small, so they are shown with significant digits and not with a fixed number of
// decimals.
std::string norm_text(double norm) { return std::isnan(norm) ? "-" : str(norm); }

std::string flow_table(const GradientFlow& flow) {
  TextTable table;
  table.add({"gradient", "correlation", "within words", "flat words", "mean norm"});
  const auto row = [&](const char* name, const PathFlow& path) {
    table.add({name, fixed(path.correlation), fixed(path.within_words), str(path.undefined_words),
               norm_text(path.mean_norm)});
  };
  row("direct", flow.direct);
  row("score", flow.score);
  return str(
      "how the weight of a region correlates with the norm of the gradient that reaches it "
      "through each word's glimpse:\nas a value (direct) and as a key (score), in the regime ",
      enum_name(GradientFlow::kRegime), ": ", flow.captions, " captions, ", flow.words, " words, ",
      flow.pairs, " pairs\n\n", table.text());
}

Json flow_json(const GradientFlow& flow) {
  const auto number = [](double x) { return std::isnan(x) ? Json() : Json(x); };
  const auto path = [&](const PathFlow& p) {
    return Json{{"correlation", number(p.correlation)},
                {"within_words", number(p.within_words)},
                {"flat_words", p.undefined_words},
                {"mean_norm", number(p.mean_norm)}};
  };
  return {{"regime", enum_name(GradientFlow::kRegime)},
          {"captions", flow.captions},
          {"words", flow.words},
          {"pairs", flow.pairs},
          {"direct", path(flow.direct)},
          {"score", path(flow.score)}};
}

}  // namespace

int run_inspect_attention(const InspectAttentionArgs& args) {
  const ModelSession session({.checkpoint = args.checkpoint, .set = args.set, .data = args.data});
  session.require_one("inspect");
  if (args.heads) require_heads(session);
  if (args.gradients) require_paths(session);
  if (args.patches) require_tokens(session);
  const LoadedData data = load_data(session);
  const std::vector<Index> images =
      evaluation_images(data.dataset, Split::kVal, args.images.value_or(kDefaultImages));
  Progress progress("reading images");
  const auto show = [&](Index done, Index total) {
    progress.show(static_cast<double>(done) / static_cast<double>(total), str(done, " of ", total));
  };
  const DatasetInputs inputs(data, session.pipeline(), session.config().encoder, show, images);
  progress.clear();
  Json json{{"schema_version", 1},
            {"checkpoint", args.checkpoint},
            {"dataset", data.dataset.name},
            {"split", "val"},
            {"images", images.size()}};
  std::string text = str(counted(static_cast<Index>(images.size()), "validation image"), " of ",
                         data.dataset.name, "\n");
  if (args.heads) {
    const auto heads = head_profiles(session.model(), data.dataset, inputs, images);
    json["heads"] = heads_json(heads);
    text += "\n" + heads_table(heads);
  }
  if (args.gradients) {
    const GradientFlow flow = measure_gradient_flow(session.model(), data.dataset, inputs, images);
    json["gradients"] = flow_json(flow);
    text += "\n" + flow_table(flow);
  }
  if (args.patches) {
    const PatchNorms norms = patch_norms(session.model(), inputs, images).value();
    json["patches"] = patches_json(norms);
    text += "\n" + patches_table(norms);
  }
  std::cout << (args.json ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text)
            << std::flush;
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace saccade
