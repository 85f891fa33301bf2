// A person's own photos: splits that the files lack, photos that are missing or damaged, files that
// are not where the config says, and captions without spaces.
#include "captioning/data/data_places.h"
#include "captioning/data/fill_splits.h"
#include "captioning/data/photo_check.h"
#include "captioning/scoring/files/captions_form.h"
#include "captioning/scoring/words/unspaced.h"
#include "core/base/listing.h"
#include "core/base/own_place.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"

namespace saccade::own_data_test {
namespace {

using Catch::Matchers::Contains;
using test::TempFolder;

Dataset photos(Index first, Index last) {
  Dataset out;
  out.name = "own";
  for (Index i = first; i < last; ++i)
    out.images.push_back({.id = str("IMG_", i, ".jpg"),
                          .number = i,
                          .path = "",
                          .split = Split::kTrain,
                          .captions = {"a dog"}});
  out.digest = dataset_digest(out);
  return out;
}

std::vector<std::string> names_in(const Dataset& dataset, Split split) {
  std::vector<std::string> out = names_of(dataset, images_of(dataset, split));
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t count(const Dataset& dataset, Split split) { return images_of(dataset, split).size(); }

}  // namespace

TEST_CASE("a split that the files lack is made by the names of the images alone") {
  Dataset all = photos(0, 1000);
  const std::string digest = all.digest;
  fill_splits(all, {.val = 0.1, .test = 0.2});
  CHECK((count(all, Split::kVal) > 70 && count(all, Split::kVal) < 130));
  CHECK((count(all, Split::kTest) > 150 && count(all, Split::kTest) < 250));
  CHECK(all.digest != digest);
  CHECK(all.digest == dataset_digest(all));
  REQUIRE(all.notes.size() == 2);
  CHECK_THAT(all.notes[0], Contains("the files have no val split") && Contains("data.split.val"));

  // Another order, and fewer photos: each of them stays where it was.
  Dataset some = photos(300, 800);
  std::reverse(some.images.begin(), some.images.end());
  fill_splits(some, {.val = 0.1, .test = 0.2});
  const std::vector<std::string> val = names_in(all, Split::kVal);
  for (const CaptionedImage& image : some.images) {
    const auto same = std::find_if(all.images.begin(), all.images.end(),
                                   [&](const CaptionedImage& one) { return one.id == image.id; });
    REQUIRE(same != all.images.end());
    CHECK(image.split == same->split);
  }
  // A larger share keeps the photos of a smaller one.
  Dataset more = photos(0, 1000);
  fill_splits(more, {.val = 0.2, .test = 0});
  const std::vector<std::string> larger = names_in(more, Split::kVal);
  CHECK(larger.size() > val.size());
  CHECK(std::includes(larger.begin(), larger.end(), val.begin(), val.end()));
  CHECK(count(more, Split::kTest) == 0);
}

TEST_CASE("a split that the files have stays as it is") {
  Dataset dataset = photos(0, 200);
  dataset.images[3].split = Split::kVal;
  dataset.images[5].split = Split::kTest;
  dataset.digest = dataset_digest(dataset);
  const std::string digest = dataset.digest;
  fill_splits(dataset, {.val = 0.1, .test = 0.1});
  CHECK(dataset.digest == digest);
  CHECK(dataset.notes.empty());
  // Without val, it is taken from train, and test stays.
  dataset.images[3].split = Split::kTrain;
  fill_splits(dataset, {.val = 0.1, .test = 0.1});
  CHECK(count(dataset, Split::kVal) > 5);
  CHECK(names_in(dataset, Split::kTest) == std::vector<std::string>{"IMG_5.jpg"});
  Dataset none = photos(0, 50);
  fill_splits(none, {.val = 0, .test = 0});
  CHECK(count(none, Split::kTrain) == 50);
}

TEST_CASE("a split of few images has at least one, and so has train") {
  for (Index first = 0; first < 40; ++first) {
    for (Index size = 2; size <= 5; ++size) {
      Dataset few = photos(first, first + size);
      fill_splits(few, SplitConfig());
      CHECK(count(few, Split::kVal) >= 1);
      CHECK(count(few, Split::kTrain) >= 1);
      CHECK(count(few, Split::kTest) == 0);
    }
  }
  Dataset one = photos(0, 1);
  fill_splits(one, SplitConfig());
  CHECK(count(one, Split::kTrain) == 1);
  CHECK_THROWS_WITH(fill_splits(one, {.val = 0.5, .test = 0.5}),
                    Contains("leave nothing to train on"));
}

TEST_CASE("load_data makes the splits that COCO's and Karpathy's files lack") {
  const TempFolder folder("own-data");
  std::string images, annotations, entries;
  for (int i = 0; i < 60; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    images += str(comma, R"({"id":)", i, R"(,"file_name":"p)", i, R"(.jpg"})");
    annotations += str(comma, R"({"image_id":)", i, R"(,"caption":"a dog"})");
    entries += str(comma, R"({"filename":"p)", i, R"(.jpg","imgid":)", i, R"(,"split":")",
                   i < 50 ? "train" : "test", R"(","sentences":[{"raw":"a dog"}]})");
  }
  DataConfig config;
  config.images = folder.path().string();
  config.type = DataKind::kCoco;
  config.annotations = folder.write(
      "coco.json", R"({"images":[)" + images + R"(],"annotations":[)" + annotations + "]}");
  const Dataset coco = load_data(config).dataset;
  CHECK(count(coco, Split::kVal) > 0);
  config.type = DataKind::kKarpathy;
  config.annotations = folder.write("k.json", R"({"images":[)" + entries + "]}");
  const Dataset karpathy = load_data(config).dataset;
  CHECK(count(karpathy, Split::kTest) == 10);
  CHECK(count(karpathy, Split::kVal) > 0);
  // Names alone decide, whatever the form of the file.
  for (const std::string& name : names_in(karpathy, Split::kVal)) {
    const std::vector<std::string> of_coco = names_in(coco, Split::kVal);
    CHECK(std::find(of_coco.begin(), of_coco.end(), name) != of_coco.end());
  }
  config.split.val = 0;
  CHECK(count(load_data(config).dataset, Split::kVal) == 0);
}

TEST_CASE("photos that are missing or damaged are found, with a hint") {
  const TempFolder folder("own-data");
  std::filesystem::create_directory(folder / "below");
  const std::vector<std::uint8_t> png = encode_png(test_picture(20, 30));
  for (const char* name : {"a b.png", "\xC3\xA4.png", "C.PNG", "below/d.png"})
    write_bytes(folder / name, png);
  write_bytes(folder / "cut.png", std::span(png).first(png.size() / 2));
  std::vector<std::uint8_t> damaged = png;
  damaged[png.size() / 2] ^= 0xFF;
  write_bytes(folder / "damaged.png", damaged);
  folder.write("text.jpg", "no picture");
  const auto check = [&](const std::string& csv, PhotoReading reading) {
    folder.write("captions.csv", "image,caption\n" + csv);
    DataConfig config;
    config.type = DataKind::kFolder;
    config.images = folder.path().string();
    const LoadedData data = load_data(config);
    PhotoCheck found = check_photos(data, reading);
    CHECK(found.photos == static_cast<Index>(data.dataset.images.size()));
    return std::pair(found, photo_lines(found, data, reading));
  };
  const std::string good = "a b.png,x\n\xC3\xA4.png,x\nC.PNG,x\n";
  const auto [whole, lines] = check(good, PhotoReading::kDecode);
  CHECK(whole.usable() == 3);
  CHECK(lines == std::vector<std::string>{"photos: 3 of 3 can be read"});

  const std::string bad = good + "cut.png,x\ndamaged.png,x\ntext.jpg,x\nnone.png,x\n";
  const auto [headers, of_headers] = check(bad, PhotoReading::kHeader);
  CHECK(headers.missing == std::vector<Index>{6});
  CHECK(headers.unreadable == std::vector<Index>{3, 5});
  CHECK(headers.usable() == 4);
  CHECK(headers.hint.empty());
  REQUIRE(of_headers.size() == 4);
  CHECK_THAT(of_headers[1], Contains("1 photo is missing: none.png"));
  CHECK_THAT(of_headers[2], Contains("2 photos cannot be read: cut.png, text.jpg; the first: ") &&
                                Contains("cut short"));
  CHECK_THAT(of_headers[3], Contains("data.on_bad_image=skip"));
  CHECK(check(bad, PhotoReading::kDecode).first.unreadable == std::vector<Index>{3, 4, 5});

  CHECK_THAT(check("c.png,x\n", PhotoReading::kHeader).first.hint,
             Contains("has C.PNG, whose upper and lower case letters differ"));
  CHECK_THAT(check("a\xCC\x88.png,x\n", PhotoReading::kHeader).first.hint,
             Contains("accented letters are encoded in another way"));
  CHECK_THAT(check("d.png,x\n", PhotoReading::kHeader).first.hint,
             Contains("; the folder of the images is " + (folder / "below").string()));
  CHECK_THAT(check("C,x\nC.PNG,x\n", PhotoReading::kHeader).first.hint,
             Contains("has C.PNG; write the names in the captions with their endings"));
  CHECK_THAT(check("other/d.png,x\n", PhotoReading::kHeader).first.hint,
             Contains("are the names in the captions without their folder?"));
}

TEST_CASE("every file and folder that is missing is named, with where to get it") {
  const TempFolder folder("own-data");
  DataConfig config;
  config.type = DataKind::kKarpathy;
  config.annotations = "nowhere/dataset_flickr8k.json";
  config.images = "nowhere/photos";
  const std::vector<std::string> lines = missing_places(config);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "data.annotations: nowhere/dataset_flickr8k.json is missing; " + data_guide() +
                        " says where to get it");
  CHECK_THAT(lines[1], Contains("data.images: nowhere/photos is missing; check the path, which "
                                "starts at /"));
  CHECK_THAT(lines[1],
             Contains("; " + data_guide() + " says where published data and networks are"));
  config.images = folder.write("photos", "x").string();
  CHECK_THAT(missing_places(config)[1], Contains("is a file; name the folder of the images"));
  config.type = DataKind::kFolder;
  config.images = folder.path().string();
  config.annotations = "";
  REQUIRE(missing_places(config).size() == 1);
  CHECK_THAT(missing_places(config)[0], Contains("captions.csv is missing"));
  folder.write("captions.csv", "image,caption\n");
  CHECK(missing_places(config).empty());
  CHECK(missing_places(DataConfig()).empty());
  config.images = "";
  CHECK_THROWS_WITH(missing_places(config), Contains("needs data.images"));
  CHECK_THROWS_WITH(missing_places(config, ImageFolders::kMayLack),
                    Contains("data.type folder without data.images needs data.annotations"));
  config.annotations = (folder / "captions.csv").string();
  CHECK(missing_places(config, ImageFolders::kMayLack).empty());
}

TEST_CASE("captions files are recognised by their content") {
  const auto form = [](const std::string& text) { return captions_form(text); };
  CHECK(form(" \n{\"images\": []}") == CaptionsForm::kJson);
  CHECK(form("[]") == CaptionsForm::kJson);
  CHECK(form("image,caption\na.jpg,A dog") == CaptionsForm::kCsv);
  CHECK(form("split, \"Caption\" ,IMAGE\r\n") == CaptionsForm::kCsv);
  CHECK(form("a#1.jpg#0\tA dog\n") == CaptionsForm::kTokens);
  CHECK(form("a.jpg#x\tA dog\n") == CaptionsForm::kOther);
  CHECK(form("an image, a caption and more\n") == CaptionsForm::kOther);
  CHECK(form("") == CaptionsForm::kOther);
}

TEST_CASE("captions in scripts without spaces give a warning") {
  CHECK(lacks_spaces("一只棕色的狗在草地上奔跑"));
  CHECK_FALSE(lacks_spaces("棕色"));
  CHECK(lacks_spaces("สุนัขสีน้ำตาลวิ่งบนหญ้า"));
  CHECK_FALSE(lacks_spaces("antidisestablishmentarianism"));
  CHECK_FALSE(lacks_spaces("достопримечательность"));
  UnspacedCaptions some;
  for (int i = 0; i < 10; ++i) some.add("一只 棕色 的 狗 在 草地 上 奔跑");
  CHECK(some.warning().empty());
  some.add("一只棕色的狗在草地上奔跑");
  CHECK(some.warning().empty());  // one of eleven
  some.add("一只棕色的狗在草地上奔跑");
  CHECK_THAT(some.warning(), Contains("2 of 12 captions") && Contains("spaces"));

  // The readers note it.
  const TempFolder folder("own-data");
  folder.write("captions.csv", "image,caption\na.jpg,一只棕色的狗在草地上奔跑\n");
  DataConfig config;
  config.type = DataKind::kFolder;
  config.images = folder.path().string();
  const std::vector<std::string> notes = load_data(config).dataset.notes;
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("without spaces between words"));
}

TEST_CASE("many names are three and a count") {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  CHECK(first_names({}).empty());
  CHECK(first_names(std::span(names).first(1)) == "a");
  CHECK(first_names(std::span(names).first(3)) == "a, b, c");
  CHECK(first_names(names) == "a, b, c and 2 more");
  CHECK(counted(1, "image") == "1 image");
  CHECK(counted(0, "image") == "0 images");
  CHECK(counted(2, "photo is", "photos are") == "2 photos are");
}

}  // namespace saccade::own_data_test
