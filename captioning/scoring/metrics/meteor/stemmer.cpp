#include "captioning/scoring/metrics/meteor/stemmer.h"

#include <libstemmer.h>

#include <new>

namespace saccade::meteor {

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "UTF_8"), &sb_stemmer_delete) {
  if (stemmer_ == nullptr) throw std::bad_alloc();
}

Stemmer::~Stemmer() = default;

std::string_view Stemmer::stem(std::string_view word) const {
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace saccade::meteor
