// Lists of images with captions, in the forms that people have: one list in all of them gives one
// data set, and what could be read in two ways is a question.
#include "captioning/data/caption_rows.h"

#include "captioning/data/readers.h"
#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/csv.h"
#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/tokenizer.h"
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
  refuse(R"({"images": [], "annotations": []})", "is in the form of COCO's captions JSON");
  refuse(R"({"images": [{"filename": "a", "split": "val", "sentences": []}]})",
         "is in the form of Karpathy's JSON");
  refuse("a.jpg#0\tA dog\n", "is in the form of Flickr8k's token file");
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
                    Contains("is a list, and an object with 'images' was expected"));
  CHECK_THROWS_WITH(read_karpathy({.annotations = list, .images = "/i"}),
                    Contains("is a list, and an object with 'images' was expected"));
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
  CHECK_THAT(twice.notes.at(1), Contains("is the file of annotations, which is read once"));
}

// Names of columns and separators of tables that hold captions.
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("columns of captions are known by the names that people give them") {
  for (const char* name : {"image", "file_name", "filename", "filepath", "image_name", "Image Name",
                           "IMG_PATH", "\"image-file\""})
    CHECK(caption_field(name) == CaptionField::kImage);
  for (const char* name : {"image_id", "imgid", "cocoid", "id"})
    CHECK(caption_field(name) == CaptionField::kImageId);
  for (const char* name : {"caption", " comment", "text", "title", "sentence", "description", "raw",
                           "captions", "caption_2", "Caption1"})
    CHECK(caption_field(name) == CaptionField::kCaption);
  CHECK(caption_field("Split") == CaptionField::kSplit);
  CHECK(caption_field("comment_number") == CaptionField::kCaptionNumber);
  for (const char* name : {"", "width", "2", "image of a dog", "dog.jpg"})
    CHECK_FALSE(caption_field(name));

  const CaptionColumns some = caption_columns(
      Strings{"width", "image_id", "file_name", "caption_1", "caption_2", "split"}, "x.csv:1");
  CHECK(some.count == 6);
  CHECK(some.image == 2U);
  CHECK(some.name() == 2U);
  CHECK(some.image_id == 1U);
  CHECK(some.split == 5U);
  CHECK(some.captions == std::vector<std::size_t>{3, 4});
  CHECK(caption_columns(Strings{"image_id", "caption"}, "x").name() == 0U);
  CHECK(caption_columns(Strings{"title", "caption", "image"}, "x").captions ==
        std::vector<std::size_t>{1});
  CHECK(caption_columns(Strings{"a", "b"}, "x").captions.empty());
  // Two readings are a question.
  CHECK_THROWS_WITH(caption_columns(Strings{"image", "text", "title"}, "x.csv:1"),
                    Contains("x.csv:1: 'text' and 'title' could both hold the caption"));
  CHECK_THROWS_WITH(caption_columns(Strings{"image", "image", "caption"}, "x"),
                    Contains("both hold the image"));
}

TEST_CASE("the separator of a table is told by its first line") {
  CHECK(header_separator("image,caption\n") == ',');
  CHECK(header_separator("\r\nimage;caption;split\r\n") == ';');
  CHECK(header_separator("image_name| comment_number| comment") == '|');
  CHECK(header_separator("\"file_name\"\t\"text\"") == '\t');
  CHECK_FALSE(header_separator("a.jpg,a dog"));
  CHECK_FALSE(header_separator("an image, a caption and more"));
  CHECK_FALSE(header_separator("image caption"));
  CHECK_FALSE(header_separator(""));
}

TEST_CASE("tables are read with every separator") {
  for (const char separator : kColumnSeparators) {
    const std::string s(1, separator);
    const CsvTable table = parse_csv(
        "image" + s + " caption\n\na.jpg" + s + "\"a" + s + " \"\"b\"\"\nc\"\r\n", "x", separator);
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].fields == Strings{"image", "caption"});
    CHECK(table.rows[1].line == 3);
    CHECK(table.rows[1].fields == Strings{"a.jpg", "a" + s + " \"b\"\nc"});
    CHECK_FALSE(table.plain_quotes);
    // An unclosed quote is no caption, however the file ends.
    for (const char* end : {"\"open", "\"open\n", "\"", "\"a \"\"", "\"a \"\"\n\nb\n"})
      if (separator == ',' || separator == ';')
        CHECK_THROWS_WITH(parse_csv("a" + s + "b\nx" + s + end, "x", separator),
                          Contains("x:2: the quote that opens here is never closed"));
      else
        CHECK(parse_csv("a" + s + "b\nx" + s + end, "x", separator).plain_quotes);
  }
  CHECK_THROWS_WITH(parse_csv("a,b\nx,y\"z\n", "x", ','), Contains("x:2:"));
  // No writer of CSV made this text, but people have it.
  const CsvTable bars = parse_csv("a.jpg| 0| a \"red\" sign\nb.jpg| 0| \"stop\" it says", "x", '|');
  CHECK(bars.plain_quotes);
  CHECK(bars.rows[0].fields == Strings{"a.jpg", "0", "a \"red\" sign"});
  CHECK(bars.rows[1].fields == Strings{"b.jpg", "0", "\"stop\" it says"});
}

// Odd characters of captions: training and scoring see the same words.

struct Odd {
  std::string caption, plain;
};

const std::vector<Odd>& odd_captions() {
  static const std::vector<Odd> all = {
      {"a dog &amp; a cat", "a dog & a cat"},
      {"a sign with &quot;stop&quot; on it", "a sign with \"stop\" on it"},
      {"&amp;quot;stop&amp;quot;", "\"stop\""},
      {"&amp;amp;amp;#39;", "'"},
      {"caf&eacute; caf&#233; caf&#xE9; caf&#XE9;", "café café café café"},
      {"&Eacute;t&eacute;", "Été"},
      {"a dog&nbsp;runs", "a dog\u00A0runs"},
      {"a&#10;dog&#x0d;runs", "a dog runs"},
      {"a dog &#150; and &#x93;a cat&#x94;", "a dog – and “a cat”"},
      {"a skate\u00ADboard and a skate&shy;board", "a skateboard and a skateboard"},
      {"a skate\u200Dboard, a sk\u2060ate\uFEFFboard", "a skateboard, a skateboard"},
      {"a\u200Bdog", "a dog"},
      {"a \u200Edog\u200F", "a dog"},
      {"a red heart \u2764\uFE0F here", "a red heart \u2764 here"},
      {"AT&T and R&D; 3 &lt 4 &; &#; &#x; &#1114112; &unknown; &amp",
       "AT&T and R&D; 3 &lt 4 &; &#; &#x; &#1114112; &unknown; &amp"},
      {"&am\u00ADp;", "&"},
      {"&", "&"},
      {"", ""},
  };
  return all;
}

}  // namespace

TEST_CASE("entities become characters, and characters of format vanish") {
  for (const Odd& odd : odd_captions()) {
    INFO(odd.caption);
    CHECK(plain_caption(odd.caption).text == odd.plain);
    CHECK(plain_caption(odd.plain).text == odd.plain);  // a second call changes nothing
  }
  CHECK(plain_caption("&#xD800;").text == "&#xD800;");  // half of a surrogate pair
  CHECK(plain_caption("&amp;quot;&shy;\u00AD").entities == 3);
  CHECK(plain_caption("&amp;quot;&shy;\u00AD").invisible == 2);
  // Escapes of escapes take no time that grows with their square.
  std::string many = "&";
  for (int i = 0; i < 200000; ++i) many += "amp;";
  CHECK(plain_caption(many).text == "&");
}

TEST_CASE("training and scoring see the same words in odd captions") {
  for (const Odd& odd : odd_captions()) {
    INFO(odd.caption);
    const std::vector<std::vector<std::string>> tokens = scored_words({&odd.caption, 1});
    std::vector<std::string> scored;  // without punctuation
    for (const std::string& token : tokens.front())
      for (const std::string& word : tokenize(token)) scored.push_back(word);
    CHECK(scored == tokenize(plain_caption(odd.caption).text));
    CHECK(tokens == scored_words({&odd.plain, 1}));
  }
  // Where PTB's tokenizer knows an entity, it is right about it.
  for (const std::string known : {"a dog &amp; a cat", "a &quot;b&quot; c", "3 &lt; 4", "a&nbsp;b"})
    CHECK(ptb_words({&known, 1}) == scored_words({&known, 1}));
}

TEST_CASE("readers make captions plain and say how many") {
  const test::TempFolder folder("plain");
  const auto csv = folder.write("a.csv",
                                "image,caption\na.jpg,a dog &amp; a cat\nb.jpg,a skate\u00ADboard\n"
                                "c.jpg,a &quot;dog&quot;\nd.jpg,&nbsp;\n");
  const Dataset out = read_folder({.images = "/i", .captions = csv});
  REQUIRE(out.images.size() == 3);
  CHECK(out.images[0].captions.front() == "a dog & a cat");
  CHECK(out.images[1].captions.front() == "a skateboard");
  CHECK(out.images[2].captions.front() == "a \"dog\"");
  CHECK_THAT(out.notes.at(0), Contains("3 captions hold HTML entities") &&
                                  Contains("1 caption holds characters that nobody sees"));
}

}  // namespace saccade
