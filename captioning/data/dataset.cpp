#include "captioning/data/dataset.h"

#include <cctype>
#include <utility>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace saccade {

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

std::vector<Index> images_of(const Dataset& dataset, Split split) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < dataset.images.size(); ++i) {
    if (dataset.images[i].split == split) out.push_back(static_cast<Index>(i));
  }
  return out;
}

std::vector<std::string> named_notes(const Dataset& dataset) {
  std::vector<std::string> out = dataset.notes;
  if (dataset.parts.empty())
    for (std::string& note : out) note.insert(0, dataset.name + ": ");
  return out;
}

Index caption_count(const Dataset& dataset, const std::vector<Index>& images) {
  Index count = 0;
  for (const Index i : images) {
    count += static_cast<Index>(dataset.images[static_cast<std::size_t>(i)].captions.size());
  }
  return count;
}

std::string dataset_digest(const Dataset& dataset) {
  Digest digest;
  digest.add(dataset.name);
  for (const CaptionedImage& image : dataset.images) {
    digest.add(image.id);
    digest.add(std::to_string(image.number));
    digest.add(split_name(image.split));
    digest.add(std::to_string(image.captions.size()));
    for (const std::string& caption : image.captions) digest.add(caption);
  }
  return digest.hex();
}

}  // namespace saccade
