// The splits of a list of images, and those that are made where it has none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

enum class Split : std::uint8_t { kTrain, kVal, kTest };
inline constexpr std::array<std::string_view, 3> kSplitNames = {"train", "val", "test"};

// The split that a word means, in any case: train, training, trn; val, valid, validation, dev,
// development; test, testing, tst; restval (Karpathy's) is train. Nothing for any other.
std::optional<Split> find_split(std::string_view word);
// The same; throws UsageError for any other word.
Split parse_split(std::string_view name);
std::string_view split_name(Split split);

// Which shares of the training images become val and test where a list has none.
struct SplitShares {
  double val = 0.1;
  double test = 0;
};

struct NamedSplit {
  std::string name;  // of the image
  Split split = Split::kTrain;
};

// Takes images from train for val, where no image is val, and then for test, where none is test. A
// hash of an image's name alone decides, so that the split depends neither on the order nor on the
// other images, and stays when images are added. If a share above 0 chooses no image, the one with
// the smallest hash is taken, as long as train keeps one. Returns a note for each split that was
// filled. Throws UsageError where the shares leave nothing to train on.
std::vector<std::string> fill_splits(std::vector<NamedSplit>& images, const SplitShares& shares);

}  // namespace saccade
