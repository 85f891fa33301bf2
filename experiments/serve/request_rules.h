// Which requests are answered: decided by their head, before anything of a body is read.
#pragma once

#include <optional>
#include <string>

#include "core/base/real.h"

namespace saccade {

// What a request says of itself; a header that it lacks is none.
struct RequestHead {
  std::string method{}, path{};
  std::optional<std::string> host{}, origin{}, length{}, transfer{}, encoding{}, type{};
};

struct Refusal {
  int status = 0;      // of HTTP
  std::string reason;  // one line for people
  std::string allow;   // with 405: the methods that the path has
};

struct RequestRules {
  bool loopback = true;  // nobody outside this machine is meant to ask
  Index max_upload = 0;  // bytes
};

// "::1" of "[::1]", as addresses of a URL are written.
std::string without_brackets(const std::string& host);

// Whether a name or address is this machine's own: localhost, 127.0.0.0/8, ::1 or [::1].
bool is_loopback(const std::string& host);

// None for a request that is answered. Refused are
//   hosts that are not this machine's, where nobody else is meant to ask: a page of another site
//   can
//     have its own name resolved to 127.0.0.1 and would then count as of the same site
//   posts that pages of other sites make
//   paths and methods that there are not, and bodies that are too large, of no stated end, forms or
//     compressed.
std::optional<Refusal> refusal(const RequestHead& head, const RequestRules& rules);

}  // namespace saccade
