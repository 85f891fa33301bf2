#include "captioning/study/inspection/head_profiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "captioning/model/maps/recording.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/inspection/head_correlation.h"
#include "core/attention/observer.h"
#include "core/base/error.h"
#include "core/base/mean.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr std::size_t kImagesTogether = 8;  // images whose maps are held together

// The maps of all heads of a place for one image, by layer and head.
struct PlaceMaps {
  HeadPlace place = HeadPlace::kRefine;
  std::vector<HeadName> names{};
  std::vector<Tensor> maps{};                   // [T, L] each
  std::vector<std::uint8_t> rows{}, columns{};  // what is not masked; empty: nothing is
  bool causal = false;

  void add(Index layer, Index head, Tensor map) {
    names.push_back({.place = place, .layer = layer, .head = head});
    maps.push_back(std::move(map));
  }
  UnmaskedPart part() const {
    return {
        .rows = rows, .columns = std::count(columns.begin(), columns.end(), 1), .causal = causal};
  }
  MaskedMap masked(std::size_t h) const {
    return {.map = maps[h].view(), .seen = columns, .part = part()};
  }
};

// Adds one map per head of weights [1, H, T, S].
void add_layer(PlaceMaps& all, ConstView weights, Index layer) {
  const Index count = weights.shape[1], rows = weights.shape[2], columns = weights.shape[3];
  for (Index h = 0; h < count; ++h) {
    Tensor map({rows, columns});
    std::copy_n(weights.data + h * rows * columns, rows * columns, map.data());
    all.add(layer, h, std::move(map));
  }
}

// A watch that adds the maps of every block that weighs positions.
WatchBlock map_adder(PlaceMaps& all, Tape& tape) {
  return [&all, &tape, layer = Index{0}](const TransformerBlock& block, Var x,
                                         const AttentionMask& mask) mutable {
    if (block.weighs_positions()) add_layer(all, block.weights(tape, x, mask), layer);
    ++layer;
  };
}

// The inputs and targets of the first caption that has a word; empty where none has.
PackedCaptions first_caption(const CaptionModel& model, const CaptionedImage& image) {
  for (const std::string& text : image.captions) {
    const std::vector<Index> ids = model.vocabulary().encode(tokenize(text));
    if (ids.empty()) continue;
    const std::vector<std::vector<int>> words{{ids.begin(), ids.end()}};
    return pack_captions(words, static_cast<int>(Vocabulary::kBos),
                         static_cast<int>(Vocabulary::kEos));
  }
  return {};
}

void add_decoder(PlaceMaps& of_words, PlaceMaps& of_regions, Tape& tape, const Decoder& decoder,
                 const EncodedImages& images, const PackedCaptions& caption) {
  const AttentionMemory memory = decoder.prepare(tape, images, 1);
  std::vector<Var> state = decoder.start(tape, memory);
  const Index words = caption.words(), regions = memory.regions();
  for (Index t = 0; t < words; ++t) {
    GlimpseRecorder seen;
    state = decoder
                .step(tape, std::span(caption.inputs).subspan(static_cast<std::size_t>(t), 1),
                      state, memory, {.step = t, .observer = &seen})
                .state;
    const DecodedWord word =
        recorded(seen.glimpses, memory.layout, {.layers = true, .words = true}).front();
    std::size_t place = 0;
    for (const AttentionMap& map : single_maps(word)) {
      if (t == 0) of_regions.add(map.layer.number, map.head.number, Tensor({words, regions}));
      std::copy(map.weights.begin(), map.weights.end(), of_regions.maps[place++].view().row(t));
    }
    place = 0;
    for (const SelfAttention& map : word.self_attention) {
      if (t == 0) of_words.add(map.layer, map.head, Tensor({words, words}));
      std::copy(map.weights.begin(), map.weights.end(), of_words.maps[place++].view().row(t));
    }
  }
}

// The maps of one image, place by place.
std::vector<PlaceMaps> maps_of(const CaptionModel& model, const InputView& input,
                               const PackedCaptions& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const std::vector<std::uint8_t> mask = model.mask(input);
  PlaceMaps tokens{.place = HeadPlace::kEncoder},
      regions{.place = HeadPlace::kRefine, .rows = mask, .columns = mask},
      words{.place = HeadPlace::kWords, .causal = true},
      decoder{.place = HeadPlace::kDecoder, .columns = mask};
  const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr;
  if (encoder && !mask.empty()) {
    tokens.rows.assign(static_cast<std::size_t>(encoder->placeless()), 1);
    tokens.rows.insert(tokens.rows.end(), mask.begin(), mask.end());
    tokens.columns = tokens.rows;
  }
  const EncodedImages images = model.encode(
      tape, input, {.tokens = map_adder(tokens, tape), .regions = map_adder(regions, tape)});
  if (caption.words() > 0) add_decoder(words, decoder, tape, model.decoder(), images, caption);
  if (!model.has_attention()) decoder.maps.clear();
  std::vector<PlaceMaps> out;
  for (PlaceMaps* place : {&tokens, &regions, &words, &decoder})
    if (!place->maps.empty()) out.push_back(std::move(*place));
  return out;
}

// What is known of a place after some images.
class PlaceStudy {
 public:
  explicit PlaceStudy(const PlaceMaps& first) : place_(first.place) {
    for (const HeadName& name : first.names)
      heads_.push_back({.place = name.place, .layer = name.layer, .head = name.head});
    contents_.resize(heads_.size());
  }
  HeadPlace place() const { return place_; }

  void add(PlaceMaps maps) {
    std::vector<MaskedMap> all;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      all.push_back(maps.masked(h));
      heads_[h].columns = std::max(heads_[h].columns, all[h].map.cols());
      heads_[h].profile = merged(heads_[h].profile, profile_of(all[h].map, all[h].part));
      if (before_.maps.empty()) continue;
      const double content = content_between(before_.masked(h), all[h]);
      if (!std::isnan(content)) contents_[h].add(content);
    }
    correlation_.add(all);
    before_ = std::move(maps);
  }

  // `placed`: whether row t and column t are the same place, or follow each other.
  void finish(HeadProfiles& out, bool placed) {
    PlaceCorrelations correlations{.place = place_, .names = {}, .matrix = correlation_.matrix()};
    const std::size_t count = heads_.size();
    for (std::size_t a = 0; a < count; ++a) {
      ProfiledHead& head = heads_[a];
      correlations.names.push_back(head.name());
      if (contents_[a].count > 0) head.content = contents_[a].value();
      if (!placed) {
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        HeadProfile& profile = head.profile;
        profile.previous = profile.next = profile.first = profile.diagonal = kUnknown;
      }
      bool repeats = false;
      for (std::size_t b = 0; b < count; ++b) {
        const double r = correlations.matrix[a * count + b];
        if (a == b || std::isnan(r)) continue;
        if (!head.closest || r > head.closest->correlation)
          head.closest = LikeHead{.name = heads_[b].name(), .correlation = r};
        repeats = repeats || (b < a && r >= kRedundantCorrelation);
      }
      const HeadKind kind = head.kind();
      const bool one_thing = kind != HeadKind::kBroad && kind != HeadKind::kMixed;
      head.role = repeats     ? HeadRole::kRedundant
                  : one_thing ? HeadRole::kSpecialised
                              : HeadRole::kNeither;
    }
    out.heads.insert(out.heads.end(), heads_.begin(), heads_.end());
    if (count > 1) out.correlations.push_back(std::move(correlations));
  }

 private:
  HeadPlace place_;
  std::vector<ProfiledHead> heads_;
  std::vector<Mean> contents_;
  HeadCorrelation correlation_;
  PlaceMaps before_;  // of the image before
};

}  // namespace

HeadProfiles head_profiles(const CaptionModel& model, const Dataset& dataset,
                           const DatasetInputs& inputs, std::span<const Index> images) {
  SACCADE_CHECK(!images.empty(), "[head profiles] there is no image");
  std::vector<PlaceStudy> places;
  for (std::size_t first = 0; first < images.size(); first += kImagesTogether) {
    const std::size_t count = std::min(kImagesTogether, images.size() - first);
    std::vector<std::vector<PlaceMaps>> block(count);
    parallel::for_each(static_cast<Index>(count), [&](Index i) {
      const auto place = first + static_cast<std::size_t>(i);
      block[place - first] =
          maps_of(model, inputs.batch(images.subspan(place, 1)).view(),
                  first_caption(model, dataset.images[static_cast<std::size_t>(images[place])]));
    });
    for (std::vector<PlaceMaps>& image : block)
      for (PlaceMaps& maps : image) {
        auto study = std::find_if(places.begin(), places.end(),
                                  [&](const PlaceStudy& one) { return one.place() == maps.place; });
        if (study == places.end()) study = places.insert(study, PlaceStudy(maps));
        study->add(std::move(maps));
      }
  }
  // An image without captions has no maps of the decoder, so a place may first be seen later.
  std::sort(places.begin(), places.end(),
            [](const PlaceStudy& a, const PlaceStudy& b) { return a.place() < b.place(); });
  HeadProfiles out;
  for (PlaceStudy& place : places)
    place.finish(out, place.place() != HeadPlace::kDecoder || model.grid().rows == 1);
  return out;
}

}  // namespace saccade
