// Lines of text that scoring reads: names and numbers of images are found in all their forms, and
// where words have two readings, it asks.
#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("where lines have two readings, scoring asks") {
  const test::TempFolder folder("lines");
  const auto numbers = folder.write("numbers.txt", "2 dogs run\n3 kids play\n");
  CHECK_THROWS_WITH(read_results(numbers), Contains("'2' may be an image or the beginning of a "
                                                    "caption; say which with --lines names"));
  CHECK(read_results(numbers, LineReading::kCaptions).in_order);
  CHECK(read_results(numbers, LineReading::kNames).images[1].id.number == 3);
  const auto thousands = folder.write("thousands.txt", "1,000 people\n7,100 dogs\n");
  CHECK_THROWS_WITH(read_references(thousands), Contains("--lines"));
  const auto words = folder.write("words.txt", "boats\ttwo boats\nkite\ta red kite\n");
  CHECK_THROWS_WITH(read_references(words), Contains("'boats' may be an image or a reference"));
  CHECK(read_references(words, {}, LineReading::kCaptions).images[0].captions.size() == 2);
  CHECK(read_references(words, {}, LineReading::kNames).images[0].id.name == "boats");
  const auto names = folder.write("marks.txt", "boats: two boats\nkite: a red kite\n");
  CHECK_THROWS_WITH(read_results(names), Contains("'boats' may be an image or the beginning"));
  CHECK(read_results(names, LineReading::kNames).images[1].captions[0] == "a red kite");
  CHECK(read_results(names, LineReading::kCaptions).images[1].captions[0] == "kite: a red kite");
  // No option is needed where one line tells, or most do.
  CHECK(read_results(folder.write("n.txt", "2 dogs run\na kid plays\n")).in_order);
  CHECK(read_results(folder.write("m.txt", "400,100 dogs\n401,a kid\n")).images[0].id.number ==
        400);

  const auto refused = [&](const char* name, const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH(read_results(folder.write(name, text)), Contains(message));
    CHECK_THROWS_WITH(read_references(folder.write(name, text)), Contains(message));
  };
  refused("h.txt", "img,words\na.jpg,a dog\nb.jpg,a cat\n", "write image,caption");
  refused("h.txt", "img;words here\na.jpg;a dog\nb.jpg;a cat\n",
          ":1: 'img;words here' does not begin");
  refused("h.txt", "a.jpg: a dog\nb.jpg: a cat\na kite\n",
          ":3: 'a kite' does not begin with an image");
  refused("h.txt", "caption\na dog\na cat\n", "head of a column");
  refused("h.csv", "a dog\na cat\n", ":1: the first line must name a column of images");
  refused("f.csv", "a.jpg,a dog, two cats\nb.jpg,a kite\n", ":1: 3 fields, and it has no header");
  refused("f.csv", "image,caption\na.jpg,a dog, two cats\n", ":2: 3 fields, the header has 2");
  refused("q.csv", "image,caption\na.jpg,\"a dog\nb.jpg,a sign \"\nc.jpg,a\n", "behind 'b.jpg'");
  refused("c.csv", "image,text,comment\na.jpg,a,b\n", "could both hold the caption");
}

TEST_CASE("a name never becomes words of a caption in silence") {
  const test::TempFolder folder("lines");
  const auto read = [&](const std::string& text) {
    return read_results(folder.write("lines.txt", text));
  };
  for (const char* line : {"a.jpg -> ", "a.jpg = ", "a.jpg=", "\"a.jpg\": ", "'a.jpg' ", "(a.jpg) ",
                           "[a.jpg] ", "<a.jpg> ", "[a.jpg]: ", "a.jpg — ", "a.jpg：",
                           "- a.jpg: ", "1. a.jpg: ", "(1) a.jpg - ", "a.jpg >> ", "a.jpg ~ "}) {
    INFO(line);
    const CaptionFile file = read(line + std::string("a dog\n"));
    CHECK(file.images[0].id.name == "a.jpg");
    CHECK(file.images[0].captions == std::vector<std::string>{"a dog"});
  }
  for (const char* line : {"7) ", "(7) ", "[7] ", "7. ", "#7: ", "Image 7: ", "image 7 - ",
                           "Photo #7: ", "Fig. 7: ", "\"7\": ", "7 -> ", "7 = ", "7 - ", "7: "}) {
    INFO(line);
    const CaptionFile file = read(line + std::string("a dog\n"));
    CHECK(file.images[0].id.number == 7);
    CHECK(file.images[0].captions == std::vector<std::string>{"a dog"});
  }
  for (const std::string name :
       {"image_12", "3f2a9c1b77", "deadbeef01", "1000268201_693b08cb0e",
        "550e8400-e29b-41d4-a716-446655440000", "COCO_val2014_000000000042"})
    for (const char* mark : {" ", ": ", " - ", "\t"}) {
      INFO(name << mark);
      const CaptionFile file = read(name + mark + "a dog\n");
      CHECK(file.images[0].id.name == name);
      CHECK(file.images[0].captions == std::vector<std::string>{"a dog"});
    }
  // Captions that begin with numbers are captions, as soon as one line says so.
  const std::vector<std::string> captions = {"a dog",
                                             "2 dogs run",
                                             "1,000 people",
                                             "12:30 on a clock",
                                             "5.5 feet tall",
                                             "2 - 3 dogs",
                                             "7, or 8, dogs",
                                             "#1 fan with a sign",
                                             "1st place",
                                             "747 on a runway",
                                             "Image of a dog",
                                             "2-story house",
                                             "\"Stop\" sign",
                                             "(blurry) photo",
                                             "black-and-white photo",
                                             "sign: no parking",
                                             "1080p is on a tv",
                                             "frame 3 of a film",
                                             "3D model of a car"};
  std::string text;
  for (const std::string& caption : captions) text += caption + "\n";
  const CaptionFile plain = read(text);
  REQUIRE(plain.in_order);
  for (std::size_t i = 0; i < captions.size(); ++i)
    CHECK(plain.images[i].captions[0] == captions[i]);
  for (const std::string& caption : captions) {
    INFO(caption);
    const CaptionFile one =
        read_results(folder.write("one.txt", caption + "\n"), LineReading::kCaptions);
    CHECK(one.images[0].captions[0] == caption);
  }
  // Letters and a number may be names, where all lines begin so.
  for (const std::string stem : {"scene", "test", "video", "airport", "s", "I", "DSC0"}) {
    INFO(stem);
    const std::string two = stem + "1 a dog\n" + stem + "2 two kids\n";
    CHECK_THROWS_WITH(read(two), Contains("may be an image"));
    CHECK(read_results(folder.write("lines.txt", two), LineReading::kCaptions).in_order);
    CHECK(read(stem + "1 a dog\na cat\na kite\n").in_order);
  }
  CHECK_THROWS_WITH(read("a dog\na.jpg -> a cat\nb\n"),
                    Contains(":2: 'a.jpg -> a cat' begins with an image, and other lines do not"));
  for (const std::string form :
       {"*%* a dog", "**%**: a dog", "%~a dog", "x=%&y a dog", "%/a dog", "%_a dog", "%?w=4 a dog",
        "a dog, %", "a dog %", "- **%**: a dog", "('%', 'a dog')", "(\"%\", \"a dog\")"}) {
    INFO(form);
    std::string two;
    for (const char* name : {"a.jpg", "b.png"})
      two += std::string(form).replace(form.find('%'), 1, name) + "\n";
    CHECK_THROWS_WITH(read(two), Contains("has the name of a file in a form that is not") ||
                                     Contains("may be an image"));
    CHECK(read_results(folder.write("lines.txt", two), LineReading::kCaptions).in_order);
    CHECK_THROWS_WITH(read_references(folder.write("lines.txt", two)), Contains("lines.txt"));
  }
  CHECK_THROWS_WITH(read("3f2a9c1b77 a dog\ndeadbeef01 a cat\na kite\n"),
                    Contains(":3: 'a kite' does not begin with an image and a space"));
  // Blank lines change nothing.
  for (const char* blank : {"\nred\ta dog\nblue\ta cat\n", "red\ta dog\n\nblue\ta cat\n\n"}) {
    CHECK(read(blank).images[1].id.name == "blue");
    CHECK_THROWS_WITH(read_references(folder.write("lines.txt", blank)),
                      Contains("'red' may be an image or a reference of one word"));
  }
  // The line below the header of a table in Markdown is no row.
  const CaptionFile table =
      read("| image | caption |\n|---|:---:|\n| a.jpg | a dog |\n| b.jpg | a cat |\n");
  REQUIRE(table.images.size() == 2);
  CHECK(table.images[0].id.name == "a.jpg");
  CHECK(table.images[1].captions == std::vector<std::string>{"a cat"});
  CHECK_THROWS_WITH(read_results(folder.write("texts.json", R"(["a.jpg: a dog", "b.jpg: a"])")),
                    Contains("begin with images"));
}

TEST_CASE("the numbers of a list are ids, or count its lines") {
  const test::TempFolder folder("lines");
  const auto list = folder.write("list.txt", "1) one\n2) two\n3) three\n");
  const auto candidates = [&](const std::string& references, LineReading reading) {
    return match(read_references(folder.write("refs.csv", "image,caption\n" + references)),
                 read_results(list, reading))
        .candidates;
  };
  const Words order = {"one", "two", "three"}, ids = {"two", "one", "three"};
  const std::string named = "x.jpg,a\ny.jpg,b\nz.jpg,c\n", same = "1,a\n2,b\n3,c\n",
                    other = "2,a\n1,b\n3,c\n";
  CHECK(candidates(named, LineReading::kAsk) == order);
  CHECK_THAT(match(read_references(folder.path() / "refs.csv"), read_results(list)).forms[1],
             Contains("the numbers count the lines"));
  CHECK(candidates(same, LineReading::kAsk) == order);
  CHECK_THROWS_WITH(candidates(other, LineReading::kAsk),
                    Contains("its numbers can be read in two ways: '1' may be that image") &&
                        Contains("--lines names or --lines captions"));
  CHECK(candidates(other, LineReading::kNames) == ids);
  CHECK(candidates(other, LineReading::kCaptions) == order);
  CHECK_THROWS_WITH(candidates(named, LineReading::kNames), Contains("unknown: 1, 2, 3"));
  CHECK_THROWS_WITH(candidates("x.jpg,a\n", LineReading::kAsk), Contains("unknown: 1, 2, 3"));
}

TEST_CASE("numbers that are ids of some images and names of others are a question") {
  const test::TempFolder folder("lines");
  const CaptionFile references =
      read_references(folder.write("refs.json", R"({"images": [{"id": 1, "file_name": "2.jpg"},
    {"id": 2, "file_name": "1.jpg"}], "annotations": [{"image_id": 1, "caption": "a dog"},
    {"image_id": 2, "caption": "a cat"}]})"));
  const auto candidates = [&](const char* name, const std::string& text) {
    return match(references, read_results(folder.write(name, text))).candidates;
  };
  CHECK_THROWS_WITH(candidates("a.txt", "1\tx\n2\ty\n"), Contains("1 may be the id of 2.jpg") &&
                                                             Contains("the name of 1.jpg") &&
                                                             Contains("image_id"));
  CHECK_THROWS_WITH(candidates("a.json", R"({"1": "x"})"), Contains("may be the id"));
  CHECK(candidates("b.csv", "image_id,caption\n1,x\n2,y\n") == Words{"x", "y"});
  CHECK(candidates("b.json", R"([{"image_id": 1, "caption": "x"}])") == Words{"x"});
  CHECK(candidates("c.txt", "1.jpg\tx\n2.jpg\ty\n") == Words{"y", "x"});
}

}  // namespace saccade
