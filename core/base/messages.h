// What the library tells beside results and errors. It prints nothing: whoever calls it says with a
// listener what becomes of its messages.
#pragma once

#include <functional>
#include <string>

namespace saccade {

enum class Severity { kInfo, kWarning };

// Called with one line of text, from the thread that does the work. Without a function, nobody
// hears.
using MessageListener = std::function<void(Severity, const std::string&)>;

inline void inform(const MessageListener& listener, const std::string& text) {
  if (listener) listener(Severity::kInfo, text);
}
inline void warn(const MessageListener& listener, const std::string& text) {
  if (listener) listener(Severity::kWarning, text);
}

}  // namespace saccade
