#include "captioning/study/inspection/word_neighbours.h"

#include <algorithm>
#include <cmath>

#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/mean.h"
#include "core/base/suggest.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

// A caption that the decoder has read, with the vectors [T, D] of its T words at each stage.
struct ReadCaption {
  std::string text;
  std::vector<int> words;
  std::vector<Tensor> stages;
};

std::vector<int> word_ids(const Vocabulary& vocabulary, const std::string& text) {
  const std::vector<Index> ids = vocabulary.encode(tokenize(text));
  return {ids.begin(), ids.end()};
}

ReadCaption read(const CaptionModel& model, Tape& tape, const EncodedImages& image,
                 const std::string& text) {
  ReadCaption out{.text = text, .words = word_ids(model.vocabulary(), text), .stages = {}};
  const Decoder& decoder = model.decoder();
  const AttentionMemory memory = decoder.prepare(tape, image, 1);
  std::vector<Var> state = decoder.start(tape, memory);
  std::vector<int> inputs{static_cast<int>(Vocabulary::kBos)};
  inputs.insert(inputs.end(), out.words.begin(), out.words.end());
  const auto words = static_cast<Index>(out.words.size());
  for (Index t = 0; t <= words; ++t) {
    StepOutput step = decoder.step(tape, std::span(inputs).subspan(static_cast<std::size_t>(t), 1),
                                   state, memory, {.step = t});
    if (step.vectors.empty()) return out;  // no word attends to another
    if (t == 0)
      for (const ConstView& vector : step.vectors)
        out.stages.emplace_back(Shape{words, vector.cols()});
    else
      for (std::size_t s = 0; s < step.vectors.size(); ++s)
        std::copy_n(step.vectors[s].data, step.vectors[s].cols(), out.stages[s].view().row(t - 1));
    state = std::move(step.state);
  }
  return out;
}

// All captions of an image, or other ones with its picture.
std::vector<ReadCaption> read_all(const CaptionModel& model, const InputView& input,
                                  std::span<const std::string> captions) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const EncodedImages image = model.encode(tape, input);
  std::vector<ReadCaption> out;
  for (const std::string& text : captions) out.push_back(read(model, tape, image, text));
  return out;
}

double cosine(const Real* a, const Real* b, Index width) {
  double ab = 0, aa = 0, bb = 0;
  for (Index i = 0; i < width; ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// The best of the candidates of each word.
class Best {
 public:
  explicit Best(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), best_(static_cast<std::size_t>(vocabulary.size())) {}
  void add(int word, double likeness, const std::string& caption) {
    WordNeighbour& one = best_[static_cast<std::size_t>(word)];
    if (!one.word.empty() && likeness <= one.cosine) return;
    one = {.word = vocabulary_.word(word), .cosine = likeness, .caption = caption};
  }
  // Without the word itself.
  std::vector<WordNeighbour> most_similar(int without, std::size_t count) const {
    std::vector<WordNeighbour> out;
    for (std::size_t id = Vocabulary::kSpecials; id < best_.size(); ++id)
      if (!best_[id].word.empty() && static_cast<int>(id) != without) out.push_back(best_[id]);
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.cosine > b.cosine; });
    out.resize(std::min(count, out.size()));
    return out;
  }

 private:
  const Vocabulary& vocabulary_;
  std::vector<WordNeighbour> best_;
};

Index place_of(const ReadCaption& caption, int word) {
  return std::find(caption.words.begin(), caption.words.end(), word) - caption.words.begin();
}

bool has(const ReadCaption& caption, int word) {
  return place_of(caption, word) < static_cast<Index>(caption.words.size());
}

WordStage embedding_stage(const CaptionModel& model, int word, std::size_t count) {
  const ConstView rows = model.parameters().value(model.decoder().word_parameters().embedding);
  Best best(model.vocabulary());
  for (Index id = Vocabulary::kSpecials; id < model.vocabulary().size(); ++id)
    best.add(static_cast<int>(id), cosine(rows.row(word), rows.row(id), rows.cols()), "");
  return {.name = "embedding", .neighbours = {best.most_similar(word, count)}};
}

std::string stage_name(std::size_t stage, std::size_t stages) {
  if (stage + 1 == stages) return "end";
  return str("layer ", stage / 2, stage % 2 == 0 ? " before" : " after");
}

// The stages behind the embedding.
void add_stages(const Vocabulary& vocabulary, int word, std::size_t count,
                std::span<const ReadCaption> all, std::span<const ReadCaption> shown,
                std::vector<WordStage>& out) {
  const std::size_t stages = shown[0].stages.size();
  for (std::size_t s = 0; s < stages; ++s) {
    WordStage stage{.name = stage_name(s, stages)};
    Mean between;
    const auto vector = [&](const ReadCaption& caption, Index place) {
      return caption.stages[s].view().row(place);
    };
    const Index width = shown[0].stages[s].shape()[1];
    for (std::size_t c = 0; c < shown.size(); ++c) {
      const Real* own = vector(shown[c], place_of(shown[c], word));
      for (std::size_t other = 0; other < c; ++other)
        between.add(cosine(own, vector(shown[other], place_of(shown[other], word)), width));
      Best best(vocabulary);
      for (const ReadCaption& caption : all)
        for (std::size_t t = 0; t < caption.words.size(); ++t)
          best.add(caption.words[t], cosine(own, vector(caption, static_cast<Index>(t)), width),
                   caption.text);
      stage.neighbours.push_back(best.most_similar(word, count));
    }
    if (between.count > 0) stage.between = between.value();
    out.push_back(std::move(stage));
  }
}

int id_of(const Vocabulary& vocabulary, const std::string& word) {
  if (vocabulary.has_pieces())
    throw UsageError(
        "the vocabulary is of pieces of words (data.vocabulary bpe), which have no vectors of "
        "whole words; it needs a model of words");
  const Words words = tokenize(word);
  const Index id = words.size() == 1 ? vocabulary.id(words[0]) : Vocabulary::kUnk;
  if (id < Vocabulary::kSpecials)
    throw UsageError(
        str("'", word, "' is not in the vocabulary", did_you_mean(word, vocabulary.words())));
  return static_cast<int>(id);
}

ReadCaption copy_of(const ReadCaption& caption) {
  ReadCaption copy{.text = caption.text, .words = caption.words, .stages = {}};
  for (const Tensor& stage : caption.stages) copy.stages.push_back(stage.clone());
  return copy;
}

// The captions in which the word is looked at: those of the request, which `read_given` reads, or
// the first ones that have it.
template <class Read>
std::vector<ReadCaption> shown_captions(const Vocabulary& vocabulary, int word,
                                        const NeighbourRequest& request,
                                        std::span<const ReadCaption> all, std::size_t images,
                                        const Read& read_given) {
  std::vector<ReadCaption> shown;
  if (!request.captions.empty()) {
    shown = read_given(request.captions);
    for (const ReadCaption& caption : shown)
      if (!has(caption, word))
        throw UsageError(str("the caption '", caption.text, "' does not have the word '",
                             vocabulary.word(word), "'"));
    return shown;
  }
  for (std::size_t c = 0; c < all.size() && shown.size() < 2; ++c)
    if (has(all[c], word)) shown.push_back(copy_of(all[c]));
  if (shown.empty())
    throw UsageError(str("no caption of the ", images, " images has the word '",
                         vocabulary.word(word), "'; give more images, or captions that have it"));
  return shown;
}

}  // namespace

void check_words(const Vocabulary& vocabulary, std::span<const std::string> words) {
  for (const std::string& word : words) id_of(vocabulary, word);
}

std::vector<WordNeighbours> word_neighbours(const CaptionModel& model, const Dataset& dataset,
                                            const DatasetInputs& inputs,
                                            std::span<const Index> images,
                                            std::span<const NeighbourRequest> requests) {
  SACCADE_CHECK(!images.empty(), "[word neighbours] there is no image");
  const Vocabulary& vocabulary = model.vocabulary();
  for (const NeighbourRequest& request : requests) id_of(vocabulary, request.word);
  std::vector<std::vector<ReadCaption>> by_image(images.size());
  parallel::for_each(static_cast<Index>(images.size()), [&](Index i) {
    const auto place = static_cast<std::size_t>(i);
    by_image[place] = read_all(model, inputs.batch(images.subspan(place, 1)).view(),
                               dataset.images[static_cast<std::size_t>(images[place])].captions);
  });
  std::vector<ReadCaption> all;
  Index tokens = 0;
  for (std::vector<ReadCaption>& image : by_image)
    std::move(image.begin(), image.end(), std::back_inserter(all));
  for (const ReadCaption& caption : all) tokens += static_cast<Index>(caption.words.size());
  std::vector<WordNeighbours> out;
  for (const NeighbourRequest& request : requests) {
    const int word = id_of(vocabulary, request.word);
    const std::vector<ReadCaption> shown = shown_captions(
        vocabulary, word, request, all, images.size(), [&](std::span<const std::string> given) {
          return read_all(model, inputs.batch(images.first(1)).view(), given);
        });
    WordNeighbours one{
        .word = vocabulary.word(word), .captions = {}, .tokens = tokens, .stages = {}};
    for (const ReadCaption& caption : shown) one.captions.push_back(caption.text);
    one.stages.push_back(embedding_stage(model, word, request.count));
    if (!shown[0].stages.empty())
      add_stages(vocabulary, word, request.count, all, shown, one.stages);
    out.push_back(std::move(one));
  }
  return out;
}

WordNeighbours word_neighbours(const CaptionModel& model, const Dataset& dataset,
                               const DatasetInputs& inputs, std::span<const Index> images,
                               const NeighbourRequest& request) {
  return std::move(word_neighbours(model, dataset, inputs, images, {&request, 1}).front());
}

}  // namespace saccade
