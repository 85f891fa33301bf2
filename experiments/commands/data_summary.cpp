#include "experiments/commands/data_summary.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "captioning/data/batch_plan.h"
#include "captioning/data/own_data.h"
#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/base/table.h"
#include "experiments/commands/check_files.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSamples = 8;
constexpr Index kBarWidth = 40;

struct KnownCount {
  std::string_view dataset;
  Split split;
  Index images;
};
// Karpathy's splits (restval in train) and the official ones of Flickr8k.
constexpr std::array<KnownCount, 9> kKnown = {{{"flickr8k", Split::kTrain, 6000},
                                               {"flickr8k", Split::kVal, 1000},
                                               {"flickr8k", Split::kTest, 1000},
                                               {"flickr30k", Split::kTrain, 29000},
                                               {"flickr30k", Split::kVal, 1014},
                                               {"flickr30k", Split::kTest, 1000},
                                               {"coco", Split::kTrain, 113287},
                                               {"coco", Split::kVal, 5000},
                                               {"coco", Split::kTest, 5000}}};

std::string compare_count(const LoadedData& data, const DataConfig& config, Split split,
                          Index images) {
  const bool published = config.type == DataKind::kKarpathy || config.type == DataKind::kFlickr8k;
  if (!published) return "";
  for (const KnownCount& known : kKnown) {
    if (known.dataset != data.dataset.name || known.split != split) continue;
    if (images == known.images) return "as published";
    return str("published: ", known.images);
  }
  return "";
}

double share(Index part, Index whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Counts one more caption of this length.
void count_length(std::vector<Index>& lengths, std::size_t length) {
  lengths.resize(std::max(lengths.size(), length + 1));
  ++lengths[length];
}

void add_training_caption(DataSummary& out, std::vector<std::string> words,
                          const Vocabulary& vocabulary, const ExperimentConfig& config) {
  count_length(out.lengths, words.size());
  const auto most = static_cast<std::size_t>(config.data.max_length);
  out.cut_captions += words.size() > most ? 1 : 0;
  words.resize(std::min(words.size(), most));
  const std::vector<Index> ids = vocabulary.encode(words);
  if (out.pieces) count_length(out.piece_lengths, ids.size());
  out.too_long_captions += static_cast<Index>(ids.size()) > config.search.max_length ? 1 : 0;
}

// One bar for each length that occurs.
std::string histogram(const std::vector<Index>& lengths) {
  std::string out;
  const Index most = lengths.empty() ? 1 : *std::max_element(lengths.begin(), lengths.end());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Index count = lengths[i];
    if (count == 0) continue;
    const std::string length = std::to_string(i);
    out += std::string(length.size() < 4 ? 4 - length.size() : 0, ' ') + length + " " +
           std::string(static_cast<std::size_t>((count * kBarWidth + most - 1) / most), '#') + " " +
           std::to_string(count) + "\n";
  }
  return out;
}

std::string training_captions(Index count) {
  return counted(count, "training caption has", "training captions have");
}

// The vocabulary of the training captions; where there is none, the special words, and the reason.
Vocabulary vocabulary_or_problem(const LoadedData& data, const ExperimentConfig& config,
                                 std::string& problem) {
  try {
    return training_vocabulary(data, config.data, config.tokens);
  } catch (const DataError& error) {
    problem = error.what();
    return {};
  }
}

// [n - 1] -> the number of words that occur at least n times in the training captions.
std::vector<Index> words_by_count(const Dataset& dataset, Index most) {
  constexpr Index kMostShown = 10;
  const CaptionFacts facts = caption_facts(dataset, images_of(dataset, Split::kTrain));
  std::vector<Index> out;
  for (Index n = 1; n <= std::min(most, kMostShown); ++n) out.push_back(facts.vocabulary(n));
  return out;
}

Json json_of(std::span<const CheckedFile> files) {
  Json out = Json::array();
  for (const CheckedFile& one : files) {
    out.push_back({{"key", one.file.key},
                   {"path", one.file.path},
                   {"state", enum_name(one.state)},
                   {"what", one.file.doc}});
    if (!one.problem.empty()) out.back()["problem"] = one.problem;
    if (!one.contents.empty()) out.back()["contents"] = one.contents;
  }
  return out;
}

// How many images an epoch takes where it does not take all: a line for each share.
std::string epoch_text(const DataSummary& summary) {
  std::string out;
  const auto add = [&](const std::string& key, const std::string& of, double taken, Index in_epoch,
                       Index images) {
    if (taken < 1 && images > 0)
      out += str("an epoch trains on ", in_epoch, " of the ", images, " training images", of,
                 ", drawn anew (", key, " ", taken, ")\n");
  };
  for (const SplitSummary& split : summary.splits) {
    if (split.split != Split::kTrain) continue;
    if (split.sets.empty()) add("data.share", "", split.share, split.in_epoch, split.images);
    for (const SplitSummary::Set& set : split.sets)
      add(str("data.sets.", set.name, ".share"), " of " + set.name, set.share, set.in_epoch,
          set.images);
  }
  return out;
}

}  // namespace

DataSummary summarize(const LoadedData& data, const ExperimentConfig& config) {
  const Dataset& dataset = data.dataset;
  std::string problem;
  const Vocabulary vocabulary = vocabulary_or_problem(data, config, problem);
  DataSummary out{.dataset = dataset.name,
                  .digest = dataset.digest,
                  .splits = {},
                  .notes = dataset.notes,
                  .vocabulary = vocabulary.size(),
                  .problem = problem,
                  .words_left = problem.empty() || config.data.vocabulary != VocabularyKind::kWords
                                    ? std::vector<Index>()
                                    : words_by_count(dataset, config.data.min_count),
                  .pieces = vocabulary.has_pieces(),
                  .lengths = {},
                  .piece_lengths = {},
                  .samples = {}};
  for (const Split split : {Split::kTrain, Split::kVal, Split::kTest}) {
    SplitSummary summary{.split = split, .known_count = {}};
    for (const Index i : images_of(dataset, split)) {
      const CaptionedImage& image = dataset.images[static_cast<std::size_t>(i)];
      ++summary.images;
      for (const std::string& caption : image.captions) {
        const std::vector<std::string> words = tokenize(caption);
        ++summary.captions;
        summary.words += static_cast<Index>(words.size());
        const std::vector<Index> ids = vocabulary.encode(words);
        summary.unknown_words += std::count(ids.begin(), ids.end(), Vocabulary::kUnk);
        if (split == Split::kTrain) add_training_caption(out, words, vocabulary, config);
      }
    }
    for (const DatasetPart& part : dataset.parts) {
      Index images = 0;
      for (Index i = part.begin; i < part.end; ++i)
        images += dataset.images[static_cast<std::size_t>(i)].split == split ? 1 : 0;
      const auto place = static_cast<std::size_t>(&part - dataset.parts.data());
      const double taken = data.sets[place].config.share;
      summary.sets.push_back({.name = part.name,
                              .images = images,
                              .share = taken,
                              .in_epoch = images_of_share(taken, images)});
    }
    summary.share = config.data.share;
    summary.in_epoch = images_of_share(summary.share, summary.images);
    summary.known_count = compare_count(data, config.data, split, summary.images);
    out.splits.push_back(std::move(summary));
  }
  const std::size_t images = dataset.images.size();
  for (std::size_t k = 0; k < std::min(kSamples, images); ++k) {
    const CaptionedImage& image = dataset.images[k * images / std::min(kSamples, images)];
    out.samples.push_back({image.id, image.captions.front()});
  }
  return out;
}

std::string files_text(std::span<const CheckedFile> files) {
  std::string out;
  for (const CheckedFile& one : files) {
    const std::string& note = one.state == FileState::kThere ? one.contents : one.file.doc;
    out += str(enum_name(one.state), ": ", one.file.key);
    if (!one.file.path.empty()) out += " = " + plain_text(one.file.path);
    out += note.empty() ? "\n" : " (" + note + ")\n";
  }
  return out;
}

std::string files_json(std::span<const CheckedFile> files) {
  return json_text({{"schema_version", 1}, {"files", json_of(files)}});
}

std::string summary_json(const DataSummary& summary, std::span<const CheckedFile> files) {
  Json json = {{"schema_version", 1},
               {"files", json_of(files)},
               {"dataset", summary.dataset},
               {"digest", summary.digest}};
  json["splits"] = Json::array();
  for (const SplitSummary& split : summary.splits) {
    Json entry = {{"name", split_name(split.split)},
                  {"images", split.images},
                  {"captions", split.captions},
                  {"words", split.words},
                  {"unknown_words", split.unknown_words},
                  {"unknown_share", share(split.unknown_words, split.words)}};
    if (!split.known_count.empty()) entry["known_count"] = split.known_count;
    const bool trains = split.split == Split::kTrain;
    for (const SplitSummary::Set& set : split.sets) {
      Json one = {{"name", set.name}, {"images", set.images}};
      if (trains) one.update({{"share", set.share}, {"images_in_epoch", set.in_epoch}});
      entry["sets"].push_back(std::move(one));
    }
    if (trains && split.sets.empty())
      entry.update({{"share", split.share}, {"images_in_epoch", split.in_epoch}});
    json["splits"].push_back(std::move(entry));
  }
  json["notes"] = summary.notes;
  if (!summary.problem.empty()) {
    json["problem"] = summary.problem;
    json["words_left"] = summary.words_left;
  }
  json["vocabulary_size"] = summary.vocabulary;
  json["cut_captions"] = summary.cut_captions;
  json["too_long_captions"] = summary.too_long_captions;
  json["lengths"] = summary.lengths;
  if (summary.pieces) json["piece_lengths"] = summary.piece_lengths;
  json["samples"] = Json::array();
  for (const DataSummary::Sample& sample : summary.samples)
    json["samples"].push_back({{"image", sample.image}, {"caption", sample.caption}});
  if (summary.photos.looked_at)
    json["photos"] = {{"usable", summary.photos.usable},
                      {"missing", summary.photos.missing},
                      {"unreadable", summary.photos.unreadable}};
  return json_text(json);
}

std::string summary_text(const DataSummary& summary) {
  std::string out = summary.dataset + " (" + summary.digest + ")\n";
  for (const SplitSummary& split : summary.splits) {
    out += str(split_name(split.split), ": ", counted(split.images, "image"));
    std::string sets;
    for (const SplitSummary::Set& set : split.sets)
      sets += str(sets.empty() ? " (" : ", ", set.images, " of ", set.name);
    if (split.images > 0 && !sets.empty()) out += sets + ")";
    if (split.images > 0)
      out += str(", ", counted(split.captions, "caption"), ", ", counted(split.words, "word"), ", ",
                 decimals(100 * share(split.unknown_words, split.words), 2), " % of them unknown");
    if (!split.known_count.empty()) out += " (" + split.known_count + ")";
    out += "\n";
  }
  out += epoch_text(summary);
  const char* entries = summary.pieces ? " pieces of words" : " words";
  out += str("vocabulary: ", summary.vocabulary, entries, "; ",
             training_captions(summary.cut_captions), " more words than data.max_length and ",
             summary.cut_captions == 1 ? "is" : "are", " cut to it\n");
  if (summary.too_long_captions > 0)
    out += str(training_captions(summary.too_long_captions), " more", entries,
               " than search.max_length, so the search cannot write them in full\n");
  if (!summary.words_left.empty()) out += "words of the training captions that occur at least";
  for (std::size_t n = 0; n < summary.words_left.size(); ++n)
    out += str(n == 0 ? " " : ", ", counted(static_cast<Index>(n) + 1, "time"), ": ",
               summary.words_left[n]);
  if (!summary.words_left.empty()) out += "\n";
  for (const std::string& note : summary.notes) out += "note: " + note + "\n";
  for (const std::string& line : summary.photos.lines) out += line + "\n";
  out += "\nwords per training caption, and the number of captions\n" + histogram(summary.lengths);
  if (summary.pieces)
    out += "\npieces per training caption, and the number of captions\n" +
           histogram(summary.piece_lengths);
  out += "\nsamples\n";
  for (const DataSummary::Sample& sample : summary.samples)
    out += "  " + sample.image + ": " + sample.caption + "\n";
  return out;
}

}  // namespace saccade
