#include "captioning/data/data_config.h"

#include "core/config/fields.h"

namespace saccade {

void SplitConfig::fields(Section& v) {
  v.field(
      "val", val,
      "share of the training images that become val; where no image is val, it is at least one; "
      "0 = none",
      between_open_end(0, 1));
  v.field("test", test, "the same for test", between_open_end(0, 1));
}

void DataConfig::fields(Section& v) {
  v.field("type", type, "the data set");
  v.field("annotations", annotations,
          "captions JSON (karpathy, coco), or a list of captions (folder)")
      .only_with("data.type", DataKind::kKarpathy, DataKind::kCoco, DataKind::kFolder)
      .is(Trait::kFile)
      .is(Trait::kNeeded, when("data.type", DataKind::kKarpathy, DataKind::kCoco))
      .is(Trait::kMayChange);  // what this and the other files say is compared
  v.field("images", images, "folder of the images; with encoder.type features it may be left out")
      .unless("data.type", DataKind::kScenes, DataKind::kSequences, DataKind::kJoined)
      .is(Trait::kFile)
      .is(Trait::kNeeded)
      .is(Trait::kMayChange);
  v.field("tokens", tokens, "Flickr8k.token.txt")
      .only_with("data.type", DataKind::kFlickr8k)
      .is(Trait::kFile)
      .is(Trait::kNeeded)
      .is(Trait::kMayChange);
  v.field("splits", splits, "folder of Flickr_8k.*Images.txt; empty = data.split makes the splits")
      .only_with("data.type", DataKind::kFlickr8k)
      .is(Trait::kFile)
      .is(Trait::kMayChange);
  v.field("val_annotations", val_annotations, "captions JSON of the validation set")
      .only_with("data.type", DataKind::kCoco)
      .is(Trait::kFile)
      .is(Trait::kMayChange);
  v.field("val_images", val_images, "folder of the validation images")
      .only_with("data.type", DataKind::kCoco)
      .is(Trait::kFile)
      .is(Trait::kNeeded, unless("data.val_annotations", "\"\""))
      .is(Trait::kMayChange);
  v.field("boxes", boxes,
          "boxes of the objects in the photos, by which maps are judged and, in training, "
          "supervised: a COCO instances JSON, or a folder of Flickr30k Entities; empty = none")
      .unless("data.type", DataKind::kScenes, DataKind::kSequences, DataKind::kJoined)
      .is(Trait::kFile)
      // Nothing else tells whether boxes that attention learns from are the same.
      .is(Trait::kMayChange, when("objective.supervision.boxes", "0"));
  v.field("vocabulary", vocabulary, "the units that captions consist of");
  v.field("min_count", min_count, "words seen less often in training become <unk>", between(1, 1e6))
      .only_with("data.vocabulary", VocabularyKind::kWords);
  v.field("bpe_size", bpe_size, "entries of the vocabulary, including special ones",
          between(8, 1e6))
      .only_with("data.vocabulary", VocabularyKind::kBpe);
  v.field("max_length", max_length,
          "longest caption in words (also with bpe); longer ones are cut and counted",
          between(1, 1000));
  v.field("captions_per_image", captions_per_image, "captions kept per image; 0 = all",
          between(0, 1000));
  v.field("on_bad_image", on_bad_image, "what to do with an image that cannot be read")
      .unless("data.type", DataKind::kScenes, DataKind::kSequences);
  v.field("max_megapixels", max_megapixels,
          "largest image that is decoded, in millions of pixels; decoding takes up to 16 bytes of "
          "memory a pixel",
          between(1, 2000))
      .is(Trait::kMayChange);
  v.field("limit_train", limit_train,
          "use only this many training images (of each of data.sets); 0 = all", at_least(0));
  v.field("limit_val", limit_val,
          "use only this many validation images (of each of data.sets); 0 = all", at_least(0));
  v.field("share", share,
          "share of the training images that an epoch trains on, drawn anew for each epoch; of one "
          "of data.sets, so that a large set does not drown a small one",
          {.min = 0, .max = 1, .min_open = true});
  v.field(
       "sets", sets,
       "the data sets that are joined, each a name with keys of `data`: their type, files, boxes, "
       "share, limits and splits; what a set leaves out is that of `data`")
      .only_with("data.type", DataKind::kJoined)
      // The content is compared. Nothing else tells whether boxes that attention learns from are
      // the same.
      .is(Trait::kMayChange, when("objective.supervision.boxes", "0"));
  v.section("split", split,
            "the share of the images, chosen by their names, of which a split is made that the "
            "files lack; a split that the files have stays as it is")
      .unless("data.type", DataKind::kScenes, DataKind::kSequences);
  v.section("scenes", scenes, "the built-in data set").only_with("data.type", DataKind::kScenes);
  v.section("sequences", sequences, "the built-in tasks on texts")
      .only_with("data.type", DataKind::kSequences);
}

}  // namespace saccade
