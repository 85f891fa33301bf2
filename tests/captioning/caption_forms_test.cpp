// Scoring reads captions in every form of file, and the scores do not depend on the form.
#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/match.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::caption_forms_test {
namespace {

using Catch::Matchers::Contains;
using Captions = std::vector<std::vector<std::string>>;  // of each image
using Ids = std::vector<std::string>;
using Forms = std::map<std::string, std::string>;  // name of a file -> its text

// Four images. There are empty captions and references, repeated ones, numbers and commas.
const Captions kReferences = {
    {"a brown dog runs on the grass", "a brown dog runs on the grass", "2 dogs, outside"},
    {"two children play with a red ball", "", "kids with a ball"},
    {"a man rides a wave", "a surfer in the sea", "a man surfing"},
    {"a wave", "3 waves on a beach", "the sea at night"}};
const Captions kResults = {
    {"a brown dog on the grass"}, {"2 kids, and a red ball"}, {""}, {"a brown dog on the grass"}};

const Ids kNames = {"a.jpg", "my b.jpg", "c.jpg", "d.jpg"};
const Ids kPaths = {"/data/p/a.jpg", "/data/p/my b.jpg", "/data/p/c.jpg", "/data/p/d.jpg"};
const Ids kWindows = {"C:\\p\\a.jpg", "C:\\p\\my b.jpg", "C:\\p\\c.jpg", "C:\\p\\d.jpg"};
const Ids kNumbers = {"391895", "22", "184613", "7"};
const Ids kStems = {"10_a693", "22_b693", "18_c693", "70_d693"};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '\\' ? "\\\\" : std::string(1, c);
  return out + "\"";
}
// As a value of JSON: a number without quotes.
std::string bare(const std::string& id) {
  return id.find_first_not_of("0123456789") == std::string::npos ? id : quoted(id);
}

// `row` for every caption, with `between` between them.
template <class Row>
std::string rows(const Ids& ids, const Captions& captions, const char* between, Row row) {
  std::string out;
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t k = 0; k < captions[i].size(); ++k)
      out += (out.empty() ? "" : between) + row(ids[i], captions[i][k], std::to_string(k));
  return out;
}

// `item` for every image, with a comma between them, where a list of captions is JSON.
template <class Item>
std::string items(const Ids& ids, const Captions& captions, Item item) {
  std::string out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string list;
    for (const std::string& one : captions[i]) list += (list.empty() ? "" : ", ") + quoted(one);
    out += (out.empty() ? "" : ", ") + item(ids[i], "[" + list + "]");
  }
  return out;
}

// The captions in all forms that say which image a caption is of.
Forms named_forms(const Ids& ids, const Captions& captions) {
  using Text = const std::string&;
  Forms out;
  const auto lines = [&](const char* between, const char* before = "") {
    return rows(ids, captions, "\n",
                [&](Text id, Text caption, Text) { return before + id + between + caption; }) +
           "\n";
  };
  const auto csv = [&](const std::string& header, const std::string& mark) {
    return header + rows(ids, captions, "\r\n", [&](Text id, Text caption, Text) {
             return id + mark + "\"" + caption + "\"";
           });
  };
  out["commas.csv"] = csv("image,caption\n", ",");
  out["other-names.csv"] = csv("file_name,text\n", ",");
  out["ids.csv"] = csv("image_id,caption\n", ",");
  out["bare.csv"] = csv("", ",");
  out["bare.txt"] = csv("", ",");
  std::string lists = "image,captions\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string list;
    for (const std::string& one : captions[i])
      for (const char c : (list.empty() ? "" : ", ") + quoted(one))
        list += c == '"' ? "\"\"" : std::string(1, c);
    lists += ids[i] + ",\"[" + list + "]\"\n";
  }
  out["lists.csv"] = lists;
  out["semicolons.csv"] = csv("filename;sentence\n", ";");
  out["excel.csv"] = csv("sep=;\nimage;caption\n", ";");
  out["tabs.tsv"] = csv("Image\tCaption\n", "\t");
  out["bars.csv"] = "image_name| comment_number| comment\n" +
                    rows(ids, captions, "\n", [](Text id, Text caption, Text k) {
                      return id + "| " + k + "| " + caption;
                    });
  out["tab.txt"] = lines("\t");
  out["colon.txt"] = lines(": ");
  out["bar.txt"] = lines(" | ");
  out["arrow.txt"] = lines(" -> ");
  out["tight arrow.txt"] = lines("->");
  out["other arrow.txt"] = lines(" → ");
  out["double arrow.txt"] = lines(" => ");
  out["equals.txt"] = lines(" = ");
  out["dash.txt"] = lines(" - ");
  out["quotes.txt"] = lines("\": ", "\"");
  out["single quotes.txt"] = lines("' -> ", "'");
  out["brackets.txt"] = lines(") ", "(");
  out["square.txt"] = lines("] ", "[");
  out["points.txt"] = lines(": ", "- ");
  out["quoted.txt"] = rows(ids, captions, "\n", [](Text id, Text caption, Text) {
    return "\"" + id + "\", \"" + caption + "\"";
  });
  out["tokens.txt"] = rows(ids, captions, "\n", [](Text id, Text caption, Text k) {
    return id + "#" + k + "\t" + caption;
  });
  const auto column = [&](bool image) {
    return rows(ids, captions, ", ", [&, n = 0](Text id, Text caption, Text) mutable {
      return quoted(std::to_string(n++)) + ": " + (image ? bare(id) : quoted(caption));
    });
  };
  out["pandas.json"] = "{\"image\": {" + column(true) + "}, \"caption\": {" + column(false) + "}}";
  const auto table = [&](const char* behind) {
    return rows(ids, captions, ", ", [&](Text id, Text caption, Text) {
      return "[" + quoted(id) + ", " + quoted(caption) + behind + "]";
    });
  };
  out["pairs.json"] = "[" + table("") + "]";
  out["scores.json"] = "[" + table(", 0.7") + "]";
  out["header.json"] = "[[\"image\", \"caption\"], " + table("") + "]";
  out["split.json"] = "{\"columns\": [\"image\", \"caption\"], \"data\": [" + table("") + "]}";
  const auto entries = [&](const std::string& image, const char* between, bool number) {
    return rows(ids, captions, between, [&](Text id, Text caption, Text) {
      return "{" + image + ": " + (number ? bare(id) : quoted(id)) +
             ", \"caption\": " + quoted(caption) + "}";
    });
  };
  out["list.json"] = "[" + entries("\"image_id\"", ",\n", true) + "]";
  out["texts.json"] = "[" + entries("\"image_id\"", ",\n", false) + "]";
  out["names.json"] = "[" + entries("\"image\"", ",\n", false) + "]";
  out["lines.jsonl"] = entries("\"file_name\"", "\n", false) + "\n";
  out["annotations.json"] = "{\"info\": {\"year\": 2020}, \"annotations\": [" +
                            entries("\"image_id\"", ", ", true) + "]}";
  out["nested.json"] = "[[" + entries("\"image_id\"", "], [", true) + "]]";
  out["lists.json"] = "[" +
                      items(ids, captions,
                            [](Text id, Text list) {
                              return "{\"image_id\": " + bare(id) + ", \"caption\": " + list + "}";
                            }) +
                      "]";
  out["by-id-list.json"] = "[" +
                           rows(ids, captions, ", ",
                                [](Text id, Text caption, Text) {
                                  return "{" + quoted(id) + ": " + quoted(caption) + "}";
                                }) +
                           "]";
  out["by-id.jsonl"] = rows(ids, captions, "\n", [](Text id, Text caption, Text) {
    return "{" + quoted(id) + ": [" + quoted(caption) + "]}";
  });
  out["by-id.json"] =
      "{" + items(ids, captions, [](Text id, Text list) { return quoted(id) + ": " + list; }) + "}";
  out["by-id-objects.json"] =
      "{" +
      items(
          ids, captions,
          [](Text id, Text list) {
            std::string objects = list;
            for (std::size_t at = 0; (at = objects.find(", \"", at)) != std::string::npos; at += 3)
              objects.replace(at, 2, "}, {\"caption\": ");
            return quoted(id) + ": [{\"caption\": " + objects.substr(1, objects.size() - 2) + "}]";
          }) +
      "}";
  return out;
}

// The forms without images: their order says which caption is of which.
Forms ordered_forms(const Captions& captions) {
  Forms out;
  for (const auto& image : captions) {
    std::string line;
    for (const std::string& one : image) line += (line.empty() ? "" : "\t") + one;
    out["plain.txt"] += line + "\n";
  }
  out["ordered.json"] =
      "[" + items(kNames, captions, [](const auto&, const std::string& list) { return list; }) +
      "]";
  return out;
}

// COCO's and Karpathy's references know names and numbers.
Forms reference_forms() {
  Forms out;
  std::string images, annotations, raw;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string head = i == 0 ? "" : ", ";
    images += head + "{\"id\": " + kNumbers[i] + ", \"file_name\": " + quoted(kNames[i]) + "}";
    std::string sentences;
    for (const std::string& one : kReferences[i]) {
      annotations += (annotations.empty() ? "" : ", ") + ("{\"image_id\": " + kNumbers[i]) +
                     ", \"caption\": " + quoted(one) + "}";
      sentences +=
          (sentences.empty() ? "" : ", ") + ("{\"raw\": " + quoted(one)) + ", \"tokens\": []}";
    }
    raw += head + "{\"filename\": " + quoted(kNames[i]) + ", \"cocoid\": " + kNumbers[i] +
           ", \"split\": \"test\", \"sentences\": [" + sentences + "]}";
  }
  out["coco.json"] = "{\"images\": [" + images + "], \"annotations\": [" + annotations + "]}";
  out["karpathy.json"] = "{\"images\": [" + raw + "], \"dataset\": \"mine\"}";
  return out;
}

NamedScores scores_of(const std::string& references, const std::string& results) {
  const MatchedCaptions matched = match(read_references(references), read_results(results));
  REQUIRE(matched.candidates.size() == kResults.size());
  for (std::size_t i = 0; i < kResults.size(); ++i) {
    CHECK(matched.candidates[i] == kResults[i][0]);
    CHECK(matched.references[i] == kReferences[i]);
  }
  return score_captions(matched.candidates, matched.references, {}).corpus();
}

}  // namespace

TEST_CASE("one corpus has the same scores in every form of file") {
  const test::TempFolder folder("forms");
  const auto write = [&](const std::string& prefix, const Forms& forms) {
    std::vector<std::string> out;
    for (const auto& [name, text] : forms) out.push_back(folder.write(prefix + name, text));
    return out;
  };
  const auto known = write("refs-", reference_forms());
  const NamedScores wanted =
      scores_of(known[0], folder.write("results", named_forms(kNames, kResults)["list.json"]));
  std::size_t pairs = 0;
  const auto compare = [&](const std::vector<std::string>& references,
                           const std::vector<std::string>& results) {
    for (const std::string& one : references) {
      for (const std::string& other : results) {
        INFO(one << " and " << other);
        CHECK(scores_of(one, other) == wanted);
        ++pairs;
      }
    }
  };
  for (const Ids& ids : {kNames, kPaths, kWindows, kNumbers})
    compare(known, write("results-" + std::to_string(pairs), named_forms(ids, kResults)));
  compare(known, write("ordered-", ordered_forms(kResults)));
  for (const Ids& ids : {kNames, kNumbers, kStems})
    compare(write("refs-" + std::to_string(pairs), named_forms(ids, kReferences)),
            write("results-" + std::to_string(pairs), named_forms(ids, kResults)));
  compare(write("ordered-refs-", ordered_forms(kReferences)),
          write("ordered-", ordered_forms(kResults)));
  CHECK(pairs > 1000);
}

TEST_CASE("what saccade prints is read") {
  const test::TempFolder folder("forms");
  const std::string references =
      folder.write("refs.csv", "image,caption\na.jpg,a dog runs\nb.png,two kids play\n");
  const auto candidates = [&](const std::string& text) {
    return match(read_references(references), read_results(folder.write("printed", text)));
  };
  const std::vector<std::string> wanted = {"a dog: it runs", "kids"};
  CHECK(candidates("photos/b.png: kids\nphotos/a.jpg: a dog: it runs\n").candidates == wanted);
  const auto best = candidates(
      "photos/a.jpg:\n   1  log p  -3.21  a dog: it runs\n   2  log p -13.50  a cat\n"
      "photos/b.png:\n   1  log p  -3.00  kids\n  with all heads: two kids\n");
  CHECK(best.candidates == wanted);
  REQUIRE(best.notes.size() == 1);
  CHECK_THAT(best.notes[0], Contains("2 lines below are left out"));
  CHECK(candidates("photos/b.png: kids\n  log p -9.87: kids 0.8892, end 0.0781\n"
                   "photos/a.jpg: a dog: it runs\n  log p -3.20: a 0.9, dog 0.5\n")
            .candidates == wanted);
  // As `caption --json` and `caption --watch --json` print them, and the file beside an overlay.
  const std::string a = R"({"image":"p/a.jpg","caption":"a dog: it runs","words":[{"text":"a"}]})";
  const std::string b = R"({"image":"p/b.png","caption":"kids","words":[],"alternatives":[]})";
  CHECK(candidates("[\n" + a + ",\n" + b + "\n]\n").candidates == wanted);
  CHECK(candidates(b + "\n" + a + "\n").candidates == wanted);
  CHECK(candidates(b).candidates == std::vector<std::string>{"kids"});
}

TEST_CASE("names are one in both spellings of accents, and words for splits count with --split") {
  const test::TempFolder folder("forms");
  const auto references =
      folder.write("refs.csv", "image,caption,split\ncaf\u00e9.jpg,a dog,dev\nb.jpg,a cat,eval\n");
  CHECK(match(read_references(references),
              read_results(folder.write("r.csv", "image,caption\ncafe\u0301.jpg,x\n")))
            .candidates.size() == 1);
  CHECK_THROWS_WITH(read_references(references, Split::kVal),
                    Contains("refs.csv:3: unknown split 'eval'"));
}

TEST_CASE("files of other kinds are named and not scored as lines of text") {
  const test::TempFolder folder("forms");
  for (const auto& [content, kind] : std::vector<std::pair<std::string, std::string>>{
           {"<!DOCTYPE html>\n<p>Not found</p>\n", "web page"},
           {"version https://git-lfs.github.com/spec/v1\nsize 12\n", "Git LFS pointer"},
           {"\x1f\x8b\x08zipped", "gzip"},
           {"PK\x03\x04sheet", "ZIP archive"},
           {"%PDF-1.7\n", "PDF"}}) {
    const std::string file = folder.write("odd.txt", content);
    CHECK_THROWS_WITH(read_references(file), Contains(file) && Contains(kind));
    CHECK_THROWS_WITH(read_results(file), Contains(file) && Contains(kind));
  }
  // Text that begins alike is text.
  CHECK(read_results(folder.write("text.txt", "BMX riders jump\nversion two of it\n"))
            .images.size() == 2);
}

TEST_CASE("JSON that holds no captions is refused with an example of JSON that does") {
  const test::TempFolder folder("forms");
  for (const char* text :
       {R"({"version": 1, "scores": {"CIDEr": 1}})", R"([{"image_id": 7, "Bleu_1": 0.5}])",
        R"([{"caption": "a dog"}])", R"([1, 2])", R"([["a dog", 0.7]])", R"({"a.jpg": null})",
        R"([{"image": "a.jpg", "caption": null}])", R"([["a.jpg", null]])",
        R"([["a dog", "a.jpg"]])", R"({"image": {"0": "a.jpg"}, "caption": {"0": null}})",
        R"({"image": ["a.jpg", "b.jpg"], "caption": ["a dog"]})",
        R"([{"url": "x", "words": "a dog"}])", R"({"7": [["a dog"]]})", "3 "}) {
    INFO(text);
    const std::string file = folder.write("odd.json", std::string(text[0] == '3' ? "[]" : text));
    CHECK_THROWS_AS(read_results(file), DataError);
    CHECK_THROWS_AS(read_references(file), DataError);
    if (text[1] == '{' || text[0] == '{')
      CHECK_THROWS_WITH(read_results(file), Contains(R"([{"image_id": 7, "caption": "a dog)"));
  }
  CHECK_THROWS_WITH(read_results(folder.write("twice.json", R"({"7": "a", "7": "b"})")),
                    Contains("image 7 is there twice"));
  CHECK_THROWS_WITH(
      read_results(folder.write("two.json", R"([{"image": "a.jpg", "text": "x", "title": "y"}])")),
      Contains("could both hold the caption"));
}

TEST_CASE("only the images of the results need references") {
  const test::TempFolder folder("forms");
  const std::string references =
      folder.write("refs.json", R"({"images": [{"id": 1, "file_name": "a.jpg"},
    {"id": 2, "file_name": "b.jpg"}, {"id": 3, "file_name": "c.jpg"}],
    "annotations": [{"image_id": 1, "caption": "a dog"}, {"image_id": 2, "caption": "a cat"},
                    {"image_id": 9, "caption": "a kite"}]})");
  const auto known = read_references(references);
  REQUIRE(known.notes.size() == 1);
  CHECK_THAT(known.notes[0], Contains("1 image has captions and is not in the list 'images'"));
  const auto matched = [&](const std::string& text) {
    return match(known, read_results(folder.write("results.json", text)));
  };
  const auto two = matched(R"([{"image_id": 1, "caption": "x"}, {"image_id": "2", "caption": "y"},
                               {"image_id": 9, "caption": "z"}])");
  CHECK(two.candidates == std::vector<std::string>{"x", "y", "z"});
  CHECK(two.notes.empty());  // c.jpg has neither a caption nor a reference
  CHECK_THROWS_WITH(matched(R"([{"image_id": 3, "caption": "x"}])"),
                    Contains("1 caption of an image without a reference: c.jpg"));
}

}  // namespace saccade::caption_forms_test
