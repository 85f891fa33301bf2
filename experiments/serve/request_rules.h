// Decides which requests are answered, by their head and before anything of a body is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/real.h"

namespace saccade {

// The most bytes of a request's line and headers together, and of a line between the chunks of a
// body.
inline constexpr std::size_t kMostHead = 1 << 14;

// The parts of a request's head that decide; a header that it lacks is empty.
struct RequestHead {
  std::string method{}, path{};
  std::optional<std::string> host{}, origin{}, length{}, transfer{}, encoding{}, type{};
  // The token that the request brings: in the header Authorization ("Bearer TOKEN"), in the cookie
  // of the page, and in the address (/?token=TOKEN).
  std::optional<std::string> authorization{}, cookie{}, token{};
};

struct Refusal {
  int status = 0;      // the HTTP status
  std::string reason;  // one line for the sender
  std::string allow;   // with 405: the methods that the path takes
};

struct RequestRules {
  bool loopback = true;  // only this machine may ask
  Index max_upload = 0;  // bytes
  std::string token{};   // what every request must bring; empty: nothing
};

// The cookie in which the page keeps the token.
inline constexpr std::string_view kTokenCookie = "saccade_token";

// "::1" for "[::1]", which is how URLs write such addresses.
std::string without_brackets(const std::string& host);

// Whether a name or address is this machine's own: localhost, 127.0.0.0/8, ::1 or [::1].
bool is_loopback(const std::string& host);

// Empty for a request that is answered. Refused are
//   names of other hosts, where only this machine may ask: a page of another site can have its name
//     resolved to 127.0.0.1 and would then count as a page of the same site;
//   requests without the token, where there is one (401);
//   posts by pages of other sites;
//   unknown paths and methods, and bodies that are too large, of unknown length, forms or
//   compressed.
std::optional<Refusal> refusal(const RequestHead& head, const RequestRules& rules);

}  // namespace saccade
