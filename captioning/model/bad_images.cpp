#include "captioning/model/bad_images.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

void tell_bad_images(const Dataset& dataset, std::span<const Index> images,
                     std::span<const Index> bad,
                     const std::function<const std::string&(Index)>& problem_of,
                     const MessageListener& listener) {
  if (bad.empty()) return;
  std::vector<std::string> names;
  for (const Index image : bad) names.push_back(dataset.images[static_cast<std::size_t>(image)].id);
  const auto require_some = [&](const std::string& name, Index begin, Index end) {
    const auto within = [=](Index image) { return image >= begin && image < end; };
    const auto wanted = std::ranges::count_if(images, within);
    if (wanted == 0 || wanted != std::ranges::count_if(bad, within)) return;
    throw DataError(str(name, ": none of ", wanted, " images can be read; the first: ",
                        problem_of(*std::ranges::find_if(bad, within))));
  };
  require_some(dataset.name, 0, std::ssize(dataset.images));
  for (const DatasetPart& part : dataset.parts) require_some(part.name, part.begin, part.end);
  warn(listener, str(dataset.name, ": left out ", bad.size(), " of ", images.size(),
                     " images, because they cannot be read: ", first_names(names),
                     "; the first: ", problem_of(bad[0])));
}

}  // namespace saccade
