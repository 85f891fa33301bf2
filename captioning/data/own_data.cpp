#include "captioning/data/own_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

#include "captioning/data/data_form.h"
#include "captioning/data/fill_splits.h"
#include "captioning/data/reader_support.h"
#include "captioning/scoring/files/text_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// From so many photos on, a tenth of them can be spared for a test split.
constexpr Index kEnoughForTest = 1000;

DataConfig config_of(DataKind type, const std::string& photos, const std::string& captions) {
  DataConfig config;
  config.type = type;
  config.images = photos;
  config.on_bad_image = BadImage::kSkip;  // to look at the others
  config.captions_per_image = 0;
  config.split = {{.val = 0, .test = 0}};
  if (type != DataKind::kFlickr8k) {
    config.annotations = captions;
    return config;
  }
  config.tokens = captions;
  const fs::path folder = fs::path(captions).parent_path();
  std::error_code error;
  if (fs::exists(folder / "Flickr_8k.trainImages.txt", error))
    config.splits = folder.empty() ? "." : folder.string();
  return config;
}

Index count_of(const Dataset& dataset, Split split) {
  return static_cast<Index>(images_of(dataset, split).size());
}

// The smallest share whose photos are enough to tell better models from worse ones: names choose,
// so that a share may give fewer than it says.
double val_share(const Dataset& dataset) {
  constexpr std::array<double, 5> kShares = {0.1, 0.15, 0.2, 0.25, 0.3};
  const auto train = static_cast<double>(count_of(dataset, Split::kTrain));
  const double wanted = std::max(0.08 * train, 0.75 * std::min(20.0, train / 5));
  for (const double share : kShares) {
    Dataset trial = dataset;
    fill_splits(trial, {.val = share, .test = 0});
    if (static_cast<double>(count_of(trial, Split::kVal)) >= wanted) return share;
  }
  return kShares.back();
}

}  // namespace

double CaptionFacts::lost_share(Index min_count) const {
  Index lost = 0;
  for (const Index count : occurrences) lost += count < min_count ? count : 0;
  return words == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(words);
}

Index CaptionFacts::vocabulary(Index min_count) const {
  return std::count_if(occurrences.begin(), occurrences.end(),
                       [=](Index count) { return count >= min_count; });
}

Index CaptionFacts::length_of_share(double share) const {
  double seen = 0;
  for (std::size_t length = 0; length < lengths.size(); ++length) {
    seen += static_cast<double>(lengths[length]);
    if (seen >= share * static_cast<double>(captions)) return static_cast<Index>(length);
  }
  return static_cast<Index>(lengths.size());
}

CaptionFacts caption_facts(const Dataset& dataset, const std::vector<Index>& images) {
  CaptionFacts out;
  std::unordered_map<std::string, Index> counts;
  for (const Index i : images) {
    const CaptionedImage& image = dataset.images[static_cast<std::size_t>(i)];
    const auto captions = static_cast<Index>(image.captions.size());
    out.least_per_photo = out.captions == 0 ? captions : std::min(out.least_per_photo, captions);
    out.most_per_photo = std::max(out.most_per_photo, captions);
    out.captions += captions;
    for (const std::string& caption : image.captions) {
      const std::vector<std::string> words = tokenize(caption);
      out.words += static_cast<Index>(words.size());
      out.lengths.resize(std::max(out.lengths.size(), words.size() + 1));
      ++out.lengths[words.size()];
      for (const std::string& word : words) ++counts[word];
      out.sides += std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "left" || word == "right";
      });
    }
  }
  for (const auto& [word, count] : counts) out.occurrences.push_back(count);
  std::sort(out.occurrences.rbegin(), out.occurrences.rend());
  return out;
}

OwnData look_at_own_data(const std::string& photos, const std::string& captions,
                         const PhotoProgress& progress) {
  OwnData out;
  const DataForm form = data_form(read_captions_text(captions, "captions file"), captions);
  out.form = form.text;
  out.config = config_of(form.type, photos, captions);
  out.loaded = load_data(out.config);
  Dataset& dataset = out.loaded.dataset;
  out.photos = check_photos(out.loaded, PhotoReading::kHeader, progress);
  if (out.photos.usable() == 0)
    throw DataError(str("none of the ", counted(out.photos.photos, "photo"), " that ", captions,
                        " names can be used: ",
                        out.photos.hint.empty() ? out.photos.first_problem.empty()
                                                      ? "they are missing in " + photos
                                                      : out.photos.first_problem
                                                : out.photos.hint));
  out.makes_val = count_of(dataset, Split::kVal) == 0;
  out.makes_test = count_of(dataset, Split::kTest) == 0;
  const Index all_train = count_of(dataset, Split::kTrain);
  out.config.split = {{.val = out.makes_val ? val_share(dataset) : SplitShares().val,
                       .test = out.makes_test && all_train >= kEnoughForTest ? 0.1 : 0.0}};
  fill_splits(dataset, out.config.split);
  const std::vector<Index> train = usable_images(out.photos, dataset, Split::kTrain);
  out.train = std::ssize(train);
  out.val = std::ssize(usable_images(out.photos, dataset, Split::kVal));
  out.test = std::ssize(usable_images(out.photos, dataset, Split::kTest));
  if (out.train == 0 || out.val == 0)
    throw DataError(str(captions, ": of the photos that can be used, ", out.train,
                        " are for training and ", out.val,
                        " for validation; both are needed, so give more photos",
                        out.makes_val ? "" : ", or another split", notes_of(dataset)));
  out.captions = caption_facts(dataset, train);
  return out;
}

}  // namespace saccade
