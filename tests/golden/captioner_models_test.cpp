// The networks of published captioners against transformers: encodings, logits, attention and
// captions. Folders as in captioners_test.cpp.
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/model/decoding/forced_decoding.h"
#include "captioning/model/published/published_captioner.h"
#include "tests/support/catch.h"
#include "tests/support/npz.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"

using namespace saccade;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr double kNear = 1e-4;

std::vector<fs::path> captioner_folders() {
  std::vector<fs::path> found;
  for (const char* name : {"blip", "vit-gpt2"}) {
    found.push_back(fs::path(SACCADE_CAPTIONERS_FOLDER) / name);
    if (const char* other = std::getenv("SACCADE_HUB"))
      found.push_back(fs::path(other) / "captioners" / name);
  }
  if (std::getenv("SACCADE_HUB") == nullptr)
    std::cout << "skipped: SACCADE_HUB names no folder of other published captioners\n";
  return found;
}

struct Captioner {
  explicit Captioner(const fs::path& folder)
      : published(read_published(folder)),
        model(published.config, published.vocabulary, {}, [](const ParameterStore&) {}) {
    load_published(folder, published, model);
  }
  PublishedCaptioner published;
  CaptionModel model;
};

// [1, 3, H, W] as one input [H, W, 3].
InputBatch input_of(const CaptionModel& model, const test::NumpyArray& pixels) {
  InputBatch input(model.input_shape(), 1);
  const Index cells = pixels.shape[2] * pixels.shape[3];
  REQUIRE(std::ssize(input.values_of(0)) == 3 * cells);
  for (Index i = 0; i < 3 * cells; ++i)
    input.values_of(0)[static_cast<std::size_t>(i)] =
        pixels.values[static_cast<std::size_t>(i % 3 * cells + i / 3)];
  input.set_area(0, {});
  return input;
}

double most_different(std::span<const float> expected, std::span<const float> got) {
  REQUIRE(expected.size() == got.size());
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    most = std::max(most, std::abs(double{expected[i]} - double{got[i]}));
  return most;
}

struct Differences {
  double encoder = 0, logits = 0, cross = 0, self = 0, score = 0;
};

// One picture with a caption that is forced: what every word sees and how it is scored.
void compare_forced(const Captioner& own, const std::map<std::string, test::NumpyArray>& expected,
                    const std::string& number, Differences& most) {
  const CaptionModel& model = own.model;
  const Vocabulary& words = model.vocabulary();
  const InputBatch input = input_of(model, expected.at("pixels" + number));
  test::TestTape tape(model.parameters().views());
  tape.set_recording(false);
  const EncodedImages images = model.encode(tape, input.view());
  const test::NumpyArray& encoder = expected.at("encoder" + number);
  const Index width = encoder.shape[1], tokens = encoder.shape[0];
  REQUIRE(images.features.shape() == Shape{1, tokens, width});
  // The class token comes first there, and last here.
  std::vector<float> features(images.features.value().span().begin(),
                              images.features.value().span().end());
  std::rotate(features.begin(), features.end() - width, features.end());
  most.encoder = std::max(most.encoder, most_different(encoder.values, features));

  std::vector<int> forced;
  for (const float id : expected.at("forced" + number).values)
    forced.push_back(static_cast<int>(words.id_of_published(static_cast<Index>(id))));
  const std::vector<std::vector<int>> whole{{forced.begin() + 1, forced.end()}};
  const PackedCaptions packed = pack_captions(whole, Vocabulary::kBos, Vocabulary::kEos);
  const AttentionMemory memory = model.decoder().prepare(tape, images, 1);
  const SequenceOutput output = model.decoder().sequence(tape, packed, memory, {});
  const test::NumpyArray& logits = expected.at("logits" + number);
  std::vector<float> got(logits.values.size());
  for (Index t = 0; t < logits.shape[0]; ++t)
    for (Index n = 0; n < logits.shape[1]; ++n)
      got[static_cast<std::size_t>(t * logits.shape[1] + n)] =
          output.logits.value().row(t)[words.id_of_published(n)];
  most.logits = std::max(most.logits, most_different(logits.values, got));

  // Word by word, with every layer and head. The last word is what the one before it predicts.
  const SearchMember member{.decoder = &model.decoder(),
                            .parameters = model.parameters().views(),
                            .images = images.values()};
  std::vector<int> said(forced.begin() + 1, forced.end());
  said.push_back(Vocabulary::kUnk);  // whose map is that behind the last word
  const std::vector<std::vector<std::vector<int>>> captions{{said}};
  const DecodedCaption caption =
      force_decode({&member, 1}, SpecialWords{}, captions,
                   {.recording = {.layers = true, .words = true}}, 0)[0][0];
  const test::NumpyArray &cross = expected.at("cross_attention" + number),
                         &self = expected.at("self_attention" + number);
  const Index layers = cross.shape[0], heads = cross.shape[1], count = cross.shape[2];
  REQUIRE(std::ssize(caption.words) == count);
  for (Index t = 0; t < count; ++t) {
    const DecodedWord& word = caption.words[static_cast<std::size_t>(t)];
    REQUIRE(std::ssize(word.parts) == layers * heads);
    REQUIRE(std::ssize(word.self_attention) == layers * heads);
    for (Index p = 0; p < layers * heads; ++p) {
      const AttentionMap& map = word.parts[static_cast<std::size_t>(p)];
      std::vector<float> row = map.weights;
      REQUIRE(map.elsewhere);
      row.insert(row.begin(), static_cast<float>(*map.elsewhere));
      const auto first = static_cast<std::size_t>((p * count + t) * tokens);
      most.cross = std::max(
          most.cross,
          most_different(std::span(cross.values).subspan(first, static_cast<std::size_t>(tokens)),
                         row));
      const auto own_first = static_cast<std::size_t>((p * count + t) * count);
      const SelfAttention& read = word.self_attention[static_cast<std::size_t>(p)];
      most.self = std::max(
          most.self, most_different(std::span(self.values).subspan(own_first, read.weights.size()),
                                    read.weights));
    }
  }
}

// The published numbers of a caption, from the token that begins to the one that ends.
std::vector<Index> numbers_of(const Json& published, const DecodedCaption& caption,
                              const Vocabulary& words) {
  std::vector<Index> ids{published["ids"][0].get<Index>()};
  for (const DecodedWord& word : caption.words) ids.push_back(words.published_number(word.id));
  if (caption.finished) ids.push_back(words.published_number(Vocabulary::kEos));
  return ids;
}

SearchConfig search_of(const std::string& name, SearchConfig search) {
  search.max_length = name.ends_with("_short") ? (name.starts_with("beam") ? 5 : 4) : 15;
  search.mode = name.starts_with("greedy") ? SearchMode::kGreedy : SearchMode::kBeam;
  search.beam = name.starts_with("beam4") ? 4 : 3;
  search.length_normalization = name.find("penalty_0") != std::string::npos ? 0 : 1;
  search.beam_end =
      name.find("early") != std::string::npos ? BeamEnd::kRefillFull : BeamEnd::kRefill;
  if (name.ends_with("_rules")) {
    search.no_repeat_ngram = 2;
    search.min_length = 7;
  }
  return search;
}

}  // namespace

TEST_CASE("published captioners compute what transformers does, to every layer and head") {
  for (const fs::path& folder : captioner_folders()) {
    INFO(folder.string());
    const Captioner captioner(folder);
    const auto expected = test::read_npz((folder / "expected.npz").string());
    Differences most;
    for (const char* number : {"0", "1", "4"})
      if (expected.contains(std::string("pixels") + number))
        compare_forced(captioner, expected, number, most);
    std::cout << folder.filename().string() << ": largest differences: encoder " << most.encoder
              << ", logits " << most.logits << ", cross-attention " << most.cross
              << ", self-attention " << most.self << "\n";
    CHECK(most.encoder <= kNear);
    CHECK(most.logits <= kNear);
    CHECK(most.cross <= kNear);
    CHECK(most.self <= kNear);
  }
}

TEST_CASE("published captioners give the captions of transformers, greedily and with beams") {
  for (const fs::path& folder : captioner_folders()) {
    INFO(folder.string());
    const Captioner captioner(folder);
    const Vocabulary& words = captioner.model.vocabulary();
    const auto expected = test::read_npz((folder / "expected.npz").string());
    const Json captions = Json::parse(std::ifstream(folder / "expected_captions.json"));
    double most = 0;
    for (const auto& [picture, searches] : captions.items()) {
      if (picture == "loss") continue;
      const InputBatch input =
          input_of(captioner.model, expected.at("pixels" + picture.substr(0, 1)));
      test::TestTape tape(captioner.model.parameters().views());
      tape.set_recording(false);
      const EncodedImages images = captioner.model.encode(tape, input.view());
      for (const auto& [name, one] : searches.items()) {
        if (!one.is_object()) continue;
        INFO(picture << " " << name << ": " << one["text"]);
        SearchConfig search = search_of(name, captioner.published.search);
        if (picture.ends_with("prompted")) search.prompt = "a picture of";
        const SearchOptions options = search_options(captioner.published.config, search, words);
        const DecodedCaption caption =
            saccade::search(captioner.model.decoder(), captioner.model.parameters().views(),
                            images.values(), SpecialWords{}, options, 0)[0];
        auto ids = one["ids"].get<std::vector<Index>>();
        std::vector<Index> own = numbers_of(one, caption, words);
        // A greedy caption that was cut is one token longer with its end, which is not searched.
        if (own.size() > ids.size()) own.resize(ids.size());
        CHECK(own == ids);
        std::vector<Index> said;
        for (const DecodedWord& word : caption.words) said.push_back(word.id);
        CHECK(words.text(said) == one["text"].get<std::string>());
        if (!one.contains("score")) continue;
        const auto length =
            static_cast<double>(said.size() + (caption.finished ? 1 : 0) - options.prompt.size());
        const double score = caption.log_prob / std::pow(length, search.length_normalization);
        most = std::max(most, std::abs(score - one["score"].get<double>()));
        CHECK(std::abs(score - one["score"].get<double>()) <= kNear);
      }
    }
    std::cout << folder.filename().string() << ": largest difference of a score " << most << "\n";
  }
}
