// The networks of published captioners against transformers: encodings, logits, attention and
// captions. Folders as in captioners_test.cpp.
#include <deque>
#include <iostream>
#include <nlohmann/json.hpp>

#include "captioning/learning/runs/first_weights.h"
#include "captioning/learning/runs/published_model.h"
#include "captioning/model/decoding/forced_decoding.h"
#include "captioning/model/published/published_captioner.h"
#include "tests/support/catch.h"
#include "tests/support/further_goldens.h"
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
  const auto other = test::further_goldens("SACCADE_HUB");
  for (const char* name : {"blip", "vit-gpt2", "git"}) {
    found.push_back(fs::path(SACCADE_CAPTIONERS_FOLDER) / name);
    if (other) found.push_back(*other / "captioners" / name);
  }
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
  // GIT has one attention of picture and words, and logits behind the tokens of the picture, too.
  const bool joined = expected.contains("attention" + number);
  const test::NumpyArray& logits = expected.at("logits" + number);
  const Index before = joined ? tokens : 0, vocabulary = logits.shape[1];
  std::vector<float> got;
  for (Index t = 0; t < logits.shape[0] - before; ++t)
    for (Index n = 0; n < vocabulary; ++n)
      got.push_back(output.logits.value().row(t)[words.id_of_published(n)]);
  most.logits = std::max(
      most.logits,
      most_different(
          std::span(logits.values).subspan(static_cast<std::size_t>(before * vocabulary)), got));

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
  const test::NumpyArray &seen = expected.at((joined ? "attention" : "cross_attention") + number),
                         &read = joined ? seen : expected.at("self_attention" + number);
  const Index layers = seen.shape[0], heads = seen.shape[1], count = seen.shape[2] - before;
  REQUIRE(std::ssize(caption.words) == count);
  for (Index t = 0; t < count; ++t) {
    const DecodedWord& word = caption.words[static_cast<std::size_t>(t)];
    REQUIRE(std::ssize(word.parts) == layers * heads);
    REQUIRE(std::ssize(word.self_attention) == layers * heads);
    for (Index p = 0; p < layers * heads; ++p) {
      const AttentionMap& map = word.parts[static_cast<std::size_t>(p)];
      REQUIRE(map.elsewhere);
      std::vector<float> row = map.weights;
      row.insert(row.begin(), static_cast<float>(*map.elsewhere));
      const auto row_of = [&](const test::NumpyArray& all) {
        return all.values.data() + (p * all.shape[2] + before + t) * all.shape[3];
      };
      std::vector<float> want(row_of(seen), row_of(seen) + tokens);
      // What is neither the class token's nor a cell's is the words'.
      for (Index c = tokens; c < seen.shape[3]; ++c) want[0] += row_of(seen)[c];
      most.cross = std::max(most.cross, most_different(want, row));
      const std::vector<float>& of_words = word.self_attention[static_cast<std::size_t>(p)].weights;
      most.self =
          std::max(most.self, most_different({row_of(read) + before, of_words.size()}, of_words));
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

TEST_CASE("a checkpoint of training in place of a captioner's weights is told as one") {
  const test::TempFolder place("captioner-training");
  const fs::path folder = place / "blip", weights = folder / "model.safetensors";
  fs::copy(captioner_folders()[0], folder);
  const SafetensorsFile file(captioner_folders()[0] / "model.safetensors");
  std::vector<SafetensorsArray> arrays;
  std::deque<std::vector<float>> numbers;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.type != "F32") continue;
    const std::vector<float>& own = numbers.emplace_back(file.floats(entry));
    arrays.push_back({"model." + entry.name, "F32", entry.shape, std::as_bytes(std::span(own))});
  }
  fs::remove(weights);
  save_safetensors(weights, arrays);
  CHECK_THAT(test::message_of<DataError>([&] { Captioner captioner(folder); }),
             Catch::Contains("'model.text_decoder.bert.embeddings.word_embeddings.weight'") &&
                 Catch::Contains("a checkpoint of training"));
}

TEST_CASE("a published captioner takes hard attention and other axes as any model does") {
  const fs::path folder = captioner_folders()[0];
  PublishedCaptioner published = read_published(folder);
  published.config.attention.selection = "hard";
  CaptionModel model(published.config, published.vocabulary, {}, [](const ParameterStore&) {});
  load_published(folder, published, model);
  const auto expected = test::read_npz((folder / "expected.npz").string());
  const InputBatch input = input_of(model, expected.at("pixels0"));
  test::TestTape tape(model.parameters().views());
  tape.set_recording(false);
  const EncodedImages images = model.encode(tape, input.view());
  SearchOptions options = search_options(published.config, published.search, model.vocabulary());
  CHECK(options.regime == Regime::kArgmax);
  options.rules.min_length = 4;
  const DecodedCaption caption = saccade::search(model.decoder(), model.parameters().views(),
                                                 images.values(), SpecialWords{}, options, 0)[0];
  REQUIRE_FALSE(caption.words.empty());
  for (const DecodedWord& word : caption.words) {
    const auto cells = static_cast<int>(model.grid().cells());
    CHECK(word.choices.size() == 4);  // of 2 layers and 2 heads
    for (const AttentionMap& map : single_maps(word)) {
      CHECK(map.chosen < cells);  // -1 where the class token was taken
      double sum = *map.elsewhere;
      for (const float weight : map.weights) sum += double{weight};
      CHECK(std::abs(sum - 1) < 1e-5);
    }
  }

  published.config.attention.scope = "local_p";
  CHECK_THROWS_AS(CaptionModel::check(published.config), UsageError);
  published.config.attention.scope = "global";
  published.config.encoder.resize = ResizeMode::kPad;
  CHECK_THROWS_AS(CaptionModel::check(published.config), UsageError);
}

TEST_CASE("a run that starts from a published captioner has its weights, tokens and losses") {
  for (const fs::path& folder : captioner_folders()) {
    INFO(folder.string());
    ExperimentConfig config = published_config(folder);
    config.train.init_from = folder.string();
    config.data.vocabulary = VocabularyKind::kPublished;
    take_first_parts(config, {}, {});
    REQUIRE(config.tokens);
    CaptionModel model(config, *config.tokens, {});
    CHECK(take_first_weights(config, {}, model, {})->file == folder.string());
    const Captioner whole(folder);
    CHECK(config.tokens->digest() == whole.model.vocabulary().digest());
    const auto bits = [](const CaptionModel& of) { return of.parameters().flat().span(); };
    CHECK(std::ranges::equal(bits(model), bits(whole.model)));

    // The loss of a caption, from transformers' logits.
    const auto expected = test::read_npz((folder / "expected.npz").string());
    const test::NumpyArray &forced = expected.at("forced0"), &logits = expected.at("logits0");
    const InputBatch input = input_of(model, expected.at("pixels0"));
    test::TestTape tape(model.parameters().views());
    const Index before = expected.contains("attention0") ? expected.at("encoder0").shape[0] : 0;
    std::vector<int> said;
    double loss = 0;
    for (Index t = 0; t + 1 < std::ssize(forced.values); ++t) {
      const auto word = static_cast<Index>(forced.values[static_cast<std::size_t>(t) + 1]);
      said.push_back(static_cast<int>(model.vocabulary().id_of_published(word)));
      const float* row = logits.values.data() + (before + t) * logits.shape[1];
      double sum = 0;
      for (Index n = 0; n < logits.shape[1]; ++n)
        sum += std::exp(double{row[n]} - double{row[word]});
      loss += std::log(sum);
    }
    const std::vector<std::vector<int>> captions{said};
    const PackedCaptions packed = pack_captions(captions, Vocabulary::kBos, Vocabulary::kEos);
    const SequenceOutput output = model.decoder().sequence(
        tape, packed, model.decoder().prepare(tape, model.encode(tape, input.view()), 1), {});
    double own = 0;
    for (std::size_t t = 0; t < said.size(); ++t) own += double{output.nll.value().span()[t]};
    CHECK(std::abs(own - loss) <= kNear * loss);

    // decoder.frozen: the attention to the image alone learns, or nothing.
    for (const FrozenDecoder frozen : {FrozenDecoder::kLanguage, FrozenDecoder::kAll}) {
      config.decoder.frozen = frozen;
      const CaptionModel part = CaptionModel::declared(config, *config.tokens, {});
      for (const ParameterInfo& info : part.parameters().infos()) {
        INFO(info.name);
        const bool of_image =
            info.name.find(".cross") != std::string::npos || info.name.starts_with("decoder.image");
        if (info.name.starts_with("decoder."))
          CHECK((info.rate == 0) == (frozen == FrozenDecoder::kAll || !of_image));
      }
    }
    config.decoder.frozen = FrozenDecoder::kNone;

    // Another network under the same names of parameters.
    config.decoder.activation = WordActivation::kRelu;
    CHECK_THROWS_WITH(take_first_weights(config, {}, model, {}),
                      Catch::Contains("decoder.activation") && Catch::Contains("saccade new"));
  }
}

TEST_CASE("captioners that would compute something else are refused with file and key") {
  const test::TempFolder temporary("captioner-refused");
  const auto refused = [&](const char* name, const char* file, const char* pointer,
                           const Json& value) {
    const fs::path folder = temporary / "copy";
    fs::remove_all(folder);
    fs::copy(fs::path(SACCADE_CAPTIONERS_FOLDER) / name, folder);
    Json json = Json::parse(std::ifstream(folder / file));
    json[Json::json_pointer(pointer)] = value;
    std::ofstream(folder / file) << json;
    try {
      const Captioner captioner(folder);
    } catch (const DataError& error) {
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
      return std::string(error.what());
    }
    return std::string("it was opened");
  };
  const auto wants = [](const std::string& message, const char* text) {
    INFO(message);
    CHECK(message.find(text) != std::string::npos);
  };
  const char *config = "config.json", *generation = "generation_config.json";
  wants(refused("blip", config, "/text_config/hidden_act", "silu"), "hidden_act");
  wants(refused("blip", config, "/text_config/num_attention_heads", 3), "num_attention_heads");
  wants(refused("blip", config, "/text_config/num_hidden_layers", 3), "layer.2");
  wants(refused("blip", config, "/text_config/num_hidden_layers", 1), "layer.1");
  wants(refused("blip", config, "/text_config/hidden_size", "8"), "hidden_size");
  wants(refused("blip", config, "/text_config/hidden_size", 16), "extents");
  wants(refused("blip", config, "/text_config/intermediate_size", 24), "extents");
  wants(refused("blip", config, "/text_config/vocab_size", 100), "extents");
  wants(refused("blip", config, "/text_config/bos_token_id", 4000), "4000");
  wants(refused("blip", config, "/text_config/is_decoder", false), "is_decoder");
  wants(refused("blip", config, "/text_config/tie_word_embeddings", false), "tie_word_embeddings");
  wants(refused("blip", config, "/model_type", "blip-2"), "model_type");
  wants(refused("vit-gpt2", config, "/decoder/model_type", "bert"), "model_type");
  wants(refused("vit-gpt2", config, "/decoder/scale_attn_by_inverse_layer_idx", true),
        "scale_attn_by_inverse_layer_idx");
  wants(refused("vit-gpt2", config, "/decoder/n_head", 3), "n_head");
  wants(refused("vit-gpt2", config, "/decoder/n_positions", 41), "extents");
  wants(refused("vit-gpt2", generation, "/repetition_penalty", 1.5), "repetition_penalty");
  wants(refused("vit-gpt2", generation, "/eos_token_id", Json::array({1, 2})),
        "eos_token_id is [1,2]; captions of saccade end with one token");
  wants(refused("vit-gpt2", generation, "/length_penalty", -1), "length_penalty");
  wants(refused("vit-gpt2", generation, "/early_stopping", 3), "early_stopping");
  wants(refused("vit-gpt2", generation, "/do_sample", true), "num_beams");
  const char* pixels = "preprocessor_config.json";
  for (const char* name : {"blip", "vit-gpt2"}) {
    const auto pixel = [&](const char* key, const Json& value) {
      return refused(name, pixels, (std::string("/") + key).c_str(), value);
    };
    for (const char* step : {"do_resize", "do_rescale"}) wants(pixel(step, false), step);
    for (const char* key : {"do_resize", "do_rescale", "do_normalize", "do_center_crop"})
      wants(pixel(key, "yes"), key);
    wants(pixel("do_pad", true), "do_pad");
    for (const Json& factor : {Json(1), Json(0), Json(1 / 127.5), Json("x")})
      wants(pixel("rescale_factor", factor), "rescale_factor");
    for (const Json& filter : {Json(4), Json(-1), Json("bicubic"), Json(2.5)})
      wants(pixel("resample", filter), "resample");
    for (const Json& size : {Json(0), Json(-3), Json("12"), Json::array({12, 12}), Json(1.5),
                             Json{{"height", 12}}, Json{{"height", 12}, {"width", "12"}},
                             Json{{"shortest_edge", 12}}, Json{{"longest_edge", 12}}})
      wants(pixel("size", size), "size");
    wants(pixel("do_center_crop", true), "crop_size");
    wants(pixel("crop_size", "12"), "crop_size");
    for (const Json& std : {Json::array({0, 0, 0}), Json::array({-0.5, -0.5, -0.5}),
                            Json::array({0.5, 0.5}), Json("0.5"), Json::array({"a", "b", "c"})})
      wants(pixel("image_std", std), "image_std");
    for (const Json& mean : {Json::array({0.5}), Json(0.5), Json::array({1, 2, Json()})})
      wants(pixel("image_mean", mean), "image_mean");
    wants(pixel("image_processor_type", 3), "image_processor_type");
  }
}

TEST_CASE("generation settings become those of the search") {
  const test::TempFolder temporary("captioner-generation");
  const auto search_with = [&](const Json& settings) {
    const fs::path folder = temporary / "copy";
    fs::remove_all(folder);
    fs::copy(fs::path(SACCADE_CAPTIONERS_FOLDER) / "blip", folder);
    std::ofstream(folder / "generation_config.json") << settings;
    return read_published(folder).search;
  };
  SearchConfig search = search_with(Json::object());
  CHECK(search.mode == SearchMode::kGreedy);
  CHECK(search.max_length == 19);  // usually 20; this model has positions for 19 words
  CHECK(search.length_normalization == 1);
  search = search_with({{"num_beams", 5},
                        {"max_length", 13},
                        {"min_length", 6},
                        {"length_penalty", 0.5},
                        {"early_stopping", true},
                        {"no_repeat_ngram_size", 3}});
  CHECK(search.mode == SearchMode::kBeam);
  CHECK((search.beam == 5 && search.max_length == 12 && search.min_length == 5));
  CHECK((search.length_normalization == 0.5 && search.no_repeat_ngram == 3));
  CHECK(search.beam_end == BeamEnd::kRefillFull);
  CHECK(search_with({{"early_stopping", "never"}}).beam_end == BeamEnd::kRefillNever);
  CHECK(search_with({{"max_new_tokens", 7}}).max_length == 7);
  search = search_with({{"do_sample", true}, {"top_p", 0.9}, {"temperature", 0.7}});
  CHECK(search.mode == SearchMode::kSample);
  CHECK((search.top_k == 50 && search.top_p == 0.9 && search.temperature == 0.7));
}
