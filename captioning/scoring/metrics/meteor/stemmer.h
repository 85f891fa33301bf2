// Porter's second English stemmer ("english" of Snowball), from libstemmer. One thread at a time.
#pragma once

#include <memory>
#include <string_view>

struct sb_stemmer;

namespace saccade::meteor {

class Stemmer {
 public:
  Stemmer();
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;

  // The stem of a lower-case word (UTF-8), valid until the next call.
  std::string_view stem(std::string_view word) const;

 private:
  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
};

}  // namespace saccade::meteor
