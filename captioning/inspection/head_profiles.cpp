#include "captioning/inspection/head_profiles.h"

#include <algorithm>

#include "captioning/maps/map_record.h"
#include "captioning/text/tokenizer.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

// Adds one profile per head of weights [1, H, L, S].
void add_layer(std::vector<ProfiledHead>& heads, ConstView weights, Index layer,
               const UnmaskedPart& part) {
  const Index count = weights.shape[1], rows = weights.shape[2], columns = weights.shape[3];
  for (Index h = 0; h < count; ++h)
    heads.push_back(
        {.place = HeadPlace::kRefine,
         .layer = layer,
         .head = h,
         .columns = columns,
         .profile = profile_of({weights.data + h * rows * columns, {rows, columns}}, part)});
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

void add_decoder(std::vector<ProfiledHead>& heads, Tape& tape, const Decoder& decoder,
                 const EncodedImages& images, const PackedCaptions& caption,
                 const UnmaskedPart& part) {
  const AttentionMemory memory = decoder.prepare(tape, images, 1);
  std::vector<Var> state = decoder.start(tape, memory);
  const Index words = caption.words(), regions = memory.regions();
  std::vector<ProfiledHead> own;
  std::vector<Tensor> maps;
  for (Index t = 0; t < words; ++t) {
    StepOutput step =
        decoder.step(tape, std::span(caption.inputs).subspan(static_cast<std::size_t>(t), 1), state,
                     memory, {.step = t});
    const DecodedWord word = record_of(step, memory.layout, {.layers = true}).of_row(0);
    std::size_t place = 0;
    for (const AttentionMap& map : single_maps(word)) {
      if (t == 0) {
        maps.emplace_back(Shape{words, regions});
        own.push_back({.place = HeadPlace::kDecoder,
                       .layer = map.layer.number,
                       .head = map.head.number,
                       .columns = regions,
                       .profile = {}});
      }
      std::copy(map.weights.begin(), map.weights.end(), maps[place++].view().row(t));
    }
    state = std::move(step.state);
  }
  if (own.size() < 2) return;  // nothing to compare
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i].profile = profile_of(maps[i].view(), {.columns = part.columns});
    heads.push_back(own[i]);
  }
}

std::vector<ProfiledHead> profiles_of(const CaptionModel& model, const InputView& input,
                                      const PackedCaptions& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const std::vector<std::uint8_t> region_mask = model.mask(input);
  const UnmaskedPart part{.rows = region_mask,
                          .columns = std::count(region_mask.begin(), region_mask.end(), 1)};
  std::vector<ProfiledHead> heads;
  Index layer = 0;
  const auto watch = [&](const TransformerBlock& block, Var x, const AttentionMask& mask) {
    if (block.weighs_positions()) add_layer(heads, block.weights(tape, x, mask), layer, part);
    ++layer;
  };
  const EncodedImages images = model.encode(tape, input, {.regions = watch});
  if (caption.words() > 0) add_decoder(heads, tape, model.decoder(), images, caption, part);
  return heads;
}

}  // namespace

std::vector<ProfiledHead> head_profiles(const CaptionModel& model, const Dataset& dataset,
                                        const DatasetInputs& inputs,
                                        std::span<const Index> images) {
  SACCADE_CHECK(!images.empty(), "[head profiles] there is no image");
  std::vector<std::vector<ProfiledHead>> by_image(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto place = static_cast<std::size_t>(i);
    by_image[place] =
        profiles_of(model, inputs.batch(images.subspan(place, 1)).view(),
                    first_caption(model, dataset.images[static_cast<std::size_t>(images[place])]));
  });
  // The heads of the decoder come last, and an image without captions has none.
  std::vector<ProfiledHead> all;
  for (const std::vector<ProfiledHead>& heads : by_image)
    for (std::size_t h = 0; h < heads.size(); ++h) {
      if (h == all.size())
        all.push_back(heads[h]);
      else
        all[h].profile = merged(all[h].profile, heads[h].profile);
    }
  return all;
}

}  // namespace saccade
