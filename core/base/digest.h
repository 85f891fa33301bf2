// Digest: XXH3-128 of a sequence of strings, to distinguish data sets, vocabularies and settings.
// Everything may include it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace saccade {

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  // Adds one string; its length counts, so that ("ab", "c") differs from ("a", "bc").
  void add(std::string_view text);
  // 32 hexadecimal digits of everything that was added so far.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace saccade
