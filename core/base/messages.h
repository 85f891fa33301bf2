// Messages of the library, beside its results and errors. It prints nothing: a function of the
// caller receives them.
#pragma once

#include <functional>
#include <string>

namespace saccade {

// How serious a message is.
enum class Severity { kInfo, kWarning };

// Receives one line of text, from the thread that does the work. It may be empty; messages are then
// dropped.
using MessageListener = std::function<void(Severity, const std::string&)>;

// Sends a line of text that is no warning, unless the listener is empty.
inline void inform(const MessageListener& listener, const std::string& text) {
  if (listener) listener(Severity::kInfo, text);
}
// Sends a warning, unless the listener is empty.
inline void warn(const MessageListener& listener, const std::string& text) {
  if (listener) listener(Severity::kWarning, text);
}

}  // namespace saccade
