// Readers of what decides a model: configs, word vectors, tables of features.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/model_card.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "core/io/archive.h"
#include "core/io/checkpoint.h"
#include "core/io/safetensors_header.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"
#include "vision/encoders/features/feature_source.h"
#include "vision/encoders/given_features.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

const fs::path kSource = SACCADE_SOURCE;

void read_config(Input bytes) {
  const auto loaded = parse_config<ExperimentConfig>(text_of(bytes), "input.yaml");
  check_config(loaded.config);
  const std::string printed = print_config(loaded.config);
  if (print_config(parse_config<ExperimentConfig>(printed, "printed.yaml").config) != printed)
    throw InternalError("a printed config reads as another one");
}

std::vector<Bytes> configs() {
  std::vector<Bytes> all;
  for (const Bytes& one : files(kSource / "configs", ".yaml")) {
    std::string text = text_of(one);
    if (const auto base = text.find("\nbase:"); base != std::string::npos)
      text.erase(base + 1, text.find('\n', base + 1) - base);
    all.push_back(bytes_of(text));
  }
  return all;
}

void read_features(const fs::path& path) {
  const std::unique_ptr<FeatureSource> source = open_features(path);
  for (const std::string& id : source->ids()) {
    source->outline(id);
    source->read(id);
  }
}

// A safetensors file with the arrays of lines `NAME TYPE EXTENT...`. Types other than F32 have
// whole numbers from 1 on.
std::string arrays_of_lines(const std::string& text) {
  constexpr Index kMost = 1 << 12;
  std::map<std::string, SafetensorsEntry> arrays;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    SafetensorsEntry one;
    if (!(words >> one.name >> one.type) || !Archive::bad_name(one.name).empty()) continue;
    Index count = 1;
    for (Index extent = 0; words >> extent && one.shape.size() < 6; count *= extent)
      one.shape.push_back(extent = std::clamp<Index>(extent, 0, 64));
    if (count <= kMost && safetensors_type_bytes(one.type) > 0)
      arrays.insert_or_assign(one.name, one);
  }
  std::vector<SafetensorsEntry> entries;
  std::string data;
  for (auto& [name, one] : arrays) {
    one.offset = data.size();
    const Index count =
        std::accumulate(one.shape.begin(), one.shape.end(), Index{1}, std::multiplies<>());
    for (Index i = 0; i < count; ++i) {
      const bool far = name.find("box") != name.npos && i % 4 > 1;  // x2 and y2
      const float share = far ? .75F : 0.01F * static_cast<float>(i % 64);
      const Index whole = i + 1;
      const void* number = one.type == "F32" ? static_cast<const void*>(&share) : &whole;
      data.append(static_cast<const char*>(number), safetensors_type_bytes(one.type));
    }
    one.bytes = data.size() - one.offset;
    entries.push_back(one);
  }
  const std::string header = safetensors_header_text(entries, {});
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

// What a model gets of each photo of a file with such arrays.
void read_feature_arrays(Input bytes) {
  const std::string text = text_of(bytes), file = arrays_of_lines(text);
  EncoderConfig config;
  config.type = "features";
  config.features.path = scratch_file("x.safetensors", bytes_of(file)).string();
  if (text.find("pooled") != text.npos) config.features.pooled = "pooled";
  if (text.find("box") != text.npos) config.positions = PositionKind::kCoordinates;
  const GivenFeatures given(config);
  std::vector<float> row(static_cast<std::size_t>(given.grid().size()));
  for (const std::string& id : given.source()->ids())
    given.read(
        std::vector<std::string>{id}, nullptr, [] { return ImageSize{.height = 1, .width = 1}; },
        row);
}

// `text` with every `\n` of two characters as a new line.
std::string with_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\n", at)) != text.npos; ++at)
    text.replace(at, 2, "\n");
  return text;
}

// What an entry becomes by one line of an input: `r` replaces a text by another in its text, the
// others give it a value of a type.
Archive::Entry edited(const Archive& archive, const std::string& name, char kind,
                      const std::string& value) {
  std::istringstream in(value);
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; in >> number;) numbers.push_back(number);
  const auto count = static_cast<Index>(numbers.size());
  if (kind == 'u')
    return numbers.empty() ? std::uint64_t{0} : static_cast<std::uint64_t>(numbers[0]);
  if (kind == 'i') return NumberArray<std::int64_t>({count}, numbers);
  if (kind == 'f')
    return NumberArray<float>({count}, std::vector<float>(numbers.begin(), numbers.end()));
  if (kind == 'd')
    return NumberArray<double>({1, count}, std::vector<double>(numbers.begin(), numbers.end()));
  if (kind == 'w') {
    std::istringstream words(value);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  }
  if (kind != 'r' || !archive.contains(name)) return with_lines(value);
  const std::size_t bar = std::min(value.find('|'), value.size());
  const std::string from = with_lines(value.substr(0, bar));
  const auto* old = std::get_if<std::string>(&archive.entries().at(name));
  std::string text = old != nullptr ? *old : "";
  if (const std::size_t at = text.find(from); at != text.npos)
    text.replace(at, from.size(), bar < value.size() ? with_lines(value.substr(bar + 1)) : "");
  return text;
}

// Lines `NAME KIND VALUE`, which change entries of a checkpoint; `-` removes one. The file is
// written as saccade writes it, so that its seal is right.
void read_content(Input bytes) {
  static const Archive whole = load_archive(kSource / "tests/campaign/old/soft.h5");
  std::map<std::string, Archive::Entry> entries = whole.entries();
  std::istringstream lines(text_of(bytes));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, value;
    char kind = 0;
    if (!(words >> name >> kind) || !Archive::bad_name(name).empty()) continue;
    std::getline(words >> std::ws, value);
    if (kind == '-')
      entries.erase(name);
    else
      entries.insert_or_assign(name, edited(whole, name, kind, value));
  }
  const fs::path file = scratch_file("content.h5", {});
  try {
    Archive archive;
    for (auto& [name, entry] : entries) archive.add(name, std::move(entry));
    save_archive(file, archive);
  } catch (const InternalError&) {  // a path that goes through an entry
    return;
  }
  load_model(file);
}

}  // namespace

std::vector<Reader> model_readers() {
  return {
      {.name = "checkpoint_content",
       .read = read_content,
       .seeds =
           [] {
             return texts({"", "config r hidden: 12|hidden: 13\n",
                           "vocabulary w <pad> <bos> <eos> a\n",
                           "config r size: 32|size: 64\ntrained/updates i 3 3\n",
                           "config r mode: beam|mode: sample\ntrained/scores d "
                           "0.5\ntrained/score_names w CIDEr\n",
                           "weights_only -\nstate/update u 3\n", "frozen_grid i 1 2 3\n",
                           "content_version u 2\nconfig s name: x\n",
                           "config r type: lstm|type: gru\nstate/update u 3\n",
                           "parameters/decoder.lstm.bias f 1 2 3\ndata/name -\n"});
           },
       .words = {"config r ",
                 "|",
                 "\\n",
                 "vocabulary w ",
                 "frozen_grid i ",
                 "content_version u ",
                 "parameters/",
                 " f 1",
                 " -\n",
                 "999999999999",
                 "-1",
                 "hidden: ",
                 "type: ",
                 "nan",
                 "encoder_graph s ",
                 "encoder_words w ",
                 "frozen_widths i ",
                 "frozen_given i ",
                 "trained/updates i ",
                 "trained/seconds d ",
                 "weights_only u 1\n"}},
      {.name = "config",
       .read = read_config,
       .seeds = configs,
       .words = {"base: ", "&a ", "*a", "<<: ", "[", "{", "null", "1e999", "-1", "10e", "5000u",
                 " -> 0 over 2e", "!!binary ", "? ", "|\n"}},
      {.name = "feature_table",
       .read = [](Input bytes) { read_features(scratch_file("x.tsv", bytes)); },
       .seeds = [] { return files(kSource / "tests/golden/features/tables", ".tsv"); },
       .words = {"\t", "\r\n", "{\"num_boxes\": ", "\"features\": \"", "=", "99999999999", "-1"}},
      {.name = "feature_arrays",
       .read = read_feature_arrays,
       .seeds =
           [] {
             return texts({"features F32 2 3 5\nids I64 2\nboxes F32 2 3 4\n",
                           "reg_feat F32 2 4 5\nreg_mask U8 2 4\nids I64 2\npooled F32 2 5\n",
                           "features F32 3 5\nboxes F32 3 4\npooled F32 5\n",
                           "features F32 4 5\ntimes F32 4\n", "features F32 2 2 5\n",
                           "a_features F32 3 5\na_boxes F32 3 4\nb_features F32 2 5\n"
                           "b_boxes F32 2 4\na_size F32 2\n",
                           "gri_feat F32 2 4 5\nids I64 2\ntimes F32 2 4\n"});
           },
       .words = {"\n", " F32 ", " U8 ", " I64 ", " 1", " 0", "features", "boxes F32", "times F32",
                 "pooled F32", "reg_mask U8", "ids I64", "a_times", "image_h I64", "image_w I64"}},
      {.name = "feature_list",
       .read =
           [](Input bytes) {
             static const Bytes array =
                 bytes_of_file(kSource / "tests/golden/features/folders/stack/features.npy");
             scratch_file("stack/features.npy", array);
             read_features(scratch_file("stack/ids.json", bytes).parent_path() / "features.npy");
           },
       .seeds =
           [] {
             return std::vector<Bytes>{
                 bytes_of_file(kSource / "tests/golden/features/folders/stack/ids.json")};
           },
       .words = kJson},
      {.name = "model_card",
       .read = [](Input bytes) { read_model_card(scratch_file("card.md", bytes)); },
       .seeds = [] { return files(kSource / "captioning/pretrained", ".md"); },
       .words = {"---\n", "title: ", "scores: [", "&a ", "*a", "\"", "digest: ", "!!binary "}},
      {.name = "word_vectors",
       .read =
           [](Input bytes) {
             read_word_vectors(scratch_file("vectors.txt", bytes),
                               Vocabulary({"<pad>", "<bos>", "<eos>", "<unk>", "a", "dog"}), 0);
           },
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of("a 0.1 0.2 -3e-1\ndog 1 2 3\nthe cat 4 5 6\n"),
                                       bytes_of("2 2\na 1 2\ndog 3 4\n")};
           },
       .words = {"nan", "inf", "1e400", "\n", " ", "\xc3\xa9"}}};
}

}  // namespace saccade::campaign
