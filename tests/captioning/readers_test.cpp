// Readers: each form is read correctly, and each fault is refused with its place.
#include "captioning/data/readers.h"

#include <nlohmann/json.hpp>

#include "captioning/data/reader_support.h"
#include "captioning/model/vocabulary/vocabulary.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/published_data.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

bool has_note(const Dataset& dataset, const std::string& text) {
  for (const std::string& note : dataset.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

std::string karpathy_json(const std::string& filename, const std::string& rest = "") {
  return R"({"dataset":"mini","images":[{"filename":")" + filename +
         R"(","imgid":0,"split":"train","sentences":[{"raw":"A dog. "}]})" + rest + "]}";
}

}  // namespace

TEST_CASE("Karpathy's JSON is read, with notes on what is left out") {
  const test::TempFolder folder("readers");
  const auto file = folder.write("k.json", R"({"dataset":"coco","images":[
    {"filepath":"val2014","filename":"a.jpg","imgid":0,"cocoid":391895,"split":"restval",
     "sentences":[{"raw":"A man\nwith a hat. "},{"raw":" . "},{"tokens":["a","man"]}]},
    {"filename":"b.jpg","imgid":1,"cocoid":7,"split":"test","sentences":[{"raw":"A cat"}]},
    {"filename":"c.jpg","imgid":2,"cocoid":8,"split":"val","sentences":[]}]})");
  const Dataset out = read_karpathy({.annotations = file, .images = "/images"});
  REQUIRE(out.images.size() == 2);
  CHECK(out.name == "coco");
  CHECK(out.images[0].path == "/images/val2014/a.jpg");
  CHECK(out.images[0].number == 391895);
  CHECK(out.images[0].split == Split::kTrain);
  CHECK(out.images[0].captions == std::vector<std::string>{"A man with a hat.", "a man"});
  CHECK(images_of(out, Split::kTest) == std::vector<Index>{1});
  CHECK(caption_count(out, {0, 1}) == 3);
  CHECK(has_note(out, "1 restval image as train"));
  CHECK(has_note(out, "1 caption without a word: of a.jpg"));
  CHECK(has_note(out, "1 image without a caption: c.jpg"));
  // The digest depends on what is read and not on where it is.
  CHECK(read_karpathy({.annotations = file, .images = "/other"}).digest == out.digest);
}

TEST_CASE("readers of training take the ids and names that scoring takes") {
  const test::TempFolder folder("readers");
  const std::string sentence = R"("sentences":[{"raw":"A dog."}]})";
  const auto karpathy = folder.write(
      "k.json", R"({"images":[{"filename":"photos\\a.jpg","split":"train",)" + sentence +
                    R"(,{"filename":"b.jpg","split":"val","cocoid":"77",)" + sentence + "]}");
  const Dataset named = read_karpathy({.annotations = karpathy, .images = "/images"});
  REQUIRE(named.images.size() == 2);
  CHECK(named.images[0].id == "photos/a.jpg");
  CHECK(named.images[0].path == "/images/photos/a.jpg");
  CHECK(named.images[0].number == 0);
  CHECK(named.images[1].number == 77);

  const auto coco = [&](const std::string& id, const std::string& of) {
    return read_coco(
        {.train = folder.write(
             "c.json", R"({"images":[{"id":)" + id + R"(,"file_name":"a.jpg"}],)" +
                           R"("annotations":[{"image_id":)" + of + R"(,"caption":"A dog."}]})"),
         .train_images = "/images"});
  };
  for (const char* id : {"7", "\"7\"", "7.0", "\"007\""})
    for (const char* of : {"7", "\"7\""}) CHECK(coco(id, of).images.at(0).number == 7);
  CHECK_THROWS_WITH(coco("\"a\"", "7"), Contains("images[0].id: expected a whole number; got 'a'"));
  CHECK_THROWS_WITH(coco("7", "[7]"), Contains("annotations[0].image_id: expected an image's"));
}

TEST_CASE("hostile or broken Karpathy JSON is refused with file and place") {
  const test::TempFolder folder("readers");
  const auto read = [&](const std::string& text) {
    return read_karpathy({.annotations = folder.write("k.json", text), .images = "/images"});
  };
  CHECK(read(karpathy_json("a.jpg")).images.size() == 1);
  for (const char* name : {"../../etc/passwd", "/etc/passwd", "a/../../b.jpg", "", "..", "a/",
                           "..\\\\b.jpg", "a\\u0000.jpg"}) {
    INFO(name);
    CHECK_THROWS_AS(read(karpathy_json(name)), DataError);
  }
  CHECK_THROWS_WITH(read(karpathy_json("../x.jpg")), Contains("k.json: images[0].filename"));
  const std::string whole = karpathy_json("a.jpg");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK_THROWS_AS(read(whole.substr(0, cut)), DataError);
  }
  CHECK_THROWS_WITH(read("{\n\"images\": [,]}"), Contains("k.json:2: broken JSON at byte"));
  CHECK_THROWS_WITH(read(R"({"images":[{"filename":5}]})"),
                    Contains("images[0].filename: expected a string, got number"));
  CHECK_THROWS_WITH(read(R"({"images":{}})"), Contains("images: expected an array"));
  CHECK_THROWS_WITH(read("[]"), Contains("an object with 'images' was expected"));
  CHECK_THROWS_WITH(read("{}"), Contains("'images' is missing"));
  CHECK_THROWS_WITH(read(R"({"images":[]})"), Contains("no image with a caption"));
  CHECK_THROWS_WITH(read(karpathy_json("a.jpg", R"(,{"filename":"a.jpg","imgid":1,"split":"val",)"
                                                R"("sentences":[{"raw":"x"}]})")),
                    Contains("'a.jpg' is there twice"));
  CHECK_THROWS_WITH(read(R"({"images":[{"filename":"a","imgid":1.5,"split":"val"}]})"),
                    Contains("images[0].imgid: expected an integer"));
  CHECK_THROWS_WITH(read(R"({"images":[{"filename":"a","imgid":1,"split":"eval"}]})"),
                    Contains("unknown split 'eval'"));
  CHECK_THROWS_AS(read(std::string(200000, '[')), DataError);
  CHECK_THROWS_AS(read("{\"images\": \"\xFF\"}"), DataError);
  CHECK_THROWS_WITH(read_karpathy({.annotations = folder.path() / "none.json", .images = ""}),
                    Contains("no such file"));
  CHECK_THROWS_WITH(read_karpathy({.annotations = folder.path(), .images = ""}),
                    Contains("is a folder"));
}

TEST_CASE("Flickr8k's text files are read, with notes on what is left out") {
  const test::TempFolder folder("readers");
  folder.write("Flickr_8k.trainImages.txt", "a#1.jpg\r\nb.jpg\n");
  folder.write("Flickr_8k.devImages.txt", "c.jpg\nmissing.jpg\n");
  const auto tokens = folder.write("t.txt",
                                   "a#1.jpg#0\tA dog # 1 .\n"
                                   "a#1.jpg#1\t\tTwo tabs .\r\n"
                                   "b.jpg#0\tA cat\n"
                                   "b.jpg#1\t . \n"
                                   "d.jpg.1#0\tBogus\n"
                                   "c.jpg#0\tA tab\tinside\n"
                                   "z.jpg#0\tIn no split\n");
  const Flickr8kFiles files = {.tokens = tokens, .splits = folder.path(), .images = "/images"};
  const Dataset out = read_flickr8k(files);
  REQUIRE(out.images.size() == 3);
  CHECK(out.images[0].id == "a#1.jpg");
  CHECK(out.images[0].captions == std::vector<std::string>{"A dog # 1 .", "Two tabs ."});
  CHECK(out.images[1].captions == std::vector<std::string>{"A cat"});
  CHECK(out.images[2].split == Split::kVal);
  CHECK(out.images[2].captions == std::vector<std::string>{"A tab inside"});
  CHECK(has_note(out, "lines whose name is not of an image file: line 5: 'd.jpg.1'"));
  CHECK(has_note(out, "1 image that is in no split"));
  CHECK(has_note(out, "1 listed image without a caption"));
  CHECK(has_note(out, "no test split"));

  const auto refuse = [&](const std::string& text, const std::string& message) {
    folder.write("t.txt", text);
    CHECK_THROWS_WITH(read_flickr8k(files), Contains(message));
  };
  refuse("b.jpg#0\tA\nno tab here\n", "t.txt:2: expected <image>#<number> TAB");
  refuse("b.jpg\tA\n", "t.txt:1: expected");
  refuse("b.jpg#x\tA\n", "t.txt:1: expected a number");
  refuse("b.jpg#0\tA\n\nb.jpg#0\tB\n", "t.txt:3: 'b.jpg#0' was there in line 1");
  refuse("../b.jpg#0\tA\n", "t.txt:1: '../b.jpg'");
  refuse("b.jpg#0\tA \xFF\n", "t.txt:1: not valid UTF-8");
  refuse("", "no image with a caption");
  folder.write("Flickr_8k.devImages.txt", "b.jpg\n");
  refuse("b.jpg#0\tA\n", "devImages.txt:1: 'b.jpg' was listed before");
}

TEST_CASE("the caption files of COCO are read") {
  const test::TempFolder folder("readers");
  const auto train = folder.write(
      "train.json", R"({"images":[{"id":9,"file_name":"9.jpg"},{"id":4,"file_name":"4.jpg"}],
      "annotations":[{"id":1,"image_id":4,"caption":"A bus\n on a street  "},
                     {"id":2,"image_id":4,"caption":"A bus"},{"id":3,"image_id":9,"caption":"x"}]})");
  const auto val = folder.write("val.json", R"({"images":[{"id":5,"file_name":"5.jpg"}],
      "annotations":[{"image_id":5,"caption":"A cat"}]})");
  const Dataset out =
      read_coco({.train = train, .train_images = "/t", .val = val, .val_images = "/v"});
  REQUIRE(out.images.size() == 3);
  CHECK(out.images[1].captions == std::vector<std::string>{"A bus on a street", "A bus"});
  CHECK(out.images[2].path == "/v/5.jpg");
  CHECK(out.images[2].split == Split::kVal);
  CHECK(read_coco({.train = train, .train_images = "/t"}).images.size() == 2);

  const auto refuse = [&](const std::string& text, const std::string& message) {
    const auto file = folder.write("bad.json", text);
    CHECK_THROWS_WITH(read_coco({.train = file, .train_images = "/t"}), Contains(message));
  };
  refuse(R"({"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":2,"caption":"x"}]})",
         "no image with a caption in it; left out 1 caption of images that bad.json does not list");
  refuse(R"({"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"bbox":[]}]})",
         "instances file");
  refuse(R"({"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}],"annotations":[]})",
         "image id 1 is there twice");
  refuse(R"({"images":[{"id":1,"file_name":"../a"}],"annotations":[]})", "images[0].file_name");
  refuse(R"({"images":[{"id":99999999999999999999,"file_name":"a"}]})", "expected an integer");
  refuse(R"({"images":[{"id":1,"file_name":"a"}],"annotations":[]})", "no image with a caption");
  const auto copy = folder.write("copy.json", read_text(train, "captions"));
  CHECK_THROWS_WITH(
      read_coco({.train = train, .train_images = "/t", .val = copy, .val_images = "/t"}),
      Contains("copy.json: '9.jpg' is also in ") && Contains("train.json, and both are /t/9.jpg"));

  // Two files that count their own photos: equal ids, equal names, or both, in other folders.
  struct Own {
    const char* image;
    bool equal_names, equal_ids;
  };
  for (const Own& own : {Own{R"({"id":4,"file_name":"4.jpg"})", true, true},
                         Own{R"({"id":9,"file_name":"x.jpg"})", false, true},
                         Own{R"({"id":5,"file_name":"9.jpg"})", true, false},
                         Own{R"({"id":5,"file_name":"x.jpg"})", false, false}}) {
    INFO(own.image);
    const std::string image(own.image), id = image.substr(6, 1);
    folder.write("val.json", str(R"({"images":[)", image, R"(],"annotations":[{"image_id":)", id,
                                 R"(,"caption":"A cat"}]})"));
    const Dataset both =
        read_coco({.train = train, .train_images = "/t", .val = val, .val_images = "/v"});
    REQUIRE(both.images.size() == 3);
    const std::string name = image.substr(image.size() - 7, 5);
    CHECK(both.images[2].id == (own.equal_names ? "val/" : "") + name);
    CHECK(both.images[2].path == "/v/" + name);
    CHECK(both.images[2].captions == std::vector<std::string>{"A cat"});
    CHECK(std::to_string(both.images[2].number) == id);
    CHECK(both.images[0].id == (own.equal_names ? "train/9.jpg" : "9.jpg"));
    CHECK(both.images[0].path == "/t/9.jpg");
    CHECK(both.numbers_are_places == own.equal_ids);
  }
}

TEST_CASE("a folder with captions.csv is read") {
  const test::TempFolder folder("readers");
  folder.write("captions.csv",
               "\xEF\xBB\xBFimage,caption,split\na.jpg,\"A dog, wet\",train\nb.jpg,A cat,val\n"
               "a.jpg,A dog,train\na.jpg,A dog,train\n");
  const Dataset out = read_folder({.images = folder.path(), .captions = {}});
  REQUIRE(out.images.size() == 2);
  CHECK(out.images[0].captions == std::vector<std::string>{"A dog, wet", "A dog"});
  CHECK(out.images[1].split == Split::kVal);
  CHECK(out.images[1].path == (folder.path() / "b.jpg").string());
  CHECK(has_note(out, "1 repeated caption"));

  const auto refuse = [&](const std::string& text, const std::string& message) {
    folder.write("captions.csv", text);
    CHECK_THROWS_WITH(read_folder({.images = folder.path(), .captions = {}}), Contains(message));
  };
  refuse("", "is empty");
  refuse("7,A dog\n", "captions.csv:1: the first line must name");
  refuse("image,caption\na.jpg,A dog\nM\xFCller.jpg,A cat\n", "captions.csv:3: not valid UTF-8");
  refuse("image,caption\na.jpg,A dog, wet\n", "captions.csv:2: 3 fields, the header has 2");
  refuse("image,caption\n../a.jpg,A dog\n", "captions.csv:2: '../a.jpg'");
  refuse("image,caption\na.jpg,\xFF\n", "captions.csv:2: not valid UTF-8");
  refuse("image,caption,split\na.jpg,x,eval\n", "unknown split 'eval'");
  refuse("image,caption,split\na.jpg,x,val\na.jpg,y,train\n", "is in val and in train");
  refuse("image,caption,image\na.jpg,x,y\n", "could both hold the image");
  refuse("image,caption\n", "no image with a caption");
}

TEST_CASE("an image has one name, however its path is written") {
  const test::TempFolder folder("readers");
  folder.write("captions.csv",
               "image,caption\n./a.jpg,A dog\na.jpg,A wet dog\nb//c.jpg,A cat\n./b/c.jpg,A cat\n");
  const Dataset out = read_folder({.images = folder.path(), .captions = {}});
  REQUIRE(out.images.size() == 2);
  CHECK(out.images[0].id == "a.jpg");
  CHECK(out.images[0].captions == std::vector<std::string>{"A dog", "A wet dog"});
  CHECK(out.images[1].id == "b/c.jpg");
  CHECK(has_note(out, "1 repeated caption"));
  const auto coco = folder.write("coco.json",
                                 R"({"images":[{"id":1,"file_name":"./a.jpg"},
      {"id":2,"file_name":"a.jpg"}],"annotations":[{"image_id":1,"caption":"x"},
      {"image_id":2,"caption":"y"}]})");
  CHECK_THROWS_WITH(read_coco({.train = coco, .train_images = "/t"}),
                    Contains("'a.jpg' is there twice"));
}

TEST_CASE("where all captions are empty, the message says so") {
  const test::TempFolder folder("readers");
  folder.write("captions.csv", "image,caption\na.jpg,\nb.jpg, .\n");
  CHECK_THROWS_WITH(read_folder({.images = folder.path(), .captions = {}}),
                    Contains("no image with a caption") &&
                        Contains("of 2 captions, none has a letter or a digit"));
  CHECK_THROWS_WITH(Vocabulary::count({}, 1), Contains("no training caption"));
  const std::vector<std::vector<std::string>> empty(3);
  CHECK_THROWS_WITH(Vocabulary::count(empty, 1),
                    Contains("3 training captions have no word; are the sentences empty?"));
}

TEST_CASE("a token file without split lists is all for training") {
  const test::TempFolder folder("readers");
  const auto tokens = folder.write("t.txt", "a.jpg#0\tA dog\nb.JPG#0\tA cat\nc.webp#0\tA cow\n");
  const Dataset out = read_flickr8k({.tokens = tokens, .splits = {}, .images = "/i"});
  CHECK(images_of(out, Split::kTrain) == std::vector<Index>{0, 1, 2});
  CHECK(out.notes.empty());
}

TEST_CASE("captions are one line without control characters") {
  CHECK(clean_caption("  a\n\tb\x1b[31m c\xE2\x80\xA8"
                      "d\x7f ") == "a b [31m c d");
}

TEST_CASE("the digest of a data set depends on every caption") {
  Dataset dataset;
  dataset.name = "x";
  dataset.images = {{.id = "a", .number = 1, .path = "", .captions = {"ab", "c"}}};
  const std::string first = dataset_digest(dataset);
  CHECK(first.size() == 32);
  dataset.images[0].captions = {"a", "bc"};
  CHECK(dataset_digest(dataset) != first);
  dataset.images[0].captions = {"ab", "c"};
  CHECK(dataset_digest(dataset) == first);
  dataset.images[0].split = Split::kVal;
  CHECK(dataset_digest(dataset) != first);
  CHECK(parse_split("Dev") == Split::kVal);
  CHECK_THROWS_AS(parse_split("eval"), UsageError);
  CHECK(parse_split("test") == Split::kTest);
}

// Readers and tokenizer on published data. Skipped unless SACCADE_DATA names its folder.
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
  const nlohmann::json published = test::read_json(folder / "dataset_flickr8k_trainval.json");
  for (const auto& image : published.at("images")) {
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
