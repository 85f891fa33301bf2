#include "captioning/study/inspection/model_heads.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/model.h"
#include "captioning/model/model_config.h"
#include "core/base/error.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/token_encoder.h"

namespace saccade {

namespace {

// A share of a matrix that the heads of a layer share evenly, by rows or by columns.
HeadWeights share_of(const ParameterStore& store, const std::string& name, bool rows, Index head,
                     Index heads) {
  const int index = store.find(name);
  if (index < 0) return {};
  const Shape& shape = store.info(index).shape;
  const Index extent = rows ? shape[0] : shape[1], count = extent / heads;
  return {.parameter = name, .rows = rows, .first = head * count, .count = count};
}

// Of attention among the positions of a sequence: the rows of its output matrix that read the head
// or, where it has none (graph), the columns that make the head's values.
HeadWeights sequence_weights(const ParameterStore& store, const std::string& scope, Index head,
                             Index heads) {
  const HeadWeights out = share_of(store, scope + ".output.weight", true, head, heads);
  return out.parameter.empty() ? share_of(store, scope + ".weight", false, head, heads) : out;
}

class HeadList {
 public:
  HeadList(const CaptionModel& model, const ModelConfig& config)
      : store_(model.parameters()), config_(config) {
    add_encoder(model);
    const RefinementConfig& refine = config.encoder.refine;
    if (model.refinement())
      add_sequences(HeadPlace::kRefine, refine.layers, refine.heads,
                    [](Index layer) { return str("refine.", layer, ".attention"); });
    const DecoderTraits traits = decoder_traits(config.decoder);
    if (traits.attends_to_words)
      add_sequences(HeadPlace::kWords, traits.layers, config.decoder.heads,
                    [](Index layer) { return str("decoder.layer_", layer, ".words"); });
    if (model.has_attention()) add_decoder(traits);
  }
  std::vector<ModelHead> take() { return std::move(heads_); }

 private:
  void add(HeadPlace place, Index layer, Index head, HeadWeights weights, const char* lasting) {
    ModelHead& one = heads_.emplace_back(
        ModelHead{.name = {.place = place, .layer = layer, .head = head}, .weights = {}});
    if (weights.parameter.empty())
      one.lasting = lasting;
    else
      one.weights = std::move(weights);
  }

  template <class Scope>
  void add_sequences(HeadPlace place, Index layers, Index heads, const Scope& scope) {
    for (Index l = 0; l < layers; ++l)
      for (Index h = 0; h < heads; ++h)
        add(place, l, h, sequence_weights(store_, scope(l), h, heads),
            "no weights lie behind this head alone");
  }

  void add_encoder(const CaptionModel& model) {
    const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr;
    if (!encoder) return;
    const EncoderConfig& own = config_.encoder;
    add_sequences(HeadPlace::kEncoder, static_cast<Index>(encoder->blocks().size()),
                  encoder_traits(own).heads,
                  [](Index layer) { return str("encoder.block", layer + 1, ".attention"); });
  }

  // Several heads weigh values of their own. Without attention.value_projection, the context of a
  // single head is made of the features themselves, so it can be removed only where a matrix behind
  // it reads nothing else.
  void add_decoder(const DecoderTraits& traits) {
    const Index heads = config_.attention.heads;
    for (Index l = 0; l < std::max<Index>(traits.layers, 1); ++l) {
      const std::string layer = str("decoder.layer_", l);
      const std::string scope = traits.layers > 0 ? layer + ".cross" : "decoder.attention";
      for (Index h = 0; h < heads; ++h)
        add(HeadPlace::kDecoder, l, h,
            heads > 1 ? share_of(store_, str(scope, ".head_", h, ".value.weight"), true, 0, 1)
                      : weights_of_one(scope, layer),
            "it is the only head of its decoder, which several weights read; compare with a model "
            "of attention.score none instead");
    }
  }

  // The first matrix that carries a single head alone.
  HeadWeights weights_of_one(const std::string& scope, const std::string& layer) const {
    for (const std::string& name :
         {scope + ".value.weight", scope + ".output.weight", layer + ".cross_output.weight"})
      if (HeadWeights weights = share_of(store_, name, true, 0, 1); !weights.parameter.empty())
        return weights;
    return {};
  }

  const ParameterStore& store_;
  const ModelConfig& config_;
  std::vector<ModelHead> heads_;
};

// "encoder.0.0 to encoder.11.2, words.0.0": the first and the last head of every place.
std::string ranges_of(std::span<const ModelHead> heads) {
  std::string out;
  for (std::size_t i = 0; i < heads.size();) {
    std::size_t last = i;
    while (last + 1 < heads.size() && heads[last + 1].name.place == heads[i].name.place) ++last;
    out += (out.empty() ? "" : ", ") + heads[i].name.text();
    if (last > i) out += " to " + heads[last].name.text();
    i = last + 1;
  }
  return out;
}

std::optional<Index> number_of(const std::string& text) {
  Index number = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc{} || rest != end || number < 0) return {};
  return number;
}

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Which heads a name stands for.
struct HeadPattern {
  std::optional<HeadPlace> place{};
  std::optional<Index> layer{}, head{};

  bool fits(const HeadName& name) const {
    return (!place || *place == name.place) && layer == name.layer && (!head || *head == name.head);
  }
};

// Nothing for a text of another form.
std::optional<HeadPattern> pattern_of(const std::string& text, bool one_place) {
  const std::vector<std::string> parts = cut(text, '.');
  HeadPattern out{.place = enum_value<HeadPlace>(parts[0])};
  const std::size_t first = out.place ? 1 : 0;
  const std::size_t numbers = parts.size() - first;
  if (numbers < 1 || numbers > 2 || (!out.place && (!one_place || numbers != 2))) return {};
  out.layer = number_of(parts[first]);
  if (!out.layer) return {};
  if (numbers == 1) return out;
  out.head = number_of(parts[first + 1]);
  return out.head ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string HeadName::text() const { return str(enum_name(place), ".", layer, ".", head); }

std::vector<ModelHead> model_heads(const CaptionModel& model, const ModelConfig& config) {
  return HeadList(model, config).take();
}

std::vector<HeadName> heads_of_names(std::span<const ModelHead> heads,
                                     std::span<const std::string> names) {
  if (heads.empty()) throw UsageError("the model has no attention heads");
  const bool one_place = std::all_of(heads.begin(), heads.end(), [&](const ModelHead& head) {
    return head.name.place == heads[0].name.place;
  });
  std::vector<char> named(heads.size(), 0);
  for (const std::string& text : names) {
    const std::optional<HeadPattern> pattern = pattern_of(text, one_place);
    bool any = false;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      if (!pattern || !pattern->fits(heads[h].name)) continue;
      if (!heads[h].lasting.empty())
        throw UsageError(
            str("head ", heads[h].name.text(), " cannot be removed: ", heads[h].lasting));
      any = true;
      named[h] = 1;
    }
    if (!any)
      throw UsageError(str("the model has no head '", text, "'; choose from ", ranges_of(heads),
                           " (place.layer.head), or name a layer as place.layer"));
  }
  std::vector<HeadName> out;
  for (std::size_t h = 0; h < heads.size(); ++h)
    if (named[h] != 0) out.push_back(heads[h].name);
  return out;
}

void remove_heads(CaptionModel& model, const ModelConfig& config, std::span<const HeadName> heads) {
  ParameterStore& store = model.parameters();
  for (const ModelHead& head : model_heads(model, config)) {
    if (std::find(heads.begin(), heads.end(), head.name) == heads.end()) continue;
    const HeadWeights& part = head.weights;
    SACCADE_CHECK(!part.parameter.empty(), "[heads] ", head.name.text(), " cannot be removed");
    const View values = store.value(store.find(part.parameter));
    const Index columns = values.shape[1];
    for (Index r = 0; r < values.shape[0]; ++r)
      for (Index c = 0; c < columns; ++c)
        if (const Index place = part.rows ? r : c;
            place >= part.first && place < part.first + part.count)
          values.data[r * columns + c] = 0;
  }
}

}  // namespace saccade
