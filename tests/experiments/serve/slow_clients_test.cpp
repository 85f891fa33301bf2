// Clients of the server that are slow, and a server that cannot accept any.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <deque>
#include <future>

#include "core/base/error.h"
#include "experiments/serve/caption_server.h"
#include "tests/support/catch.h"
#include "tests/support/http.h"
#include "tests/support/running_server.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using namespace std::chrono_literals;

ServerOptions small_server() { return {.max_upload = 20'000, .waiting = 1, .timeout = 1s}; }

std::string no_caption(const CaptionRequest&) { return "{}"; }

TEST_CASE("slow requests do not hold the server's threads for long") {
  const RunningServer server(small_server(), "{}", no_caption);
  const auto start = std::chrono::steady_clock::now();
  const Connection nothing(server.port()), little(server.port()), promised(server.port());
  little.send("POST /caption HTTP/1.1\r\nHost: loc");
  promised.send(request_head("POST", "/caption", 5000) + "\r\nfour");
  const Connection slow(server.port());
  slow.send(request_head("POST", "/caption", 5000) + "\r\n");
  std::string received;
  for (int i = 0; i < 100 && received.empty(); ++i) {
    slow.send("x");
    std::this_thread::sleep_for(100ms);
    received = slow.read(0);
  }
  CHECK(std::chrono::steady_clock::now() - start < 8s);
  CHECK(parse_answer(received + slow.read()).status == 408);
  CHECK(parse_answer(promised.read()).status == 408);
  nothing.read();
  little.read();
  CHECK(std::chrono::steady_clock::now() - start < 15s);
  // More connections than there are threads, none of which sends anything.
  std::deque<Connection> crowd;
  for (int i = 0; i < 100; ++i) crowd.emplace_back(server.port());
  for (int i = 0; i < 300; ++i) {
    if (ask(server.port(), "POST", "/caption", "x").status == 200) return;
    std::this_thread::sleep_for(100ms);
  }
  FAIL("the server never answers again");
}

TEST_CASE("clients that are slow in whatever way do not delay what is answered at once") {
  struct Slow {
    const char* how;
    std::string sent;
  };
  const std::vector<Slow> kinds = {
      {"nothing", ""},
      {"a part of a head", "GET /health HTTP/1.1\r\nHost: loc"},
      {"a part of the head of an upload", "POST /caption HTTP/1.1\r\nHost: loc"},
      {"a part of a picture", request_head("POST", "/caption", 5000) + "\r\nfour"},
      {"no end of the connection", request_head("GET", "/", 0) + "\r\n"},
      {"a head without an end",
       "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(6000, 'x')}};
  for (const Slow& kind : kinds) {
    INFO(kind.how);
    ServerOptions patient = small_server();
    patient.timeout = 20s;
    const RunningServer server(patient, "{}", no_caption);
    std::deque<Connection> crowd;
    for (int i = 0; i < 100; ++i) crowd.emplace_back(server.port()).send(kind.sent);
    std::this_thread::sleep_for(200ms);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) CHECK(ask(server.port(), "GET", "/health").status == 200);
    CHECK(std::chrono::steady_clock::now() - start < 3s);
  }
}

TEST_CASE("of more connections than can wait, those are closed that have waited longest") {
  const RunningServer server(small_server(), "{}", no_caption);
  std::deque<Connection> crowd;
  for (int i = 0; i < 300; ++i) crowd.emplace_back(server.port());
  CHECK(ask(server.port(), "GET", "/health").status == 200);
  CHECK(crowd.front().read(5).empty());
  crowd.back().send(request_head("GET", "/health", 0) + "\r\n");
  CHECK(parse_answer(crowd.back().read()).status == 200);
}

TEST_CASE("a server is ready when it answers requests") {
  CaptionServer server(small_server(), "{}", no_caption);
  std::atomic<int> stop{0};
  int calls = 0, status = 0;
  server.run(stop, [&] {
    ++calls;
    status = ask(static_cast<int>(server.port()), "GET", "/health").status;
    stop = 1;
  });
  CHECK(calls == 1);
  CHECK(status == 200);
}

// Takes from this process the socket that listens on a port, as a system may do.
void stop_listening(int port) {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    int listens = 0;
    socklen_t flag = sizeof listens;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        ntohs(address.sin_port) == port &&
        ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &flag) == 0 && listens != 0)
      ::shutdown(fd, SHUT_RDWR);
  }
}

TEST_CASE("a server that can accept no connections ends and says so") {
  for (const bool before : {true, false}) {
    INFO((before ? "before it runs" : "while it runs"));
    CaptionServer server(small_server(), "{}", no_caption);
    const int port = static_cast<int>(server.port());
    if (before) stop_listening(port);
    const std::atomic<int> stop{0};
    std::future<std::string> message = std::async(
        std::launch::async, [&] { return message_of<IoError>([&] { server.run(stop); }); });
    if (!before) {
      CHECK(ask(port, "GET", "/health").status == 200);
      stop_listening(port);
    }
    REQUIRE(message.wait_for(10s) == std::future_status::ready);
    CHECK(message.get().find("connections are no longer accepted there") != std::string::npos);
  }
}

}  // namespace
}  // namespace saccade::test
