// Names of columns and separators of tables that hold captions.
#include "captioning/scoring/files/caption_columns.h"

#include "captioning/scoring/files/csv.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;
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
  // No writer of CSV made this text, but people have it.
  const CsvTable bars = parse_csv("a.jpg| 0| a \"red\" sign\nb.jpg| 0| \"stop\" it says", "x", '|');
  CHECK(bars.plain_quotes);
  CHECK(bars.rows[0].fields == Strings{"a.jpg", "0", "a \"red\" sign"});
  CHECK(bars.rows[1].fields == Strings{"b.jpg", "0", "\"stop\" it says"});
}

}  // namespace
}  // namespace saccade
