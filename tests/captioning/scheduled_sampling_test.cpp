// Scheduled sampling against the procedure of its paper, which is written here once more for a
// single caption: one coin per word, and the model's own word after what was read so far.
#include "captioning/learning/objectives/scheduled_sampling.h"

#include <cmath>

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "captioning/model/search/draws.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"

namespace saccade {

namespace {

constexpr Index kVocabulary = 8;
constexpr int kBos = 1, kEos = 2, kUnk = 3;

struct TinyModel : test::SmallDecoder {
  explicit TinyModel(const std::string& kind, const std::string& chosen = "soft")
      : SmallDecoder(kind, chosen, kVocabulary, 3) {}

  std::vector<int> inputs(const std::vector<std::vector<int>>& captions,
                          const SampledInputs& sampling) const {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    const AttentionMemory memory = decoder->prepare(tape, tape.constant(features.view()), 1);
    return scheduled_inputs(store.views(), *decoder, pack_captions(captions, kBos, kEos), memory,
                            {}, sampling);
  }

  // What is read for one caption of the batch, if every word is drawn.
  std::vector<int> expected(Index place, std::size_t words, const SampledInputs& sampling) const {
    const Tensor own = features_of(place);
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    tape.set_recording(false);
    const AttentionMemory memory = decoder->prepare(tape, tape.constant(own.view()), 1);
    std::vector<Var> state = decoder->start(tape, memory);
    std::vector<int> read{kBos};
    while (read.size() < words) {
      const auto t = static_cast<Index>(read.size());
      const StepOutput step =
          decoder->step(tape, std::vector<int>{read.back()}, state, memory, {.step = t - 1});
      state = step.state;
      Random random(word_draw_key(
          sampling.seed, training_number(sampling.update, sampling.first_caption + place), t));
      random.uniform();  // the coin
      const auto logits = step.logits.value().span();
      double total = 0;
      for (int v = kUnk + 1; v < kVocabulary; ++v)
        total += std::exp(logits[static_cast<std::size_t>(v)]);
      double left = random.uniform();
      int word = kUnk + 1;
      for (; word < kVocabulary - 1; ++word) {
        left -= std::exp(logits[static_cast<std::size_t>(word)]) / total;
        if (left < 0) break;
      }
      read.push_back(word);
    }
    return read;
  }
};

// The packed numbers of one caption.
std::vector<int> of_caption(const PackedCaptions& packed, const std::vector<int>& numbers,
                            Index caption) {
  std::vector<int> out;
  std::size_t first = 0;
  for (const Index rows : packed.rows) {
    if (caption < rows) out.push_back(numbers[first + static_cast<std::size_t>(caption)]);
    first += static_cast<std::size_t>(rows);
  }
  return out;
}

}  // namespace

TEST_CASE("a caption reads words drawn after its own words, whatever else is in the batch") {
  const std::vector<std::vector<int>> captions{{4, 5, 6, 7, 4}, {7, 6, 5}, {5}};
  const PackedCaptions packed = pack_captions(captions, kBos, kEos);
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    const TinyModel model(kind.name);
    for (const Index update : {0, 1, 7}) {
      const SampledInputs all{.probability = 1, .seed = 3, .update = update, .first_caption = 11};
      const std::vector<int> inputs = model.inputs(captions, all);
      for (Index c = 0; c < 3; ++c)
        CHECK(of_caption(packed, inputs, c) ==
              model.expected(c, captions[static_cast<std::size_t>(c)].size() + 1, all));
    }
    CHECK(model.inputs(captions, {.probability = 0, .seed = 3}) == packed.inputs);
  }
}

TEST_CASE("the share of the model's own words is the probability") {
  const TinyModel model("gru");
  // <unk> is never drawn, so where it is gone, a word was drawn.
  const std::vector<std::vector<int>> captions(3, std::vector<int>(9, kUnk));
  double drawn = 0, words = 0;
  for (Index update = 0; update < 200; ++update) {
    const std::vector<int> inputs =
        model.inputs(captions, {.probability = 0.3, .seed = 1, .update = update});
    for (std::size_t n = 3; n < inputs.size(); ++n, ++words) drawn += inputs[n] != kUnk;
  }
  CHECK(std::abs(drawn / words - 0.3) < 4 * std::sqrt(0.3 * 0.7 / words));
}

TEST_CASE("the loss is that of the true words after the words that were read") {
  const std::vector<std::vector<int>> captions{{4, 5, 6, 7}, {7, 6}, {5}};
  const TinyModel model("lstm", "hard");
  const PackedCaptions packed = pack_captions(captions, kBos, kEos);
  const auto loss_of = [&](Tape& tape, double probability, const PackedCaptions& read) {
    tape.set_parameters(model.store.views());
    ObjectiveConfig objective;
    objective.scheduled_sampling = Ramp::constant(probability);
    return ShardLoss(tape, *model.decoder, tape.constant(model.features.view()), read,
                     loss_options(objective, model.attention, {}),
                     {.seed = 5, .update = 2, .batch_captions = 3});
  };
  Arena arena, other_arena;
  Tape tape(arena), other_tape(other_arena);
  const ShardLoss sampled = loss_of(tape, 0.6, packed);
  const PackedCaptions& rows = sampled.rows();
  CHECK(rows.inputs != loss_of(other_tape, 0, packed).rows().inputs);
  PackedCaptions read = packed;
  for (std::size_t n = 0; n < read.inputs.size(); ++n) {
    REQUIRE(rows.inputs[2 * n] == rows.inputs[2 * n + 1]);  // two samples of one caption
    REQUIRE(rows.targets[2 * n] == packed.targets[n]);
    read.inputs[n] = rows.inputs[2 * n];
  }
  other_tape.reset();
  CHECK(sampled.nll() == loss_of(other_tape, 0, read).nll());
}

}  // namespace saccade
