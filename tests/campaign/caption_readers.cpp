// Readers of captions and boxes.
#include "captioning/data/caption_rows.h"
#include "captioning/data/readers.h"
#include "captioning/study/grounding/coco_boxes.h"
#include "captioning/study/grounding/entity_boxes.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

Dataset one_photo() {
  Dataset data;
  data.name = "coco";
  data.images.push_back(
      {.id = "1.jpg", .number = 1, .path = "1.jpg", .captions = {"two dogs run on the grass"}});
  return data;
}

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
       .words = kJson}};
}

}  // namespace saccade::campaign
