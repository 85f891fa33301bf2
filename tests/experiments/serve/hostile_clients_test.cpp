// The server behind `saccade serve` among clients that send too much, too slowly or too often.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/serve/caption_server.h"
#include "tests/experiments/serve/small_server.h"
#include "tests/support/catch.h"
#include "tests/support/http.h"
#include "tests/support/running_server.h"

namespace saccade::test::hostile_clients_test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

// Work that waits until it is released.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  int begun = 0;

  std::string pass() {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    return "{}";
  }
  void await_begun() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return begun > 0; });
  }
  void release() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

// Waits until this many pictures are in the server's queue.
void await_pictures(int port, int count) {
  for (int i = 0; i < 500; ++i) {
    if (Json::parse(ask(port, "GET", "/health").body).at("pictures") == count) return;
    std::this_thread::sleep_for(10ms);
  }
  FAIL("there are never " << count << " pictures");
}

TEST_CASE("a head that does not end is refused before it is complete") {
  const RunningServer server(small_server(), "{}", size_of);
  const auto refused = [&](const std::string& bytes, int status, const std::string& reason) {
    const Connection connection(server.port());
    connection.send(bytes);
    const HttpAnswer answer = parse_answer(connection.read());
    check_answer(answer, status);
    CHECK(answer.body.find(reason) != std::string::npos);
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  const auto lines = [](int count, std::size_t size) {
    std::string all;
    for (int i = 0; i < count; ++i) all += str("H", i, ": ") + std::string(size, 'x') + "\r\n";
    return all;
  };
  refused(get + lines(100, 4000), 431, "longer than 16384 bytes");
  refused(get + lines(5, 4000), 431, "longer than 16384 bytes");
  refused(get + lines(20'000, 1), 431, "longer than 16384 bytes");
  refused(get + lines(1, 100'000), 431, "longer than 16384 bytes");
  refused(get + lines(1, 9000) + "\r\n", 400, "a line of more than 8192 bytes");
  refused("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n", 414, "first line");
  refused("POST /caption HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4;" +
              std::string(100'000, 'x'),
          400, "did not arrive completely");
  const Connection endless(server.port());
  endless.send("GET /" + std::string(100'000, 'x'));
  CHECK(parse_answer(endless.read()).status == 0);
  CHECK(ask(server.port(), "GET", "/", "", lines(3, 4000)).status == 200);
}

TEST_CASE("a picture beyond the length of the queue is refused until there is space") {
  Gate gate;
  RunningServer server(small_server(), "{}", [&](auto) { return gate.pass(); });
  const std::string request = request_head("POST", "/caption", png().size()) + "\r\n" + png();
  const Connection first(server.port()), second(server.port()), last(server.port());
  first.send(request);
  gate.await_begun();
  // Both requests may arrive while the queue has space for one. The one that is complete first gets
  // it.
  last.send(request.substr(0, request.size() - 1));
  second.send(request.substr(0, request.size() - 1));
  std::this_thread::sleep_for(200ms);
  second.send(request.substr(request.size() - 1));
  await_pictures(server.port(), 2);
  last.send(request.substr(request.size() - 1));
  check_answer(parse_answer(last.read()), 503);
  for (int i = 0; i < 20; ++i) {
    const HttpAnswer third = ask(server.port(), "POST", "/caption", png());
    check_answer(third, 503);
    CHECK(std::stoi(third.headers.at("retry-after")) >= 1);
  }
  CHECK(ask(server.port(), "GET", "/").status == 200);
  gate.release();
  CHECK(parse_answer(first.read()).status == 200);
  CHECK(parse_answer(second.read()).status == 200);
  CHECK(ask(server.port(), "POST", "/caption", png()).status == 200);
}

TEST_CASE("one address has at most its share of the queue") {
  Gate gate;
  ServerOptions options = small_server();
  options.waiting = 8, options.per_client = 1;
  RunningServer server(options, "{}", [&](auto) { return gate.pass(); });
  const Connection first(server.port());
  first.send(request_head("POST", "/caption", png().size()) + "\r\n" + png());
  gate.await_begun();
  const HttpAnswer second = ask(server.port(), "POST", "/caption", png());
  check_answer(second, 429);
  // Another address has its own share.
  const Connection other(server.port(), "127.0.0.2");
  other.send(request_head("POST", "/caption", png().size()) + "\r\n" + png());
  await_pictures(server.port(), 2);
  CHECK(second.headers.count("retry-after") == 1);
  CHECK(second.body.find("1 picture of this address waits already") != std::string::npos);
  gate.release();
  CHECK(parse_answer(first.read()).status == 200);
  CHECK(ask(server.port(), "POST", "/caption", png()).status == 200);
}

TEST_CASE("uploads that do not end are bounded, and do not hold up a server that stops") {
  ServerOptions patient = small_server();
  patient.timeout = 60s;
  RunningServer server(patient, "{}", size_of);
  // The library keeps what could be the begin of a boundary, of which the form never sees a byte.
  const Connection flood(server.port());
  flood.send(
      "POST /caption HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
      "Content-Type: multipart/form-data; boundary=xx\r\n\r\n");
  const std::string part(4096, 'y');
  flood.send("8\r\n\r\n--xx\r\n\r\n");
  for (std::size_t sent = 0; sent < 4 * kLimit + (1U << 16); sent += part.size())
    flood.send(str("1000\r\n", part, "\r\n"));
  const HttpAnswer answer = parse_answer(flood.read());
  CHECK((answer.status == 413 || answer.status == 400));

  const Connection trickle(server.port());
  trickle.send(request_head("POST", "/caption", 4000) + "\r\n");
  std::atomic<bool> ended{false};
  std::thread slow([&] {
    while (!ended) {
      trickle.send("x");
      std::this_thread::sleep_for(20ms);
    }
  });
  std::this_thread::sleep_for(200ms);
  const auto start = std::chrono::steady_clock::now();
  server.stop();
  server.end();
  CHECK(std::chrono::steady_clock::now() - start < 4s);
  ended = true;
  slow.join();
}

TEST_CASE("a server that stops finishes the picture in work and refuses the others") {
  Gate gate;
  RunningServer server(small_server(), "{}", [&](auto) { return gate.pass(); });
  const std::string request = request_head("POST", "/caption", png().size()) + "\r\n" + png();
  const Connection first(server.port()), second(server.port()), half(server.port());
  first.send(request);
  gate.await_begun();
  second.send(request);
  await_pictures(server.port(), 2);
  half.send(request.substr(0, request.size() - 9));
  server.stop();
  gate.release();
  CHECK(parse_answer(first.read()).status == 200);
  const HttpAnswer other = parse_answer(second.read());
  check_answer(other, 503);
  CHECK(other.body.find("the server is stopping") != std::string::npos);
  CHECK(parse_answer(half.read()).status != 200);
  server.end();
  CHECK(ask(server.port(), "GET", "/health").status == 0);
}

}  // namespace
}  // namespace saccade::test::hostile_clients_test
