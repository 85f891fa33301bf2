#include "tests/support/http.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace saccade::test {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A server may keep the connection open after an answer.
bool is_whole(const std::string& bytes) {
  const std::size_t head = bytes.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  const HttpAnswer answer = parse_answer(bytes);
  const auto length = answer.headers.find("content-length");
  return answer.status != 100 && length != answer.headers.end() &&
         bytes.size() >= head + 4 + std::stoul(length->second);
}

}  // namespace

Connection::Connection(int port, const char* from) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, from, &address.sin_addr);
  ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
  ::close(socket_);
  socket_ = -1;
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

void Connection::send(const std::string& bytes) const {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
}

void Connection::finish() const { ::shutdown(socket_, SHUT_WR); }

std::string Connection::read(int seconds) const {
  std::string out;
  while (socket_ >= 0 && !is_whole(out)) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 1000 * seconds) <= 0) break;
    char buffer[1 << 14];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) break;
    out.append(buffer, static_cast<std::size_t>(count));
  }
  return out;
}

HttpAnswer parse_answer(const std::string& bytes) {
  HttpAnswer answer;
  const std::size_t head = bytes.find("\r\n\r\n");
  if (head == std::string::npos) return answer;
  std::istringstream lines(bytes.substr(0, head));
  std::string version, line;
  lines >> version >> answer.status;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.ends_with("\r")) line.pop_back();
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    answer.headers[lower(line.substr(0, colon))] = line.substr(value);
  }
  answer.body = bytes.substr(head + 4);
  return answer;
}

std::string request_head(const std::string& method, const std::string& path, std::size_t length) {
  return method + " " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(length) + "\r\n";
}

HttpAnswer ask(int port, const std::string& method, const std::string& path,
               const std::string& body, const std::string& more) {
  const Connection connection(port);
  connection.send(request_head(method, path, body.size()) + more + "\r\n" + body);
  return parse_answer(connection.read());
}

}  // namespace saccade::test
