#include "captioning/scoring/files/splits.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/random.h"
#include "core/base/real.h"

namespace saccade {

namespace {

// Where the image's name lies between 0 and 1.
double position(const NamedSplit& image) {
  return static_cast<double>(name_key(image.name) >> 11) * 0x1.0p-53;
}

std::vector<NamedSplit*> images_in(std::vector<NamedSplit>& images, Split split) {
  std::vector<NamedSplit*> out;
  for (NamedSplit& image : images)
    if (image.split == split) out.push_back(&image);
  return out;
}

// Moves the training images whose positions are in [begin, begin + share) to another split, at
// least one if train keeps one, and notes it.
void fill(std::vector<NamedSplit>& images, Split split, double begin, double share,
          std::vector<std::string>& notes) {
  if (share <= 0 || !images_in(images, split).empty()) return;
  const std::vector<NamedSplit*> train = images_in(images, Split::kTrain);
  if (train.size() < 2) return;
  std::vector<NamedSplit*> chosen;
  std::copy_if(train.begin(), train.end(), std::back_inserter(chosen), [&](const NamedSplit* one) {
    const double place = position(*one);
    return place >= begin && place < begin + share;
  });
  const auto first = [](const NamedSplit* a, const NamedSplit* b) {
    return std::pair(position(*a), a->name) < std::pair(position(*b), b->name);
  };
  if (chosen.empty()) chosen.push_back(*std::min_element(train.begin(), train.end(), first));
  if (chosen.size() == train.size()) {  // of a few images, names may choose all
    chosen.erase(std::max_element(chosen.begin(), chosen.end(), first));
  }
  for (NamedSplit* image : chosen) image->split = split;
  notes.push_back(str("the files have no ", split_name(split), " split: ", chosen.size(), " of ",
                      counted(static_cast<Index>(train.size()), "training image"),
                      ", chosen by a hash of their names, ", chosen.size() == 1 ? "is " : "are ",
                      split_name(split), " (data.split.", split_name(split), ")"));
}

}  // namespace

std::optional<Split> find_split(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Split>, 12> kWords = {
      {{"train", Split::kTrain},
       {"training", Split::kTrain},
       {"trn", Split::kTrain},
       {"restval", Split::kTrain},
       {"val", Split::kVal},
       {"valid", Split::kVal},
       {"validation", Split::kVal},
       {"dev", Split::kVal},
       {"development", Split::kVal},
       {"test", Split::kTest},
       {"testing", Split::kTest},
       {"tst", Split::kTest}}};
  std::string plain;
  for (const char c : word) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, split] : kWords)
    if (plain == known) return split;
  return std::nullopt;
}

Split parse_split(std::string_view name) {
  if (const auto split = find_split(name)) return *split;
  throw UsageError(str("unknown split '", name,
                       "'; use train, val or test (or training, validation, dev, ...)"));
}

std::string_view split_name(Split split) { return kSplitNames[static_cast<std::size_t>(split)]; }

std::vector<std::string> fill_splits(std::vector<NamedSplit>& images, const SplitShares& shares) {
  if (shares.val + shares.test >= 1) {
    throw UsageError(str("data.split: val ", shares.val, " and test ", shares.test,
                         " leave nothing to train on; their sum must be below 1"));
  }
  std::vector<std::string> notes;
  fill(images, Split::kVal, 0, shares.val, notes);
  fill(images, Split::kTest, shares.val, shares.test, notes);
  return notes;
}

}  // namespace saccade
