// Lists of images with captions, in the forms that people have: one list in all of them gives one
// data set, and what could be read in two ways is a question.
#include "captioning/data/caption_rows.h"

#include "captioning/data/readers.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

struct NamedText {
  const char* name;
  std::string text;
};

// Two captions of a.jpg and one of b/c.png, in every form.
const std::vector<NamedText>& forms() {
  static const std::vector<NamedText> all = {
      {"plain.csv", "image,caption\na.jpg,\"A dog, wet\"\na.jpg,A dog\nb/c.png,A cat\n"},
      {"metadata.csv",
       "\xEF\xBB\xBF"
       "file_name,text\r\na.jpg,\"A dog, wet\"\r\na.jpg,A dog\r\nb/c.png,A cat\r\n"},
      {"index.csv",
       ",width,title,filename\n0,8,\"A dog, wet\",a.jpg\n1,8,A dog,a.jpg\n"
       "2,8,A cat,b/c.png\n"},
      {"semicolons.csv", "image;caption\na.jpg;A dog, wet\na.jpg;\"A dog\"\nb/c.png;A cat"},
      {"kaggle.csv",
       "image_name| comment_number| comment\na.jpg| 0| A dog, wet\n"
       "a.jpg| 1   A dog\nb/c.png| 0| A cat\n"},
      {"excel.csv", "sep=;\r\nimage;caption\r\na.jpg;A dog, wet\r\na.jpg;A dog\r\nb/c.png;A cat"},
      {"bare.csv", "a.jpg,\"A dog, wet\"\na.jpg,A dog\nb/c.png,A cat\n"},
      {"bare.tsv", "a.jpg\tA dog, wet\na.jpg\tA dog\nb/c.png\tA cat\n"},
      {"colons.txt", "a.jpg: A dog, wet\na.jpg: A dog\nb/c.png: A cat\n"},
      {"arrows.txt", "a.jpg -> A dog, wet\na.jpg -> A dog\nb/c.png -> A cat\n"},
      {"quotes.txt", "\"a.jpg\": A dog, wet\n\"a.jpg\": A dog\n\"b/c.png\": A cat\n"},
      {"tabs.tsv", "Image Name\tDescription\na.jpg\tA dog, wet\na.jpg\tA dog\nb/c.png\tA cat\n"},
      {"numbered.csv",
       "file_name,caption_1,caption_2\na.jpg,\"A dog, wet\",A dog\nb/c.png,A cat,\n"},
      {"field.csv",
       "filename,raw\na.jpg,\"[\"\"A dog, wet\"\", \"\"A dog\"\"]\"\nb/c.png,\"[\"\"A "
       "cat\"\"]\"\n"},
      {"blip.json", R"([{"image": "a.jpg", "caption": "A dog, wet", "image_id": "x_1"},
        {"image": "a.jpg", "caption": "A dog", "image_id": 1}, {"image": "b/c.png", "caption": "A cat"}])"},
      {"blip_val.json", R"([{"image": "a.jpg", "caption": ["A dog, wet", "A dog"]},
        {"caption": ["A cat"], "image": "./b/c.png"}])"},
      {"metadata.jsonl", R"({"file_name": "a.jpg", "text": "A dog, wet"}
{"file_name": "a.jpg", "text": "A dog"}

{"text": "A cat", "file_name": "b/c.png", "width": 3}
)"},
      {"names.json", R"({"a.jpg": ["A dog, wet", "A dog"], "b/c.png": "A cat"})"},
      {"head.json", R"({"info": {"year": 2024}, "annotations": [
        {"image_id": "a.jpg", "caption": "A dog, wet"}, {"image_id": "a.jpg", "caption": "A dog"},
        {"image_id": "b/c.png", "caption": "A cat"}]})"},
      {"sentences.json", R"({"images": [{"filename": "a.jpg", "sentences":
        [{"raw": "A dog, wet"}, {"raw": "A dog"}]}, {"filename": "b/c.png", "sentences": ["A cat"]}]})"},
  };
  return all;
}

}  // namespace

TEST_CASE("one list of captions is one data set in every form") {
  const test::TempFolder folder("caption-rows");
  std::string digest;
  for (const auto& [name, text] : forms()) {
    INFO(name);
    const Dataset out = read_folder({.images = "/photos", .captions = folder.write(name, text)});
    REQUIRE(out.images.size() == 2);
    CHECK(out.images[0].captions == std::vector<std::string>{"A dog, wet", "A dog"});
    CHECK(out.images[1].captions == std::vector<std::string>{"A cat"});
    CHECK(out.images[1].path == "/photos/b/c.png");
    if (digest.empty()) digest = out.digest;
    CHECK(out.digest == digest);
  }
  const Dataset kaggle =
      read_folder({.images = "/photos", .captions = folder.path() / "kaggle.csv"});
  REQUIRE(kaggle.notes.size() == 1);
  CHECK_THAT(kaggle.notes[0], Contains("a bar is missing") && Contains("line 3"));
  // Without a name the usual ones are found.
  CHECK(captions_beside(folder.path()).filename() == "metadata.csv");
  CHECK(read_folder({.images = folder.path(), .captions = {}}).digest == digest);
}

TEST_CASE("splits have many names") {
  const test::TempFolder folder("caption-rows");
  const std::vector<std::vector<const char*>> words = {
      {"train", "training", "Train", "TRN", "restval"},
      {"val", "valid", "validation", "dev", " Dev "},
      {"test", "testing", "TEST"}};
  for (std::size_t split = 0; split < words.size(); ++split)
    for (const std::string word : words[split]) {
      INFO(word);
      const auto csv = folder.write("a.csv", "image,caption,split\na.jpg,x," + word + "\n");
      const auto json = folder.write(
          "a.json", R"([{"image": "a.jpg", "caption": "x", "split": ")" + word + R"("}])");
      const auto karpathy =
          folder.write("k.json", R"({"images": [{"filename": "a.jpg", "imgid": 0, "split": ")" +
                                     word + R"(", "sentences": [{"raw": "x"}]}]})");
      for (const Dataset& out : {read_folder({.images = "/i", .captions = csv}),
                                 read_folder({.images = "/i", .captions = json}),
                                 read_karpathy({.annotations = karpathy, .images = "/i"})})
        CHECK(out.images[0].split == static_cast<Split>(split));
    }
  CHECK_THROWS_WITH(read_folder({.images = "/i",
                                 .captions = folder.write("a.csv",
                                                          "image,caption,split\n"
                                                          "a.jpg,x,eval\n")}),
                    Contains("a.csv:2: unknown split 'eval'; expected train, val or test"));
}

TEST_CASE("lists that are something else, or two things, are refused with what to do") {
  const test::TempFolder folder("caption-rows");
  const auto refuse = [&](const std::string& text, const std::string& message) {
    INFO(text);
    CHECK_THROWS_WITH(read_caption_rows(folder.write("x", text)), Contains(message));
  };
  refuse("image,text,title\na.jpg,x,y\n", "x:1: 'text' and 'title' could both hold the caption");
  refuse("image_id,caption\n17,x\n", "x:2: says which image by an id, '17'");
  refuse(R"([{"image_id": 17, "caption": "x"}])", "says which image by an id, '17'");
  refuse(R"([{"image": "a.jpg"}])", "[0]: expected an object with the keys image");
  refuse(R"([{"image": "a.jpg", "caption": 7}])", "[0].caption: expected a string");
  refuse(R"({"images": [], "annotations": []})", "set data.type=coco");
  refuse(R"({"images": [{"filename": "a", "split": "val", "sentences": []}]})",
         "set data.type=karpathy");
  refuse("a.jpg#0\tA dog\n", "set data.type=flickr8k");
  refuse("7,A dog\n", "x:1: the first line must name the columns image");
  refuse("a.jpg: A dog\nA cat\n", "x:1: the first line must name the columns image");
  refuse(R"({"a": [{"image": "a.jpg", "caption": "x"}], "b": [{"image": "a.jpg", "text": "x"}]})",
         "has several lists, a and b");
  refuse("image,caption\na.jpg,\"['A dog', 'A cat']\"\n",
         "x:2: a list of captions that is no JSON");
  refuse("{\"image\": \"a.jpg\", \"caption\": \"x\"}\n{\"image\": }\n", "x:2:1: broken JSON");
  // However deep lists lie within lists, which recursion could not follow.
  for (const int depth : {6, 1000, 300000})
    refuse(R"([{"image": "a.jpg", "caption": )" + std::string(depth, '[') + "\"x\"" +
               std::string(depth, ']') + "}]",
           "lists within lists");
  refuse("image;caption\na.jpg;x;y\n", "a caption with a semicolon must be quoted");
  refuse("image,caption\na.jpg\n", "x:2: 1 fields, the header has 2");
  const auto list = folder.write("list.json", R"([{"image": "a.jpg", "caption": "x"}])");
  CHECK_THROWS_WITH(read_coco({.train = list, .train_images = "/i"}),
                    Contains("data.type=folder reads lists"));
  CHECK_THROWS_WITH(read_karpathy({.annotations = list, .images = "/i"}),
                    Contains("data.type=folder reads lists"));
  CHECK(read_folder({.images = "/i", .captions = list}).images.size() == 1);  // it does
}

TEST_CASE("what a reader left out is said, also where nothing is left") {
  const test::TempFolder folder("caption-rows");
  const Dataset some = read_folder(
      {.images = "/i",
       .captions = folder.write("a.csv", "image,caption\na.jpg,.\nb.jpg,x\nb.jpg,x\nb.jpg,\n")});
  REQUIRE(some.notes.size() == 3);
  CHECK_THAT(some.notes[0], Contains("1 repeated caption: of b.jpg"));
  CHECK_THAT(some.notes[1], Contains("2 captions without a word: of a.jpg, b.jpg"));
  CHECK_THAT(some.notes[2], Contains("1 image without a caption: a.jpg"));
  CHECK_THROWS_WITH(
      read_flickr8k({.tokens = folder.write("t.txt", "1.jpg#en#0\tA red field .\n"),
                     .splits = {},
                     .images = "/i"}),
      Contains("no image with a caption in it; dropped lines whose name is not of an image file: "
               "line 1: '1.jpg#en'"));
  const Dataset endless =
      read_folder({.images = "/i",
                   .captions = folder.write(
                       "e.csv", "image,caption\na.jpg,a " + std::string(1 << 20, 'x') +
                                    "\na.jpg,a dog\nb.jpg," + std::string(1500, 'x') + "\n")});
  CHECK(endless.images.size() == 2);
  CHECK_THAT(endless.notes.at(0), Contains("a word of more than 2000 bytes") && Contains("a.jpg"));
  // Captions of images that a file does not list are passed over, as pycocotools does.
  const auto coco = folder.write("c.json", R"({"images": [{"id": 1, "file_name": "1.jpg"}],
    "annotations": [{"image_id": 1, "caption": "x"}, {"image_id": 6, "caption": "y"}]})");
  const Dataset listed = read_coco({.train = coco, .train_images = "/i"});
  CHECK(listed.images.size() == 1);
  CHECK_THAT(listed.notes.at(0), Contains("left out 1 caption of images that c.json does not list: "
                                          "annotations[1] of image 6"));
  // One file for both is read once.
  const Dataset twice =
      read_coco({.train = coco, .train_images = "/i", .val = coco, .val_images = "/i"});
  CHECK(twice.images.size() == 1);
  CHECK_THAT(twice.notes.at(1), Contains("is the file of data.annotations, which is read once"));
}

}  // namespace saccade
