// Plain HTTP to a server of this machine, request by request, as it stands on the line: also what
// no decent client would send.
#pragma once

#include <map>
#include <string>

namespace saccade::test {

// A connection to a port of 127.0.0.1. What cannot be reached sends nothing and reads "".
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& bytes) const;
  // No more is sent.
  void finish() const;
  // What comes until the other side closes, the answer has as many bytes as its head says, or
  // nothing comes for some seconds.
  std::string read(int seconds = 60) const;

 private:
  int socket_ = -1;
};

struct HttpAnswer {
  int status = 0;                              // 0: there was none
  std::map<std::string, std::string> headers;  // by name in lower case
  std::string body;
};

HttpAnswer parse_answer(const std::string& bytes);

// A request with its length and `Host: 127.0.0.1`, and the answer. `more` are further lines of the
// head, each with its end.
HttpAnswer ask(int port, const std::string& method, const std::string& path,
               const std::string& body = "", const std::string& more = "");

// The head of such a request, all but the empty line that ends it.
std::string request_head(const std::string& method, const std::string& path, std::size_t length);

}  // namespace saccade::test
