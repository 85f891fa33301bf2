// Readers and tokenizer on published data. Skipped unless SACCADE_DATA names its folder.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "captioning/data/readers.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

Dataset karpathy_flickr(const fs::path& folder) {
  return read_karpathy(
      {.annotations = folder / "dataset_flickr8k_trainval.json", .images = folder / "images"});
}

}  // namespace

TEST_CASE("Flickr8k: Karpathy's file and the text files give the same data set") {
  const fs::path folder = test::data_folder("flickr8k");
  if (folder.empty()) return;
  const Dataset karpathy = karpathy_flickr(folder);
  const Dataset text = read_flickr8k({.tokens = folder / "Flickr8k.token.trainval.txt",
                                      .splits = folder,
                                      .images = folder / "images"});
  for (const Dataset* dataset : {&karpathy, &text}) {
    CHECK(images_of(*dataset, Split::kTrain).size() == 6000);
    CHECK(images_of(*dataset, Split::kVal).size() == 1000);
    CHECK(caption_count(*dataset, images_of(*dataset, Split::kTrain)) == 30000);
    CHECK(caption_count(*dataset, images_of(*dataset, Split::kVal)) == 5000);
  }
  const auto by_id = [](const Dataset& dataset) {
    std::vector<CaptionedImage> images = dataset.images;
    std::sort(images.begin(), images.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    return images;
  };
  const auto a = by_id(karpathy), b = by_id(text);
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i].id == b[i].id && a[i].split == b[i].split && a[i].path == b[i].path &&
                      a[i].captions == b[i].captions;
    different += same ? 0U : 1U;
    REQUIRE(fs::exists(a[i].path));
  }
  CHECK(different == 0);
}

TEST_CASE("Flickr8k: our words are Karpathy's tokens, and 2,535 of them occur five times") {
  const fs::path folder = test::data_folder("flickr8k");
  if (folder.empty()) return;
  const Dataset dataset = karpathy_flickr(folder);
  std::vector<Words> train;
  for (const Index i : images_of(dataset, Split::kTrain)) {
    for (const auto& caption : dataset.images[static_cast<std::size_t>(i)].captions) {
      train.push_back(tokenize(caption));
    }
  }
  CHECK(Vocabulary::count(train, 5).size() == 2535 + Vocabulary::kSpecials);
  std::size_t different = 0;
  for (const auto& image : test::read_json(folder / "dataset_flickr8k_trainval.json")["images"]) {
    for (const auto& sentence : image["sentences"]) {
      different += tokenize(sentence["raw"].get<std::string>()) != sentence["tokens"] ? 1U : 0U;
    }
  }
  CHECK(different == 0);
}

TEST_CASE("COCO files are read completely") {
  const fs::path mini = test::data_folder("coco-mini"),
                 captions = test::data_folder("coco-captions");
  if (mini.empty() || captions.empty()) return;
  const Dataset both = read_coco({.train = mini / "captions_train2017.json",
                                  .train_images = mini / "train2017",
                                  .val = captions / "captions_val2017_subset.json",
                                  .val_images = "val2017"});
  CHECK(images_of(both, Split::kTrain).size() == 80);
  CHECK(images_of(both, Split::kVal).size() == 4841);
  CHECK(caption_count(both, images_of(both, Split::kTrain)) == 400);
  CHECK(caption_count(both, images_of(both, Split::kVal)) == 24219);
  CHECK(fs::exists(both.images[0].path));
}

}  // namespace saccade
