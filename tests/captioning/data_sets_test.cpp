// Several data sets in one run: joined for training, kept apart where they are scored.
#include "captioning/data/data_sets.h"

#include "captioning/data/data_places.h"
#include "captioning/data/photo_check.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/study/evaluation/evaluate.h"
#include "captioning/study/grounding/configured_boxes.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/images/image.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;

// Two folders whose photos have the same names.
class TwoFolders {
 public:
  TwoFolders() {
    for (const std::string set : {"parks", "streets"}) {
      std::string rows = "image,caption,split\n";
      const int count = set == "parks" ? 6 : 12;
      for (int i = 0; i < count; ++i) {
        const std::string name = str(i, ".png");
        write_png(folder_.path() / (set + name), test_picture(12, 12));
        const char* split = i % 3 == 2 ? "val" : "train";
        rows += str(set, name, ",a dog in the ", set, " ", i, ",", split, "\n");
      }
      folder_.write(set + ".csv", rows);
    }
  }

  DataConfig config(const std::string& more = "") const {
    Loaded<DataConfig> loaded{.config = {}, .origins = {}};
    apply_override(loaded, "type=joined");
    apply_override(loaded, "min_count=1");
    apply_override(loaded,
                   str("sets={parks: {type: folder, images: ", folder_.path().string(),
                       ", annotations: ", (folder_.path() / "parks.csv").string(),
                       "}, streets: {type: folder, images: ", folder_.path().string(),
                       ", annotations: ", (folder_.path() / "streets.csv").string(), more, "}}"));
    return loaded.config;
  }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"joined"};
};

}  // namespace

TEST_CASE("joined data sets keep their order, their splits and their names") {
  const TwoFolders two;
  const LoadedData data = load_data(two.config());
  CHECK(data.dataset.name == "parks + streets");
  REQUIRE(data.dataset.parts.size() == 2);
  CHECK(data.dataset.parts[0].end == 6);
  CHECK(data.dataset.parts[1].begin == 6);
  CHECK(data.dataset.parts[1].end == 18);
  CHECK(data.dataset.images[0].id == "parks/parks0.png");
  CHECK(data.dataset.images[6].id == "streets/streets0.png");
  CHECK(images_of(data.dataset, Split::kVal).size() == 2 + 4);
  for (std::size_t i = 0; i < data.dataset.images.size(); ++i)
    CHECK(data.dataset.images[i].number == static_cast<Index>(i));
  // The digest is that of captions, not of places or shares.
  CHECK(load_data(two.config()).dataset.digest == data.dataset.digest);
  CHECK(load_data(two.config(", share: 0.5")).dataset.digest == data.dataset.digest);
  CHECK(share_differences(two.config(), two.config()).empty());
  const auto shares = share_differences(two.config(), two.config(", share: 0.5"));
  REQUIRE(shares.size() == 1);
  CHECK(shares[0].path == "data.sets.streets.share");
  CHECK(shares[0].first == "1");
  CHECK(shares[0].second == "0.5");
  CHECK(load_data(two.config(", limit_train: 3")).dataset.digest != data.dataset.digest);
  // A value of one set can be given by its path.
  Loaded<DataConfig> loaded{.config = two.config(), .origins = {}};
  apply_override(loaded, "sets.streets.limit_train=3");
  apply_override(loaded, "sets.streets.limit_train=2");
  CHECK(images_of(load_data(loaded.config).dataset, Split::kTrain).size() == 4 + 2);
  CHECK_THAT(message_of<UsageError>([&] { apply_override(loaded, "sets.street.limit_train=2"); }),
             Contains("sets"));
}

TEST_CASE("the digest of scored images does not change with what else is in the data") {
  const TwoFolders two;
  const auto digest = [](const DataConfig& config) {
    const LoadedData data = load_data(config);
    return images_digest(data.dataset, images_of(data.dataset, Split::kVal));
  };
  const std::string whole = digest(two.config());
  for (const char* key : {"streets.limit_train=3", "parks.limit_train=1", "parks.share=0.5",
                          "streets.captions_per_image=1", "parks.limit_val=1"}) {
    INFO(key);
    Loaded<DataConfig> loaded{.config = two.config(), .origins = {}};
    apply_override(loaded, str("sets.", key));
    CHECK((digest(loaded.config) == whole) == (std::string_view(key) != "parks.limit_val=1"));
  }
  DataConfig scenes;
  scenes.scenes.train = 6;
  scenes.scenes.val = 4;
  const std::string drawn = digest(scenes);
  scenes.limit_train = 2;
  CHECK(digest(scenes) == drawn);
  scenes.scenes.seed += 1;
  CHECK(digest(scenes) != drawn);
}

TEST_CASE("photos that are missing are told of each joined set, whose name is no folder") {
  const TempFolder folder("joined-photos");
  for (const char* photo :
       {"mine/below/1.png", "mine/below/2.png", "theirs/1.png", "other/5.png"}) {
    std::filesystem::create_directories((folder.path() / photo).parent_path());
    write_png(folder.path() / photo, test_picture(12, 12));
  }
  folder.write("mine.csv", "image,caption\n1.png,a dog\n2.png,two dogs\n");
  folder.write("theirs.csv", "image,caption\n1.png,a cat\n5.png,two cats\n");
  Loaded<DataConfig> loaded{.config = {}, .origins = {}};
  apply_override(loaded, "type=joined");
  apply_override(loaded, "sets={mine: {type: folder}, theirs: {type: folder}}");
  for (const std::string set : {"mine", "theirs"}) {
    apply_override(loaded, str("sets.", set, ".images=", (folder.path() / set).string()));
    apply_override(loaded,
                   str("sets.", set, ".annotations=", folder.path().string(), "/", set, ".csv"));
  }
  const LoadedData data = load_data(loaded.config);
  const PhotoCheck check = check_photos(data, PhotoReading::kHeader);
  CHECK(check.missing == std::vector<Index>{0, 1, 3});
  REQUIRE(check.sets.size() == 2);
  CHECK(check.sets[0].usable() == 0);
  CHECK_THAT(check.sets[0].hint,
             Contains("the folder of the images is " + (folder.path() / "mine/below").string()));
  CHECK(check.hint == "mine: " + check.sets[0].hint);
  CHECK(check.sets[1].missing == std::vector<Index>{3});
  CHECK(check.sets[1].usable() == 1);
  CHECK(check.sets[1].hint.empty());
}

TEST_CASE("captions in the form of another type are refused with the type that reads them") {
  const TwoFolders two;
  struct Form {
    DataKind type;
    std::string text;
  };
  const Form forms[] = {
      {DataKind::kCoco, R"({"images": [{"id": 1, "file_name": "a.jpg"}],
          "annotations": [{"id": 1, "image_id": 1, "caption": "a dog"}]})"},
      {DataKind::kKarpathy, R"({"images": [{"filename": "a.jpg", "split": "train", "imgid": 1,
          "sentences": [{"raw": "a dog"}]}]})"},
      {DataKind::kFlickr8k, "a.jpg#0\ta dog\n"},
      {DataKind::kFolder, "image,caption\na.jpg,a dog\n"},
      {DataKind::kFolder, "image;caption\na.jpg;a dog\n"},
      {DataKind::kFolder, R"([{"image": "a.jpg", "caption": "a dog"}])"},
      {DataKind::kFolder, "a.jpg: a dog\nb.jpg: a cat\n"}};
  const std::filesystem::path file = two.folder().path() / "captions";
  // The message of reading the file as one set, or as the first of two.
  const auto message = [&](DataKind type, bool joined) {
    Loaded<DataConfig> loaded{.config = joined ? two.config() : DataConfig(), .origins = {}};
    const std::string key = type == DataKind::kFlickr8k ? "tokens" : "annotations",
                      images = two.folder().path().string();
    if (joined) {
      apply_override(loaded, str("sets.parks={type: ", enum_name(type), ", images: ", images, ", ",
                                 key, ": ", file.string(), "}"));
    } else {
      for (const std::string& value :
           {str("type=", enum_name(type)), "images=" + images, key + "=" + file.string()})
        apply_override(loaded, value);
    }
    return message_of<DataError>([&] { load_data(loaded.config); });
  };
  for (const DataKind type :
       {DataKind::kCoco, DataKind::kKarpathy, DataKind::kFlickr8k, DataKind::kFolder})
    for (const Form& form : forms) {
      if (form.type == type) continue;
      INFO(enum_name(type) << ": " << form.text);
      two.folder().write("captions", form.text);
      for (const bool joined : {false, true}) {
        const std::string section = joined ? "data.sets.parks" : "data",
                          text = message(type, joined);
        CHECK_THAT(text, Contains(str("; set ", section, ".type=", enum_name(form.type))));
        CHECK(text.starts_with(joined ? section + ": " + file.string() : file.string()));
        const bool key = (type == DataKind::kFlickr8k) != (form.type == DataKind::kFlickr8k);
        CHECK((text.find(" and " + section + ".") != std::string::npos) == key);
      }
    }
  // Another type is no remedy for what is damaged.
  for (const char* damaged :
       {"{}", "{\"images\": 7", R"({"images": [{"filename": 5}]})", R"({"annotations": []})"}) {
    INFO(damaged);
    two.folder().write("captions", damaged);
    for (const bool joined : {false, true}) {
      const std::string text = message(DataKind::kKarpathy, joined);
      CHECK_THAT(text, !Contains("; set "));
      CHECK(text.starts_with("data.sets.parks: ") == joined);
    }
  }
}

TEST_CASE("the first images of joined sets are the first of each, in proportion") {
  const TwoFolders two;
  const LoadedData data = load_data(two.config());
  CHECK(evaluation_images(data.dataset, Split::kVal, 3) == std::vector<Index>{2, 8, 11});
  CHECK(evaluation_images(data.dataset, Split::kVal, 0).size() == 6);
  CHECK(evaluation_images(data.dataset, {}, 6) == std::vector<Index>{0, 1, 6, 7, 8, 9});
  for (Index most = 2; most < 18; ++most) {
    const std::vector<Index> some = evaluation_images(data.dataset, {}, most);
    CHECK(static_cast<Index>(some.size()) == most);
    CHECK(some.front() == 0);
    CHECK(some.back() >= 6);
  }
}

TEST_CASE("an epoch trains on the share of each set, drawn anew") {
  const TwoFolders two;
  const LoadedData data = load_data(two.config(", share: 0.25"));
  const Vocabulary words = training_vocabulary(data, two.config());
  const TrainingSet set(data, two.config(), words, {});
  REQUIRE(set.shares().size() == 1);
  std::vector<int> counts(18);
  constexpr int kEpochs = 400;
  for (const CaptionsPerEpoch how : {CaptionsPerEpoch::kAll, CaptionsPerEpoch::kWholeImages}) {
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const auto plan = plan_epoch(set.items(),
                                   {.seed = 3,
                                    .batch = 4,
                                    .captions = how,
                                    .shares = {set.shares().begin(), set.shares().end()}},
                                   epoch);
      Index parks = 0, streets = 0;
      for (const Batch& batch : plan)
        for (const auto& shard : batch.shards)
          for (const PlanItem& item : shard) {
            (item.image < 6 ? parks : streets) += 1;
            ++counts[static_cast<std::size_t>(item.image)];
          }
      CHECK(parks == 4);
      CHECK(streets == 2);  // round(0.25 * 8)
    }
  }
  for (const Index image : images_of(data.dataset, Split::kTrain)) {
    const double mean = 2.0 * kEpochs * (image < 6 ? 1 : 0.25);
    CHECK(std::abs(counts[static_cast<std::size_t>(image)] - mean) <= 5 * std::sqrt(mean));
  }
}

TEST_CASE("each joined set has its own boxes") {
  const TwoFolders two;
  const auto instances = [&](const std::string& name, const std::string& photo, int x) {
    return two.folder().write(
        name,
        str(R"({"images":[{"id":1,"file_name":")", photo,
            R"(","width":12,"height":12}],"annotations":[{"id":1,"image_id":1,"category_id":18,"bbox":[)",
            x, R"(,2,4,4],"iscrowd":0}],"categories":[{"id":18,"name":"dog"}]})"));
  };
  const auto streets = instances("boxes-streets.json", "streets2.png", 5);
  const DataConfig config = two.config(", boxes: " + streets.string());
  const LoadedData data = load_data(config);
  const std::vector<Index> val = images_of(data.dataset, Split::kVal);
  const auto boxes = configured_boxes(config, data, val, {});
  REQUIRE(boxes);
  CHECK_THAT(boxes->description(), Contains("streets: "));
  const std::vector<std::string> words{"a", "dog"};
  for (const Index image : val) {
    CHECK(boxes->knows(image) == (image == 8));
    const auto nouns = boxes->nouns(image, words, {12, 12});
    CHECK(nouns.size() == (image == 8 ? 1 : 0));
    if (image == 8) CHECK(nouns.at(0).boxes.at(0).x == 5);
  }
  // Boxes of other splits are no mistake, and boxes that nobody named here may have moved. What the
  // user named and no photo of the set has is one, with its key.
  const auto with_boxes = [&](const std::filesystem::path& path) {
    return two.config(", boxes: " + path.string());
  };
  const auto train = with_boxes(instances("train.json", "streets0.png", 5));
  CHECK_FALSE(configured_boxes(train, load_data(train), val, {}, named_all));
  const std::filesystem::path unusable[] = {
      two.folder().path() / "gone.json", instances("others.json", "others.png", 5),
      two.folder().path() / "streets.csv", two.folder().path()};
  for (const std::filesystem::path& path : unusable) {
    INFO(path);
    const DataConfig wrong = with_boxes(path);
    const LoadedData loaded = load_data(wrong);
    std::vector<std::string> told;
    const MessageListener listener = [&](Severity, const std::string& text) {
      told.push_back(text);
    };
    CHECK_FALSE(configured_boxes(wrong, loaded, val, listener));
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Contains("(data.sets.streets.boxes): ") && Contains(path.string()));
    for (const auto& images : {val, std::vector<Index>{8}})
      CHECK_THAT(
          message_of<DataError>(
              [&] { configured_boxes(wrong, loaded, images, listener, named_all); }),
          Catch::Matchers::StartsWith("data.sets.streets.boxes: ") && Contains(path.string()));
    const IsNamed other = [](const std::string& key) { return key == "data.sets.parks.boxes"; };
    CHECK_FALSE(configured_boxes(wrong, loaded, val, listener, other));
    CHECK_THAT(message_of<DataError>([&] { needed_boxes(wrong, loaded, val); }),
               Catch::Matchers::StartsWith("data.sets.streets.boxes: "));
  }
  // A file that is given instead may belong to any of the sets.
  const auto given = boxes_of_file(instances("parks.json", "parks2.png", 1), data, val);
  CHECK(given->knows(2));
  CHECK_FALSE(given->knows(8));
  CHECK_THROWS_AS(boxes_of_file(instances("no.json", "none.png", 1), data, val), DataError);
  // Photos of two sets that have one name would both be judged by it. That they would not all be
  // judged now is no difference: the file may be of photos that are trained on.
  const auto both = two.folder().write(
      "both.json",
      R"({"images":[{"id":1,"file_name":"parks2.png","width":12,"height":12},)"
      R"({"id":2,"file_name":"streets2.png","width":12,"height":12}],"annotations":[],)"
      R"("categories":[{"id":18,"name":"dog"}]})");
  for (const std::vector<Index>& judged : {val, {2}, {8}})
    CHECK_THROWS_WITH(boxes_of_file(both, data, judged), Contains("--data sets.NAME.boxes=PATH"));
  std::string text = read_text(both, "boxes");
  text.replace(text.find("streets2"), 8, "streets0");  // a training image
  two.folder().write("both.json", text);
  CHECK_THROWS_WITH(boxes_of_file(both, data, val), Contains("--data sets.NAME.boxes=PATH"));
}

TEST_CASE("what is wrong with joined sets is said with the set's name, all at once") {
  const TwoFolders two;
  struct Wrong {
    const char* more;
    const char* text;
  };
  const Wrong cases[] = {
      {", imges: x", "data.sets.streets.imges: a set has type, "},
      {", min_count: 2", "data.sets.streets.min_count: a set has type, "},
      {", limit_train: -1", "limit_train"},
      {", share: 0", "share"},
      {", share: 2", "data.sets.streets.share: '2' is out of range"},
      {", split: {val: 3}", "data.sets.streets.split.val: '3' is out of range"},
      {", limit_val: x", "data.sets.streets.limit_val: 'x' is not"},
      {", shar: 1",
       "a set has type, annotations, images, tokens, splits, val_annotations, "
       "val_images, boxes, limit_train, limit_val, share, split, captions_per_image "
       "(did you mean 'share'?)"},
      {", tokens: x", "data.sets.streets.tokens has no effect: type is folder"},
  };
  for (const Wrong& one : cases) {
    INFO(one.more);
    CHECK_THAT(message_of<UsageError>([&] { joined_sets(two.config(one.more)); }),
               Contains(one.text) && Contains("data.sets.streets"));
  }
  const auto sets = [](const std::string& text) {
    Loaded<DataConfig> loaded{.config = {}, .origins = {}};
    apply_override(loaded, "type=joined");
    apply_override(loaded, "sets=" + text);
    return message_of<UsageError>([&] { joined_sets(loaded.config); });
  };
  CHECK_THAT(sets("{}"), Contains("needs two data sets or more"));
  CHECK_THAT(sets("{a: {type: folder, images: x}}"), Contains("it has 1"));
  // What a set may lack that a base has.
  for (const char* few : {"{a: {type: folder, images: x}}", "{a: {images: x}, b: {images: y}}"})
    CHECK_THAT(sets(few), Contains("; data.sets of a file replaces all sets of its base, and "
                                   "data.sets.a.images=PLACE on the command line changes"));
  Loaded<DataConfig> list{.config = {}, .origins = {}};
  for (const char* wrong : {"sets=[{type: coco}, {type: folder}]", "sets=[a, b]", "sets=a"})
    CHECK_THAT(message_of<UsageError>([&] { apply_override(list, wrong); }),
               Contains("expected a map from name to map of key and value, such as {NAME: "));
  CHECK(key_in_set(two.config(), "data.images") == "data.sets.parks.images");
  CHECK(key_in_set(two.config(), "data.min_count").empty());
  CHECK(key_in_set(two.config(), "encoder.images").empty());
  CHECK(key_in_set(DataConfig(), "data.images").empty());
  CHECK_THAT(sets("{a: {images: x}, b/c: {type: scenes}}"),
             Contains("data.sets.a: a set needs a type") &&
                 Contains("data.sets.b/c: the name of a set") &&
                 Contains("data.sets.b/c.type: 'scenes': a set needs a type"));
  // A value of the command line is not one of the file's.
  for (const char* value : {"share=0", "limit_val=-1", "tokens=x", "typ=coco", "split.val=2"}) {
    INFO(value);
    Loaded<DataConfig> loaded{.config = two.config(), .origins = {}};
    loaded.config.sets[1].place = {.source = "two.yaml", .line = 9, .column = 5};
    apply_override(loaded, str("sets.streets.", value));
    CHECK_THAT(message_of<UsageError>([&] { joined_sets(loaded.config); }),
               Catch::Matchers::StartsWith("command line: data.sets.streets"));
    loaded.config.sets[1].places.clear();
    CHECK_THAT(message_of<UsageError>([&] { joined_sets(loaded.config); }),
               Catch::Matchers::StartsWith("two.yaml:9:5: data.sets.streets"));
  }
  Loaded<DataConfig> missing{.config = two.config(), .origins = {}};
  apply_override(missing, "sets.parks.images=/no/such/folder");
  REQUIRE(missing_places(missing.config).size() == 1);
  CHECK_THAT(missing_places(missing.config)[0], Contains("data.sets.parks.images"));
}

TEST_CASE("photos that one set trains on and another one holds out are told") {
  const TwoFolders two;
  CHECK(load_data(two.config()).dataset.notes.empty());
  // Two photos of the streets for training, one of them held out among the parks.
  two.folder().write("streets.csv",
                     "image,caption,split\nparks0.png,a dog,train\nparks2.png,a dog,train\n"
                     "streets2.png,a dog,val\n");
  CHECK(load_data(two.config()).dataset.notes ==
        std::vector<std::string>{
            "photos in the split val of parks and in train of streets: 1; they are scored though "
            "training has seen them"});
}

TEST_CASE("a list of data sets is refused with the key that takes several") {
  CHECK_THROWS_WITH(parse_config<ExperimentConfig>("data: [{type: karpathy}]", "e.yaml"),
                    Contains("'data' is a section of keys, got a list; several go into data.sets"));
}

TEST_CASE("data without a val split say which keys would make one") {
  const TwoFolders two;
  for (const char* which : {"parks", "streets"})
    two.folder().write(str(which, ".csv"),
                       str("image,caption\n", which, "0.png,a dog\n", which, "1.png,two dogs\n"));
  const auto message = [](DataConfig config) {
    return message_of<DataError>([&] { require_validation(load_data(config)); });
  };
  DataConfig none = two.config();
  none.split.val = 0;
  CHECK_THAT(message(none), Contains("no image in split val") &&
                                Contains("data.split.val or data.sets.parks.split.val or "
                                         "data.sets.streets.split.val above 0"));
  require_validation(load_data(two.config()));
  DataConfig one;
  one.type = DataKind::kFolder;
  one.annotations = (two.folder().path() / "parks.csv").string();
  one.images = two.folder().path().string();
  require_validation(load_data(one));
  one.split.val = 0;
  CHECK_THAT(message(one), Contains("set data.split.val above 0"));
  two.folder().write("parks.csv", "image,caption\nparks0.png,a dog\n");
  one.split.val = 0.5;
  CHECK_THAT(message(one), Contains("add images"));
}

}  // namespace saccade::test
