#include "core/base/message_line.h"

namespace saccade {

namespace {

constexpr std::size_t kLongestMessage = 600, kKept = 280;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string message_line(std::string message) {
  if (message.size() <= kLongestMessage) return message;
  std::size_t end = kKept, begin = message.size() - kKept;
  while (end > 0 && continues_character(message[end])) --end;
  while (begin < message.size() && continues_character(message[begin])) ++begin;
  return message.substr(0, end) + " [" + std::to_string(begin - end) + " bytes left out] " +
         message.substr(begin);
}

}  // namespace saccade
