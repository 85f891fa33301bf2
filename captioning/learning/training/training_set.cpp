#include "captioning/learning/training/training_set.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/stages.h"
#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

std::vector<PlanShare> training_shares(const LoadedData& data, const DataConfig& config) {
  std::vector<PlanShare> out;
  const auto add = [&](Index begin, Index end, double share) {
    if (share < 1) out.push_back({.begin = begin, .end = end, .share = share});
  };
  if (data.sets.empty()) add(0, std::ssize(data.dataset.images), config.share);
  for (std::size_t s = 0; s < data.sets.size(); ++s)
    add(data.dataset.parts[s].begin, data.dataset.parts[s].end, data.sets[s].config.share);
  return out;
}

void check_stages(const ExperimentConfig& config, const LoadedData& data) {
  std::vector<PlanItem> items;
  for (const Index i : images_of(data.dataset, Split::kTrain))
    for (Index c = 0; c < std::ssize(data.dataset.images[static_cast<std::size_t>(i)].captions);
         ++c)
      items.push_back({.image = i, .caption = c, .length = 1});
  if (!items.empty()) stages_of(config, items, training_shares(data, config.data));
}

Vocabulary training_vocabulary(const LoadedData& data, const DataConfig& config,
                               const std::shared_ptr<const Vocabulary>& published) {
  if (config.vocabulary == VocabularyKind::kPublished) {
    SACCADE_ASSERT(published != nullptr, "published tokens were not read");
    return *published;
  }
  std::vector<std::vector<std::string>> captions;
  for (const Index i : images_of(data.dataset, Split::kTrain))
    for (const std::string& caption : data.dataset.images[static_cast<std::size_t>(i)].captions)
      captions.push_back(tokenize(caption));
  return config.vocabulary == VocabularyKind::kBpe ? Vocabulary::pieces(captions, config.bpe_size)
                                                   : Vocabulary::count(captions, config.min_count);
}

TrainingSet::TrainingSet(const LoadedData& data, const DataConfig& config,
                         const Vocabulary& vocabulary, std::span<const Index> bad)
    : data_(&data),
      shares_(training_shares(data, config)),
      vocabulary_(&vocabulary),
      max_length_(config.max_length),
      captions_(data.dataset.images.size()),
      image_words_(data.dataset.images.size()),
      written_(data.dataset.images.size()) {
  for (const Index i : images_of(data.dataset, Split::kTrain)) {
    if (std::find(bad.begin(), bad.end(), i) != bad.end()) continue;
    const auto image = static_cast<std::size_t>(i);
    const std::vector<std::string>& texts = data.dataset.images[image].captions;
    for (std::size_t place = 0; place < texts.size(); ++place) {
      std::vector<std::string> tokens = tokenize(texts[place]);
      if (tokens.empty()) continue;
      if (static_cast<Index>(tokens.size()) > config.max_length) {
        tokens.resize(static_cast<std::size_t>(config.max_length));
        ++cut_;
      }
      std::vector<int> ids;
      for (const Index id : vocabulary.encode(tokens)) ids.push_back(static_cast<int>(id));
      unknown_ += std::count(ids.begin(), ids.end(), static_cast<int>(Vocabulary::kUnk));
      items_.push_back({.image = i,
                        .caption = static_cast<Index>(captions_[image].size()),
                        .length = static_cast<Index>(ids.size())});
      std::copy_if(ids.begin(), ids.end(), std::back_inserter(image_words_[image]),
                   [](int id) { return id != static_cast<int>(Vocabulary::kUnk); });
      captions_[image].push_back(std::move(ids));
      written_[image].push_back(place);
    }
    std::vector<int>& all = image_words_[image];
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  if (items_.empty())
    throw DataError(data.dataset.name +
                    ": no training caption is left; check data.limit_train and the splits");
}

Index TrainingSet::longer_than(Index entries) const {
  return std::count_if(items_.begin(), items_.end(),
                       [=](const PlanItem& item) { return item.length > entries; });
}

const std::vector<int>& TrainingSet::words(const PlanItem& item) const {
  return captions_[static_cast<std::size_t>(item.image)][static_cast<std::size_t>(item.caption)];
}

std::vector<std::string> TrainingSet::tokens(const PlanItem& item) const {
  const auto image = static_cast<std::size_t>(item.image);
  const std::size_t place = written_[image][static_cast<std::size_t>(item.caption)];
  std::vector<std::string> tokens = tokenize(data_->dataset.images[image].captions[place]);
  if (static_cast<Index>(tokens.size()) > max_length_)
    tokens.resize(static_cast<std::size_t>(max_length_));
  return tokens;
}

TrainingSet::Places TrainingSet::places_of(const PlanItem& item, std::size_t word) const {
  const std::vector<std::string> words = tokens(item);
  const auto entries = [&](std::size_t first_words) {
    return static_cast<Index>(
        vocabulary_->encode(std::span<const std::string>(words).first(first_words)).size());
  };
  return {.begin = entries(word), .end = entries(word + 1)};
}

const std::string& TrainingSet::image_id(const PlanItem& item) const {
  return data_->dataset.images[static_cast<std::size_t>(item.image)].id;
}

CaptionRewards TrainingSet::rewards(const Vocabulary& vocabulary, const RewardConfig& weights,
                                    const OwnReward& own) const {
  std::vector<Index> images;  // the items of an image stand next to each other
  for (const PlanItem& item : items_)
    if (images.empty() || images.back() != item.image) images.push_back(item.image);
  return {data_->dataset, images, vocabulary, weights, own};
}

std::vector<std::string> length_warnings(const TrainingSet& set, const DataConfig& data,
                                         const SearchConfig& search) {
  constexpr double kMostShare = 0.03;
  std::vector<std::string> warnings;
  const auto count = static_cast<double>(set.items().size());
  const auto warn = [&](Index captions, const std::string& key, const std::string& what) {
    const double share = static_cast<double>(captions) / count;
    if (share <= kMostShare) return;
    warnings.push_back(str(captions, " of ", set.items().size(), " training captions (",
                           std::lround(100 * share), " %) ", what, "; set ", key,
                           " higher (`saccade data` shows their lengths)"));
  };
  warn(set.cut_captions(), "data.max_length",
       str("are cut to data.max_length, ", data.max_length, " words"));
  const char* entries = data.vocabulary == VocabularyKind::kWords ? " words" : " pieces of words";
  warn(set.longer_than(search.max_length), "search.max_length",
       str("are longer than search.max_length, ", search.max_length, entries,
           ", so that search cannot find them"));
  return warnings;
}

namespace {

// What the changes of a picture depend on: its image and, where captions do not share it, its
// caption, so that views mix.
RandomKey changes_key(const PlanItem& item, const Batch& plan, const DatasetInputs& inputs,
                      std::uint64_t seed, Index epoch) {
  constexpr int kCaptionShift = 40;  // images are fewer than 2^40
  auto sample = static_cast<std::uint64_t>(item.image);
  if (inputs.views() > 1 && !plan.whole_images)
    sample |= static_cast<std::uint64_t>(item.caption) << kCaptionShift;
  return {seed, Stream::kAugment, static_cast<std::uint64_t>(epoch), sample};
}

// The items whose inputs a shard needs: all, or the first of each image; and which of them each
// item is of.
struct ShardInputs {
  std::vector<PlanItem> needed;
  std::vector<int> of_item;
};
ShardInputs shard_inputs(std::span<const PlanItem> items, const Batch& plan) {
  ShardInputs out;
  if (!plan.whole_images) {
    out.needed.assign(items.begin(), items.end());
    return out;
  }
  std::map<Index, int> place;  // of each image
  for (const PlanItem& item : items) {
    const auto [found, is_new] = place.emplace(item.image, static_cast<int>(place.size()));
    if (is_new) out.needed.push_back(item);
    out.of_item.push_back(found->second);
  }
  return out;
}

}  // namespace

TrainBatch make_batch(const Batch& plan, const TrainingSet& set, const DatasetInputs& inputs,
                      std::uint64_t seed, Index epoch,
                      const std::optional<parallel::ShardRange>& own) {
  TrainBatch batch;
  for (std::size_t s = 0; s < plan.shards.size(); ++s) {
    const std::vector<PlanItem>& items = plan.shards[s];
    const auto number = static_cast<Index>(s);
    if (own && (number < own->begin || number >= own->end)) {
      const auto captions = static_cast<Index>(items.size());
      ++batch.shards_elsewhere;
      batch.captions_elsewhere += captions;
      if (number < own->begin) batch.captions_before += captions;
      continue;
    }
    TrainShard shard;
    const ShardInputs read = shard_inputs(items, plan);
    shard.inputs = InputBatch(inputs.shape(), static_cast<Index>(read.needed.size()));
    for (const PlanItem& item : read.needed) {
      const auto place = static_cast<Index>(shard.seen.size());
      const RandomKey key = changes_key(item, plan, inputs, seed, epoch);
      shard.seen.push_back(inputs.load_augmented(item.image, key, shard.inputs.values_of(place)));
      shard.inputs.set_area(place, picture_area(shard.seen.back()));
    }
    std::vector<std::vector<int>> captions;
    for (const PlanItem& item : items) {
      captions.push_back(set.words(item));
      shard.images.push_back(item.image);
      shard.ids.push_back(set.image_id(item));
    }
    shard.captions = pack_captions(captions, static_cast<int>(Vocabulary::kBos),
                                   static_cast<int>(Vocabulary::kEos));
    shard.captions.images = read.of_item;
    batch.shards.push_back(std::move(shard));
  }
  return batch;
}

}  // namespace saccade
