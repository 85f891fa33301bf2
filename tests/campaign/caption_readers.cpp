// Readers of captions, boxes and words.
#include "captioning/data/caption_rows.h"
#include "captioning/data/readers.h"
#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "captioning/scoring/words/tokenizer.h"
#include "captioning/study/grounding/coco_boxes.h"
#include "captioning/study/grounding/entity_boxes.h"
#include "core/base/error.h"
#include "core/base/unicode.h"
#include "tests/campaign/readers.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

std::string text_of(Input bytes) { return {bytes.begin(), bytes.end()}; }

Dataset one_photo() {
  Dataset data;
  data.name = "coco";
  data.images.push_back(
      {.id = "1.jpg", .number = 1, .path = "1.jpg", .captions = {"two dogs run on the grass"}});
  return data;
}

// The last line of the input is a caption, and those before are its references.
void score_with_meteor(Input bytes) {
  static const Meteor meteor;
  const std::string text = text_of(bytes);
  if (unicode::invalid_utf8(text) != std::string::npos) return;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string caption = lines.back();
  lines.pop_back();
  if (lines.empty()) lines.push_back(caption);
  if (caption.size() > 300) return;  // aligning takes time that grows with the number of matches
  const double score = meteor.score(caption, lines).score;
  if (!(score >= 0 && score <= 1 + 1e-9)) throw InternalError(str("METEOR ", score));
}

constexpr const char* kKarpathy =
    R"({"dataset":"flickr8k","images":[{"filename":"a.jpg","imgid":0,"split":"train","sentids":[0],)"
    R"("sentences":[{"raw":"A dog runs .","tokens":["a","dog","runs"],"imgid":0,"sentid":0}]},)"
    R"({"filename":"b.jpg","filepath":"val2014","cocoid":42,"imgid":1,"split":"restval",)"
    R"("sentences":[{"raw":"Two cats.","tokens":["two","cats"]}]}]})";
constexpr const char* kCoco =
    R"({"info":{},"images":[{"id":1,"file_name":"1.jpg","width":9,"height":7},{"id":2,)"
    R"("file_name":"2.jpg"}],"annotations":[{"id":1,"image_id":1,"caption":"a dog"},{"id":2,)"
    R"("image_id":2,"caption":"a cat"}]})";
constexpr const char* kBoxes =
    R"({"images":[{"id":1,"file_name":"1.jpg","width":90,"height":70}],"categories":[{"id":18,)"
    R"("name":"dog"}],"annotations":[{"id":5,"image_id":1,"category_id":18,"bbox":[1.5,2,30,40],)"
    R"("iscrowd":0,"area":1200}]})";
constexpr const char* kEntities =
    "<annotation><filename>1.jpg</filename><size><width>90</width><height>70</height><depth>3</"
    "depth>"
    "</size><object><name>7</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax><ymax>40</"
    "ymax>"
    "</bndbox></object><object><name>8</name><scene>1</scene><nobndbox>0</nobndbox></object>"
    "</annotation>";

std::vector<Bytes> texts(std::initializer_list<const char*> all) {
  std::vector<Bytes> out;
  for (const char* one : all) out.push_back(bytes_of(one));
  return out;
}

const std::vector<std::string> kJson = {"{",        "}",         "[",      "]",           "\"",
                                        ":",        ",",         "null",   "1e999",       "-1",
                                        "\\u0000",  "\\ud800",   "images", "annotations", "caption",
                                        "image_id", "sentences", "raw",    "split",       "\xff"};
const std::vector<std::string> kTable = {",",
                                         ";",
                                         "|",
                                         "\t",
                                         "\"",
                                         "\r\n",
                                         "#0\t",
                                         "image,caption\n",
                                         ".jpg",
                                         "[\"a\", \"b\"]",
                                         "\xef\xbb\xbf",
                                         "\xff",
                                         " -> "};
const std::vector<std::string> kText = {"'s",
                                        "n't",
                                        "...",
                                        "U.S.",
                                        "$1,000.50",
                                        "--",
                                        "``",
                                        "<b>",
                                        "http://a.b/c?d=e&f",
                                        "\xe2\x80\x99",
                                        "\xf0\x9f\x90\xb6",
                                        "-LRB-",
                                        "\n",
                                        "\xcc\x81",
                                        "\xc2\xad"};

const char* const kRows =
    "image,caption,split\na.jpg,a dog runs,train\nb.jpg,\"a cat, asleep\",val\n";
const char* const kTokens = "a.jpg#0\tA dog runs .\na.jpg#1\tA brown dog .\nb.jpg#0\tTwo cats .\n";

}  // namespace

std::vector<Reader> caption_readers() {
  return {
      {.name = "karpathy",
       .read =
           [](Input bytes) {
             read_karpathy({scratch_file("k.json", bytes), "photos"});
           },
       .seeds = [] { return texts({kKarpathy}); },
       .words = kJson},
      {.name = "coco",
       .read =
           [](Input bytes) {
             read_coco({.train = scratch_file("coco.json", bytes), .train_images = "photos"});
           },
       .seeds = [] { return texts({kCoco}); },
       .words = kJson},
      {.name = "flickr8k",
       .read =
           [](Input bytes) {
             read_flickr8k({scratch_file("t.token.txt", bytes), "", "photos"});
           },
       .seeds = [] { return texts({kTokens}); },
       .words = kTable},
      {.name = "caption_rows",
       .read = [](Input bytes) { read_caption_rows(scratch_file("captions.csv", bytes)); },
       .seeds =
           [] {
             return texts(
                 {kRows, "a.jpg: a dog\nb.jpg: a cat\n",
                  R"([{"image":"a.jpg","caption":"a dog"},{"image":"b.jpg","caption":["x"]}])",
                  "{\"image\":\"a.jpg\",\"caption\":\"a\"}\n{\"image\":\"b.jpg\",\"text\":\"b\"}\n",
                  R"({"a.jpg":["a dog","a wet dog"],"b.jpg":"a cat"})"});
           },
       .words = kTable},
      {.name = "references",
       .read =
           [](Input bytes) {
             read_references(scratch_file("references", bytes), {}, LineReading::kNames);
           },
       .seeds =
           [] {
             return texts({kRows, kTokens, kCoco, kKarpathy, "a dog\ta wet dog\na cat\n"});
           },
       .words = kTable},
      {.name = "results",
       .read = [](Input bytes) { read_results(scratch_file("results", bytes)); },
       .seeds =
           [] {
             return texts({R"([{"image_id":1,"caption":"a dog"}])", "a dog\na cat\n", kTokens});
           },
       .words = kJson},
      {.name = "entities",
       .read =
           [](Input bytes) {
             static const Dataset data = one_photo();
             static const std::vector<Index> images{0};
             scratch_file("entities/Sentences/1.txt",
                          bytes_of("[/EN#7/animals Two dogs] run on [/EN#8/scene the grass]\n"));
             const fs::path xml = scratch_file("entities/Annotations/1.xml", bytes);
             EntityBoxes(xml.parent_path().parent_path(), data, images);
           },
       .seeds = [] { return texts({kEntities}); },
       .words = {"<object>", "</object>", "<bndbox>", "&amp;", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
                 "&b;", "<![CDATA[", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "-1", "1e9"}},
      {.name = "entity_sentences",
       .read =
           [](Input bytes) {
             static const Dataset data = one_photo();
             static const std::vector<Index> images{0};
             scratch_file("sentences/Annotations/1.xml", bytes_of(kEntities));
             const fs::path text = scratch_file("sentences/Sentences/1.txt", bytes);
             EntityBoxes(text.parent_path().parent_path(), data, images);
           },
       .seeds =
           [] {
             return texts({"[/EN#7/animals Two dogs] run on [/EN#8/scene the grass]\nA dog .\n"});
           },
       .words = {"[", "]", "/EN#", "/", " ", "\n", "[/EN#7/people/x a]"}},
      {.name = "coco_boxes",
       .read =
           [](Input bytes) {
             static const Dataset data = one_photo();
             static const std::vector<Index> images{0};
             CocoBoxes(scratch_file("instances.json", bytes), data, images);
           },
       .seeds = [] { return texts({kBoxes}); },
       .words = kJson},
      {.name = "ptb",
       .read =
           [](Input bytes) {
             const std::string text = text_of(bytes);
             if (unicode::invalid_utf8(text) == std::string::npos) ptb_tokenize(std::vector{text});
           },
       .seeds =
           [] {
             return texts({"A dog can't run; it's at the U.S. park (see http://a.b/c).",
                           "Two cats, $1,000.50 -- \"quoted\" ... 3/4 of 10:30 a.m."});
           },
       .words = kText},
      {.name = "words",
       .read = [](Input bytes) { tokenize(text_of(bytes)); },
       .seeds = [] { return texts({"A tri-colored dog\xe2\x80\x99s caf\xc3\xa9"}); },
       .words = kText},
      {.name = "meteor",
       .read = score_with_meteor,
       .seeds =
           [] {
             return texts({"two dogs run on the grass\na dog runs\ntwo dogs are running in grass"});
           },
       .words = {" ", "\n", "dog", "running", "the the the", "ing", "ly"}},
      {.name = "paraphrases",
       .read = [](Input bytes) { meteor::Paraphrases::open(scratch_file("table", bytes), "", {}); },
       .seeds = [] { return texts({"0.5\na dog\nthe dog\n0.25\nrun\nruns\n"}); },
       .words = {"\n", "nan", "-1", "\x1f\x8b\x08"}}};
}

}  // namespace saccade::campaign
