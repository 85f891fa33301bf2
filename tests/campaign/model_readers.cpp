// Readers of what decides a model: configs, word vectors, tables of features.
#include <algorithm>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/check_config.h"
#include "captioning/learning/runs/model_card.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "core/base/error.h"
#include "core/config/config.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"
#include "vision/encoders/features/feature_source.h"

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

}  // namespace

std::vector<Reader> model_readers() {
  return {
      {.name = "config",
       .read = read_config,
       .seeds = configs,
       .words = {"base: ", "&a ", "*a", "<<: ", "[", "{", "null", "1e999", "-1", "10e", "5000u",
                 " -> 0 over 2e", "!!binary ", "? ", "|\n"}},
      {.name = "feature_table",
       .read = [](Input bytes) { read_features(scratch_file("x.tsv", bytes)); },
       .seeds = [] { return files(kSource / "tests/golden/features/tables", ".tsv"); },
       .words = {"\t", "\r\n", "{\"num_boxes\": ", "\"features\": \"", "=", "99999999999", "-1"}},
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
