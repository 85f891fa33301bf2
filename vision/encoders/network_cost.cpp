#include "vision/encoders/network_cost.h"

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr const char* kAdvice = "; choose a layer before it, or a smaller encoder.image_size";

}  // namespace

void check_extents(const std::string& place, std::span<const Index> extents) {
  constexpr Index kMostNumbers = 1 << 28, kMostExtent = 1 << 24;
  Index numbers = 1;
  std::string text;
  for (const Index extent : extents) {
    text += str(text.empty() ? "" : " x ", extent);
    const bool fits = extent >= 1 && extent <= kMostExtent && numbers <= kMostNumbers;
    numbers = fits ? numbers * extent : kMostNumbers + 1;
  }
  if (numbers > kMostNumbers)
    throw DataError(str(place, " would give ", text,
                        " numbers for an image, which is nothing or "
                        "too much",
                        kAdvice));
}

void NetworkCost::add(const std::string& place, double numbers, double products) {
  constexpr double kMostNumbers = 1 << 30, kMostProducts = 4e12;
  numbers_ += numbers;
  products_ += products;
  if (!(numbers_ <= kMostNumbers))
    throw DataError(str(place, " takes the memory for an image above 2^30 numbers", kAdvice));
  if (!(products_ <= kMostProducts))
    throw DataError(str(place, " takes the work for an image above 4 * 10^12 products", kAdvice));
}

}  // namespace saccade
