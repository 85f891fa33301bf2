// What a program and the process that runs HDF5 for it (hdf5_reader.cpp) tell each other over a
// socket: messages of numbers and texts, each message behind its length. Private to core/io.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace saccade {

// The reader's first message. Another one comes from a reader of another version.
inline constexpr std::string_view kHdf5Greeting = "saccade hdf5 1";

// The first number of what a program asks for, and what follows: the number of the file, then
enum class Hdf5Wish : std::uint64_t {
  kOpen,     // path; answered with the names of the arrays
  kInfo,     // name; answered with type, bytes of an element, extents
  kNumbers,  // name, first row, rows; answered with their bytes, little-endian
  kTexts,    // name; answered with the texts
  kClose,    // not answered
};

// The first number of an answer.
enum class Hdf5Answer : std::uint64_t {
  kGiven,
  kRefused,  // a text says why
  kNoMemory,
};

class Hdf5Message {
 public:
  Hdf5Message() = default;
  explicit Hdf5Message(std::string bytes) : bytes_(std::move(bytes)) {}

  Hdf5Message& add(std::uint64_t number) {
    char own[sizeof number];
    std::memcpy(own, &number, sizeof number);
    bytes_.append(own, sizeof own);
    return *this;
  }
  Hdf5Message& add(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_ += text;
    return *this;
  }
  bool at_end() const { return at_ == bytes_.size(); }
  // The next number or text; empty where the message has none.
  std::optional<std::uint64_t> number() {
    std::uint64_t number = 0;
    if (bytes_.size() - at_ < sizeof number) return std::nullopt;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  std::optional<std::string_view> text() {
    const std::optional<std::uint64_t> length = number();
    if (!length || *length > bytes_.size() - at_) return std::nullopt;
    const std::string_view text(bytes_.data() + at_, *length);
    at_ += *length;
    return text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// Whether all bytes were sent; false where nobody reads any more.
inline bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

inline bool send_message(int socket, const Hdf5Message& message) {
  return send_all(socket, Hdf5Message().add(message.bytes().size()).bytes()) &&
         send_all(socket, message.bytes());
}

inline bool receive_all(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t received = ::recv(socket, bytes, count, 0);
    if (received == 0 || (received < 0 && errno != EINTR)) return false;
    if (received < 0) continue;
    bytes += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

// The next message; empty where the other side has ended, or sends more than `most` bytes.
inline std::optional<Hdf5Message> receive_message(int socket, std::uint64_t most) {
  std::uint64_t length = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&length), sizeof length) || length > most)
    return std::nullopt;
  std::string bytes(length, '\0');
  if (!receive_all(socket, bytes.data(), bytes.size())) return std::nullopt;
  return Hdf5Message(std::move(bytes));
}

}  // namespace saccade
