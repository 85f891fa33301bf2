// Boxes of photos: nouns and their categories, files of COCO and of Flickr30k Entities, broken
// files.
#include <array>

#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/grounding/category_words.h"
#include "captioning/study/grounding/noun_boxes.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::photo_boxes_test {
namespace {

const std::vector<std::string> kCategories = {
    "person",  "dog",    "cat",        "bear", "teddy bear", "train",  "hot dog",
    "bicycle", "toilet", "motorcycle", "skis", "couch",      "quokka", "mouse"};

// "dog@2 person@5"
std::string mentions(const std::string& caption) {
  static const CategoryWords words(kCategories);
  std::string out;
  for (const CategoryWords::Mention& mention : words.mentions(tokenize(caption)))
    for (const std::size_t category : mention.categories)
      out += (out.empty() ? "" : " ") + kCategories[category] + "@" + std::to_string(mention.word);
  return out;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

Dataset photos(const std::string& name = "folder") {
  Dataset out{.name = name, .images = {}, .digest = "", .notes = {}};
  out.images.push_back({.id = "a.jpg", .number = 11, .path = "", .captions = {"x"}});
  out.images.push_back({.id = "b.jpg", .number = 22, .path = "", .captions = {"x"}});
  return out;
}
const std::vector<Index> kBoth = {0, 1};

constexpr const char* kInstances = R"({
 "images": [{"id": 5, "file_name": "COCO_val2014_a.jpg", "width": 200, "height": 100},
            {"id": 6, "file_name": "other.jpg", "width": 10, "height": 10}],
 "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}],
 "annotations": [
  {"image_id": 5, "category_id": 18, "bbox": [10, 20, 30, 40], "iscrowd": 0},
  {"image_id": 5, "category_id": 18, "bbox": [100, 20, 50, 50], "iscrowd": 1},
  {"image_id": 6, "category_id": 1, "bbox": [0, 0, 5, 5]}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("boxes in another form than pixels with sizes are refused") {
  const TempFolder folder("other-boxes");
  const auto read = [&](const std::function<std::array<double, 4>(double)>& box) {
    std::string annotations;
    for (int i = 0; i < 20; ++i) {
      const auto [a, b, c, d] = box(i);
      annotations += str(i == 0 ? "" : ",", R"({"image_id": 5, "category_id": 18, "bbox": [)", a,
                         ",", b, ",", c, ",", d, "]}");
    }
    const auto file = folder.path() / "boxes.json";
    write(file, R"({"images": [{"id": 5, "file_name": "a.jpg", "width": 200, "height": 100}],
                    "categories": [{"id": 18, "name": "dog"}], "annotations": [)" +
                    annotations + "]}");
    return read_photo_boxes(file, photos(), kBoth);
  };
  using Box = std::array<double, 4>;
  CHECK(read([](double i) { return Box{9 * i, 50, 20, 51.5}; })->knows(0));
  CHECK(read([](double i) { return Box{9 * i, 50, i > 18 ? 40.0 : 20.0, 40}; })->knows(0));
  CHECK_THROWS_WITH(read([](double i) {
                      return Box{9 * i, 50, 9 * i + 20, 90};
                    }),
                    Catch::Contains("boxes.json: 20 of 20 boxes reach out of their pictures") &&
                        Catch::Contains("[x, y, width, height]"));
  CHECK_THROWS_WITH(read([](double i) {
                      return Box{i / 40, .5, .25, .5};
                    }),
                    Catch::Contains("all 20 boxes end within the first pixel"));
}

TEST_CASE("nouns are matched to categories by stem and synonym, and the longest name wins") {
  CHECK(mentions("two puppies and a man") == "dog@1 person@4");
  CHECK(mentions("women with dogs") == "person@0 dog@2");
  CHECK(mentions("a hot dog next to a dog") == "hot dog@2 dog@6");
  CHECK(mentions("teddy bears") == "teddy bear@1");
  CHECK(mentions("a bike") == "bicycle@1 motorcycle@1");
  CHECK(mentions("mice on a sofa") == "mouse@0 couch@3");
  CHECK(mentions("some quokkas") == "quokka@1");
  CHECK(mentions("a couple of cats") == "cat@3");
  CHECK(mentions("a couple at the train station") == "person@1");
  // WordNet has a sense of a category for each of these words, but none of them means it.
  CHECK(mentions("standing and holding what has tracks in a bathroom").empty());
  CHECK(mentions("a skier skiing") == "person@1");
  CHECK(mentions("").empty());
}

TEST_CASE("COCO instances give the boxes of the categories that a caption names") {
  const TempFolder folder("photo-boxes");
  const std::filesystem::path file = folder.path() / "instances.json";
  write(file, kInstances);
  const auto boxes = read_photo_boxes(file, photos(), kBoth);
  CHECK(boxes->knows(0));
  CHECK_FALSE(boxes->knows(1));
  // Half as wide and as high as what was annotated. Crowds count.
  const auto nouns = boxes->nouns(0, tokenize("a puppy and a man"), {.height = 50, .width = 100});
  REQUIRE(nouns.size() == 2);
  CHECK(nouns[0].word == 1);
  REQUIRE(nouns[0].boxes.size() == 2);
  CHECK(nouns[0].boxes[0].x == 5);
  CHECK(nouns[0].boxes[0].y == 10);
  CHECK(nouns[0].boxes[0].width == 15);
  CHECK(nouns[0].boxes[0].height == 20);
  CHECK(nouns[1].boxes.empty());  // no person is in the picture
  CHECK(boxes->nouns(1, tokenize("a puppy"), {50, 100}).empty());

  // Photos of several folders may have one name, which then needs its folder.
  Dataset folders = photos("coco");
  folders.images[0].id = "train/a.jpg";
  folders.images[1].id = "val/a.jpg";
  for (const char* name : {"train/a.jpg", "val/a.jpg", "a.jpg", "test/a.jpg"}) {
    INFO(name);
    write(file, replaced(kInstances, "COCO_val2014_a.jpg", name));
    const auto known = [&](Index image) {
      try {
        return read_photo_boxes(file, folders, std::vector<Index>{image})->knows(image);
      } catch (const DataError&) {
        return false;
      }
    };
    CHECK(known(0) == (std::string_view(name) == "train/a.jpg"));
    CHECK(known(1) == (std::string_view(name) == "val/a.jpg"));
  }

  // Ids are those of COCO's images only in data sets that are COCO's.
  const std::string by_id = replaced(replaced(kInstances, "\"id\": 6", "\"id\": 22"),
                                     "\"image_id\": 6", "\"image_id\": 22");
  write(file, by_id);
  CHECK(read_photo_boxes(file, photos("coco"), kBoth)->knows(1));
  CHECK_FALSE(read_photo_boxes(file, photos(), kBoth)->knows(1));
  Dataset own = photos("coco");
  own.numbers_are_places = true;
  CHECK_FALSE(read_photo_boxes(file, own, kBoth)->knows(1));
}

TEST_CASE("broken instances are refused with file, place and remedy") {
  const TempFolder folder("photo-boxes");
  const std::filesystem::path file = folder.path() / "instances.json";
  struct Broken {
    std::string from, to, message;
  };
  const std::vector<Broken> cases = {
      {"[10, 20, 30, 40]", "[10, 20, 30]", "annotations[0].bbox: a box is [x, y, width, height]"},
      {"[10, 20, 30, 40]", "[10, 20, -3, 40]", "neither size negative; got 10, 20, -3, 40"},
      {"\"bbox\": [10, 20, 30, 40]", "\"caption\": \"x\"", "use instances_*.json"},
      {"\"category_id\": 18", "\"category_id\": 7",
       "annotations[0]: category_id 7 is not a category"},
      {"\"image_id\": 5", "\"image_id\": 9", "annotations[0]: image_id 9 is not an image"},
      {"\"categories\"", "\"kinds\"", "'categories' is missing; is this the captions file?"},
      {"\"width\": 200", "\"width\": 0", "images[0].width: must be positive; got 0"},
      {"\"id\": 18", "\"id\": 1", "categories[1]: category id 1 is there twice"},
      {"COCO_val2014_a", "z", "knows none of the 2 images, which are called like a.jpg"},
      {"[{\"id\": 5", "[{\"id\" 5", "broken JSON"},
  };
  for (const Broken& broken : cases) {
    write(file, replaced(kInstances, broken.from, broken.to));
    const std::string message =
        message_of<DataError>([&] { read_photo_boxes(file, photos(), kBoth); });
    INFO(message);
    CHECK(message.starts_with(file.string() + ":"));
    CHECK(message.find(broken.message) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(message_of<DataError>([&] {
          read_photo_boxes(folder.path() / "none", photos(), kBoth);
        }).find("no such file or folder; boxes are") != std::string::npos);
}

namespace {

constexpr const char* kAnnotation = R"(<annotation>
 <filename>a.jpg</filename>
 <size><width>200</width><height>100</height><depth>3</depth></size>
 <object><name>1</name><name>4</name>
  <bndbox><xmin>11</xmin><ymin>21</ymin><xmax>40</xmax><ymax>60</ymax></bndbox></object>
 <object><name>1</name>
  <bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>10</ymax></bndbox></object>
 <object><name>2</name><scene>1</scene><nobndbox>0</nobndbox></object>
 <object><name>3</name>
  <bndbox><xmin>101</xmin><ymin>1</ymin><xmax>200</xmax><ymax>100</ymax></bndbox></object>
</annotation>
)";
constexpr const char* kSentences =
    "[/EN#1/people Two young , White males] sit on [/EN#3/other a gray couch] in "
    "[/EN#2/scene the park] .\n"
    "[/EN#4/people A man in blue] with [/EN#0/notvisual a friend] .\n";

class Entities {
 public:
  Entities() { write_both(kAnnotation, kSentences); }
  void write_both(const std::string& annotation, const std::string& sentences) const {
    write(annotation_file(), annotation);
    write(sentences_file(), sentences);
  }
  std::filesystem::path annotation_file() const { return folder_.path() / "Annotations/a.xml"; }
  std::filesystem::path sentences_file() const { return folder_.path() / "Sentences/a.txt"; }
  std::unique_ptr<PhotoBoxes> read() const {
    return read_photo_boxes(folder_.path(), photos(), kBoth);
  }

 private:
  TempFolder folder_{"entities"};
};

// "3: 2 boxes from 10" for every noun, where 10 is x of the first box.
std::string nouns_of(const PhotoBoxes& boxes, const std::string& caption) {
  std::string out;
  for (const NounBoxes& noun : boxes.nouns(0, tokenize(caption), {.height = 100, .width = 200}))
    out += (out.empty() ? "" : "; ") + std::to_string(noun.word) + ": " +
           std::to_string(noun.boxes.size()) + " from " +
           std::to_string(static_cast<int>(noun.boxes[0].x));
  return out;
}

}  // namespace

TEST_CASE("Flickr30k Entities mark phrases, and the last word of a phrase is the noun") {
  const Entities files;
  const auto boxes = files.read();
  CHECK(boxes->knows(0));
  CHECK_FALSE(boxes->knows(1));
  // One of the photo's own sentences: its marked phrases. The scene and the friend have no box.
  CHECK(nouns_of(*boxes, "Two young, white males sit on a gray couch in the park.") ==
        "3: 2 from 10; 8: 1 from 100");
  CHECK(nouns_of(*boxes, "A man in blue with a friend") == "3: 1 from 10");
  // Any other sentence: by stem and synonym of the last words.
  CHECK(nouns_of(*boxes, "a male on a sofa in a park") == "1: 2 from 10; 4: 1 from 100");
  CHECK(nouns_of(*boxes, "a dog").empty());
  const auto nouns = boxes->nouns(0, tokenize("a couch"), {.height = 50, .width = 400});
  REQUIRE(nouns.size() == 1);
  CHECK(nouns[0].boxes[0].x == 200);
  CHECK(nouns[0].boxes[0].width == 200);
  CHECK(nouns[0].boxes[0].height == 50);
}

TEST_CASE("Entities of Flickr30k are found for the photos of Flickr8k by their numbers") {
  const TempFolder folder("entities");
  const auto add = [&](const std::string& name) {
    write(folder.path() / ("Annotations/" + name + ".xml"), kAnnotation);
    write(folder.path() / ("Sentences/" + name + ".txt"), kSentences);
  };
  add("1000268201");
  Dataset dataset = photos();
  const auto knows = [&](const std::string& id) {
    dataset.images[1].id = id;
    add(std::filesystem::path(dataset.images[0].id).stem().string());  // so that one is known
    return read_photo_boxes(folder.path(), dataset, kBoth)->knows(1);
  };
  CHECK(knows("1000268201_693b08cb0e.jpg"));
  CHECK(knows("1000268201.jpg"));
  CHECK_FALSE(knows("100026820_693b08cb0e.jpg"));
  CHECK_FALSE(knows("x1000268201_693b08cb0e.jpg"));
  CHECK_FALSE(knows("a_693b08cb0e.jpg"));  // no number, although a.xml is there
  // The whole name comes first.
  add("1000268201_693b08cb0e");
  std::ofstream(folder.path() / "Annotations/1000268201.xml") << "broken";
  CHECK(knows("1000268201_693b08cb0e.jpg"));
}

TEST_CASE("broken Entities are refused with file, line and remedy") {
  const Entities files;
  struct Broken {
    std::string from, to, message;
  };
  for (const Broken& broken : std::vector<Broken>{
           {"</size>", "</siz>", ":3: broken XML: mismatched tag"},
           {"<xmin>11</xmin>", "<xmin>1x</xmin>",
            ":5: <xmin>: expected a whole number from 0, got '1x'"},
           {"<xmax>40</xmax>", "", ":5: <bndbox> has no <xmax>"},
           {"<xmax>40</xmax>", "<xmax>4</xmax>", ":5: <bndbox>: xmax or ymax lies before"},
           {"<width>200</width>", "<width>0</width>", ":3: <size>: the photo's size"},
           {"<annotation>", "<!DOCTYPE a [<!ENTITY b \"c\">]><annotation>", "entities of its own"},
       }) {
    files.write_both(replaced(kAnnotation, broken.from, broken.to), kSentences);
    const std::string message = message_of<DataError>([&] { files.read(); });
    INFO(message);
    CHECK(message.starts_with(files.annotation_file().string() + ":"));
    CHECK(message.find(broken.message) != std::string::npos);
  }
  files.write_both(kAnnotation, "fine\n[/EN#1/people Two males sit\n");
  CHECK(message_of<DataError>([&] { files.read(); }) ==
        files.sentences_file().string() +
            ":2:1: expected [/EN#id/type phrase] with its bracket closed");
  std::filesystem::remove(files.sentences_file());
  CHECK(message_of<DataError>([&] {
          files.read();
        }).starts_with(files.sentences_file().string() + ": no such file"));
  std::filesystem::remove_all(files.sentences_file().parent_path());
  CHECK(message_of<DataError>([&] { files.read(); }).find("has no folder Sentences") !=
        std::string::npos);
}

}  // namespace saccade::test::photo_boxes_test
