// Plain HTTP to a server of this machine, byte by byte as it is sent, including what no
// well-behaved client would send.
#pragma once

#include <map>
#include <string>

namespace saccade::test {

// A connection to a port of 127.0.0.1. If the port cannot be reached, nothing is sent and read()
// gives "".
class Connection {
 public:
  // To the loopback address, from another one where that is given.
  explicit Connection(int port, const char* from = "127.0.0.1");
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& bytes) const;
  // Tells the server that nothing more is sent.
  void finish() const;
  // Reads until the other side closes, the answer is as long as its head says, or nothing comes for
  // `seconds` seconds.
  std::string read(int seconds = 60) const;

 private:
  int socket_ = -1;
};

struct HttpAnswer {
  int status = 0;                              // 0: there was no answer
  std::map<std::string, std::string> headers;  // by name in lower case
  std::string body;
};

HttpAnswer parse_answer(const std::string& bytes);

// Sends a request with its length and `Host: 127.0.0.1`, and reads the answer. `more` are further
// lines of the head, each with its line end.
HttpAnswer ask(int port, const std::string& method, const std::string& path,
               const std::string& body = "", const std::string& more = "");

// The head of such a request, without the empty line that ends it.
std::string request_head(const std::string& method, const std::string& path, std::size_t length);

}  // namespace saccade::test
