#include "captioning/model/decoding/ensemble.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "captioning/model/decoding/forced_decoding.h"
#include "captioning/model/decoding/whole_words.h"
#include "captioning/model/search/name_objects.h"
#include "core/base/error.h"

namespace saccade {

namespace {

void check_vocabularies(const OpenModel& a, const OpenModel& b) {
  const Vocabulary &ours = a.model->vocabulary(), &theirs = b.model->vocabulary();
  if (ours.digest() == theirs.digest()) return;
  throw UsageError(
      str(a.name, " and ", b.name, " do not share a vocabulary: ", ours.size(), " words (digest ",
          ours.digest(), ") and ", theirs.size(), " (", theirs.digest(),
          "); an ensemble takes the mean of every word, so train its members on the same "
          "captions with the same data.vocabulary and data.min_count or "
          "data.bpe_size"));
}

// Whether cells of equal row and column cover the same part of every picture.
bool alike(const OpenModel& a, const OpenModel& b) {
  const GridSize &one = a.model->grid(), &other = b.model->grid();
  const auto seen = [](const OpenModel& of) {
    return of.pipeline ? of.pipeline->preparation() : PrepareOptions{};
  };
  // Regions that lie anywhere are the same only where both have the same features.
  const auto lists = [](const OpenModel& of) {
    return of.pipeline && of.pipeline->frozen_grid().scattered;
  };
  if (lists(a) || lists(b)) return false;
  const PrepareOptions p = seen(a), q = seen(b);
  const bool same_part = p.mode == q.mode && (p.mode == ResizeMode::kSquash ||
                                              p.height * q.width == q.height * p.width);
  return one == other && same_part && p.side == q.side;
}

// Whether a transformer reads pictures so large that encoding several at once takes much memory and
// saves no time.
bool encodes_singly(const CaptionModel& model, const InputView& input) {
  constexpr Index kMostNumbers = Index{1} << 18;  // those of 295 x 295 pixels
  const Index pictures = input.values.shape[0];
  return model.encoder() && model.encoder()->token_encoder() && pictures > 1 &&
         input.values.size() / pictures > kMostNumbers;
}

// What model.encode() gives, of one picture after the other. Only that stays in the tape's arena.
EncodedValues encode_singly(const CaptionModel& model, const InputView& input, Tape& tape) {
  const Index pictures = input.values.shape[0], size = input.values.size() / pictures;
  constexpr std::array kParts = {&EncodedValues::features, &EncodedValues::mask,
                                 &EncodedValues::pooled, &EncodedValues::keys};
  EncodedValues all;
  std::array<Real*, kParts.size()> to{};  // the memory of the parts of all pictures
  for (Index i = 0; i < pictures; ++i) {
    const InputView one(
        {input.values.data + i * size, input.values.shape.with_first(1)},
        input.areas.empty() ? input.areas : input.areas.subspan(static_cast<std::size_t>(i), 1));
    Arena arena;
    Tape single(arena);
    single.set_recording(false);
    single.set_parameters(model.parameters().views());
    const EncodedValues made = model.encode(single, one).values();
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      const ConstView from = made.*kParts[part];
      if (!from.data) continue;
      if (i == 0) {
        to[part] = tape.scratch(pictures * from.size());
        all.*kParts[part] = {to[part], from.shape.with_first(pictures)};
      }
      std::copy_n(from.data, from.size(), to[part] + i * from.size());
    }
  }
  return all;
}

}  // namespace

void Ensemble::hold_weights() {
  for (const OpenModel& member : members_)
    weights_.push_back(std::make_shared<const ConstantWeights>(
        std::as_const(*member.model).parameters().flat().span()));
}

Ensemble::Ensemble(const CaptionModel& model) : members_{{.model = borrowed(model)}}, shown_{0} {
  hold_weights();
}

Ensemble::Ensemble(std::vector<OpenModel> members) : members_(std::move(members)) {
  SACCADE_CHECK(!members_.empty(), "[ensemble] no member");
  for (const OpenModel& member : members_) check_vocabularies(members_[0], member);
  for (std::size_t m = 0; m < size(); ++m)
    if (model(m).has_maps()) shown_.push_back(m);
  if (shown_.empty()) shown_ = {0};
  const bool all_alike = std::all_of(shown_.begin(), shown_.end(), [&](std::size_t m) {
    return alike(members_[shown_[0]], members_[m]);
  });
  if (!all_alike) shown_.resize(1);
  hold_weights();
}

std::vector<std::string> Ensemble::names() const {
  std::vector<std::string> names;
  if (size() > 1)
    for (const OpenModel& member : members_) names.push_back(member.name);
  return names;
}

std::optional<std::size_t> Ensemble::classifying() const {
  for (std::size_t m = 0; m < size(); ++m)
    if (members_[m].pipeline && members_[m].pipeline->classes() > 0) return m;
  return std::nullopt;
}

EncodedPictures::EncodedPictures(const Ensemble& models, std::span<const InputView> inputs)
    : models_(models) {
  SACCADE_CHECK(inputs.size() == models.size(), "[ensemble] ", inputs.size(), " inputs for ",
                models.size(), " models");
  const std::span<const std::size_t> shown = models.shown();
  for (std::size_t m = 0; m < models.size(); ++m) {
    Tape& tape = encodings_.emplace_back().tape;
    tape.set_recording(false);
    const CaptionModel& model = models.model(m);
    const std::span<const ConstView> parameters = model.parameters().views();
    tape.set_parameters(parameters);
    members_.push_back({.decoder = &model.decoder(),
                        .parameters = parameters,
                        .images = encodes_singly(model, inputs[m])
                                      ? encode_singly(model, inputs[m], tape)
                                      : model.encode(tape, inputs[m]).values(),
                        .shown = std::find(shown.begin(), shown.end(), m) != shown.end()});
  }
  for (const PictureArea& area : inputs[shown[0]].areas) places_.push_back(area.places);
}

void EncodedPictures::place(DecodedCaption& caption, std::size_t picture) const {
  if (picture >= places_.size() || !places_[picture]) return;
  const auto put = [&](AttentionMap& map) {
    if (!map.weights.empty()) map.layout.places = places_[picture];
  };
  const auto put_word = [&](DecodedWord& word) {
    put(word.map);
    std::for_each(word.parts.begin(), word.parts.end(), put);
  };
  std::for_each(caption.words.begin(), caption.words.end(), put_word);
  put_word(caption.last);
  for (DecodedCaption& other : caption.others) place(other, picture);
}

std::vector<DecodedCaption> EncodedPictures::caption(const SearchOptions& options,
                                                     std::uint64_t first_image) const {
  std::vector<DecodedCaption> captions = search(members_, SpecialWords{}, options, first_image);
  if (!options.must.new_words.empty())
    for (DecodedCaption& caption : captions) name_new_words(caption, options.must);
  // Captions that are drawn are several for each picture.
  const std::size_t each =
      places_.empty() ? 1 : std::max<std::size_t>(captions.size() / places_.size(), 1);
  for (std::size_t i = 0; i < captions.size(); ++i) place(captions[i], i / each);
  if (models_.vocabulary().has_pieces())
    for (DecodedCaption& caption : captions) {
      put_together(caption, models_.vocabulary());
      drop_repeated(caption);
    }
  return captions;
}

std::vector<DecodedCaption> EncodedPictures::caption(
    const SearchOptions& options, std::uint64_t first_image,
    std::span<const std::vector<SeenClass>> seen) const {
  std::vector<DecodedCaption> captions = caption(options, first_image);
  const std::optional<std::size_t> member =
      options.name_objects > 0 && !seen.empty() ? models_.classifying() : std::nullopt;
  if (!member) return captions;
  SearchOptions naming = options;
  const std::vector<double> odds = name_objects(
      naming, seen, models_.member(*member).pipeline->classes(), models_.vocabulary(), captions);
  if (std::all_of(odds.begin(), odds.end(), [](double one) { return std::isinf(one); }))
    return captions;
  std::vector<DecodedCaption> others = caption(naming, first_image);
  for (std::size_t m = 0; m < captions.size(); ++m)
    if (others[m].finished && others[m].unmet == captions[m].unmet &&
        captions[m].log_prob - others[m].log_prob <= odds[m])
      captions[m] = std::move(others[m]);
  return captions;
}

std::vector<std::vector<DecodedCaption>> EncodedPictures::force_decode(
    std::span<const std::vector<std::vector<int>>> captions, const SearchOptions& options,
    std::uint64_t first_image) const {
  auto decoded = saccade::force_decode(members_, SpecialWords{}, captions, options, first_image);
  for (std::size_t i = 0; i < decoded.size(); ++i)
    for (DecodedCaption& caption : decoded[i]) place(caption, i);
  if (models_.vocabulary().has_pieces())
    for (std::vector<DecodedCaption>& of_image : decoded)
      for (DecodedCaption& caption : of_image) put_together(caption, models_.vocabulary());
  return decoded;
}

}  // namespace saccade
