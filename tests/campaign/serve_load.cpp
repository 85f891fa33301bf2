// campaign_serve PORT PROCESS PICTURE SECONDS [SEED]
// Clients of all kinds ask a server at the same time: uploads, slow ones, malformed heads, hostile
// hosts and origins, cut connections. Every answer is the right one or has a documented status, and
// the memory of the process stays as it is after the first quarter of the time.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/http.h"

namespace saccade::campaign {
namespace {

using Clock = std::chrono::steady_clock;
using test::ask;
using test::Connection;
using test::HttpAnswer;
using test::parse_answer;

constexpr int kClients = 12;
constexpr double kMoreMemory = 32;  // MB, beyond the most of the first quarter
// experiments/README.md
const std::set<int> kDocumented{200, 400, 401, 403, 404, 405, 408, 411,
                                413, 414, 415, 429, 431, 500, 503};

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// What a process has in memory, in MB.
double memory_of(int process) {
  std::ifstream in(str("/proc/", process, "/statm"));
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// The captions of an answer; the rest of it says how long it took.
std::string captions(const std::string& body) {
  const std::size_t at = body.find("\"captions\"");
  return at == std::string::npos ? body : body.substr(at, body.find('}', at) - at);
}

class Load {
 public:
  Load(int port, std::string picture) : port_(port), picture_(std::move(picture)) {
    const HttpAnswer first = ask(port_, "POST", "/caption", picture_);
    if (first.status != 200) throw DataError(str("the first upload: status ", first.status));
    captions_ = captions(first.body);
  }

  void client(Random random) {
    while (!done) one(random);
  }

  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> asked{0}, captioned{0}, refused{0}, failures{0};

 private:
  void fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (++failures <= 20) std::cerr << "FAILED: " << what << "\n";
  }
  // An answer to something that no server can caption, or an answer at all where `must`.
  void judge(const std::string& what, const HttpAnswer& answer, bool must,
             bool may_succeed = false) {
    ++asked;
    if (answer.status == 0 && !must) return;
    if (!kDocumented.contains(answer.status)) return fail(str(what, ": status ", answer.status));
    if (answer.status == 200 && !may_succeed) return fail(what + ": it was answered");
    if (answer.status == 500) return fail(str(what, ": ", answer.body));
    if (answer.status != 200) {
      ++refused;
      if (answer.body.find("\"error\"") == std::string::npos && must)
        fail(str(what, ": status ", answer.status, " without a reason: ", answer.body));
    }
  }
  void upload(const HttpAnswer& answer) {
    ++asked;
    const bool busy = answer.status == 503 || answer.status == 429;
    if (busy) ++refused;
    if (answer.status == 200) ++captioned;
    if (busy || (answer.status == 200 && captions(answer.body) == captions_)) return;
    fail(str("an upload: status ", answer.status, ": ", answer.body.substr(0, 300)));
  }
  std::string whole_request() const {
    return test::request_head("POST", "/caption", picture_.size()) + "\r\n" + picture_;
  }

  void one(Random& random) {
    const auto pause = [&](double most) {
      std::this_thread::sleep_for(std::chrono::duration<double>(random.uniform() * most));
    };
    switch (random.below(10)) {
      case 0:
      case 1:
        return upload(ask(port_, "POST", "/caption", picture_));
      case 2: {  // a damaged picture
        std::string damaged = picture_;
        for (int i = 0; i < 20; ++i)
          damaged[8 + random.below(damaged.size() - 8)] = static_cast<char>(random.below(256));
        return judge("a damaged picture", ask(port_, "POST", "/caption", damaged), true, true);
      }
      case 3: {  // slow
        const std::string request = whole_request();
        const Connection connection(port_);
        const std::size_t part = 1 + request.size() / 12;
        for (std::size_t at = 0; at < request.size() && !done; at += part) {
          connection.send(request.substr(at, part));
          pause(0.1);
        }
        if (done) return;
        return upload(parse_answer(connection.read()));
      }
      case 4: {  // any bytes, or a head with some of them
        std::string request = random.below(3) == 0 ? std::string(200, 'x') : whole_request();
        request.resize(std::min<std::size_t>(request.size(), 20 + random.below(300)));
        for (int i = 0; i < 8; ++i)
          request[random.below(request.size())] = static_cast<char>(random.below(256));
        request += "\r\n\r\n";
        const Connection connection(port_);
        connection.send(request);
        connection.finish();
        return judge("a malformed head", parse_answer(connection.read()), false, true);
      }
      case 5: {  // as a page of another site would ask
        const char* const hosts[] = {"evil.example", "127.0.0.1.evil.example", "[::2]:80", "",
                                     "localhost:1@evil.example"};
        const Connection connection(port_);
        connection.send(str("POST /caption HTTP/1.1\r\nHost: ", hosts[random.below(5)],
                            "\r\nContent-Length: ", picture_.size(), "\r\n\r\n", picture_));
        return judge("a hostile host", parse_answer(connection.read()), true);
      }
      case 6: {
        const char* const origins[] = {"http://evil.example", "null",
                                       "https://127.0.0.1.evil.example"};
        return judge("a hostile origin",
                     ask(port_, "POST", "/caption", picture_,
                         str("Origin: ", origins[random.below(3)], "\r\n")),
                     true);
      }
      case 7: {  // cut at any place
        const std::string request = whole_request();
        const Connection connection(port_);
        connection.send(request.substr(0, random.below(request.size())));
        pause(0.05);
        ++asked;
        return;
      }
      case 8: {  // nobody reads the answer
        const Connection connection(port_);
        connection.send(whole_request());
        pause(0.2);
        ++asked;
        return;
      }
      default: {
        const char* const paths[] = {"/",        "/models", "/health", "/../etc/passwd",
                                     "/caption", "/%00"};
        const std::uint64_t path = random.below(6);
        return judge(paths[path], ask(port_, random.below(2) == 0 ? "GET" : "DELETE", paths[path]),
                     true, path < 3);
      }
    }
  }

  int port_;
  std::string picture_, captions_;
  std::mutex mutex_;
};

int run(int port, int process, const std::string& picture, double seconds, std::uint64_t seed) {
  Load load(port, content(picture));
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&load, seed, i] {
      load.client(Random({seed, Stream::kTest, 9, static_cast<std::uint64_t>(i)}));
    });
  const Clock::time_point start = Clock::now();
  double early = 0, late = 0, now = 0;
  while (now < seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    now = std::chrono::duration<double>(Clock::now() - start).count();
    double& most = now < seconds / 4 ? early : late;
    most = std::max(most, memory_of(process));
  }
  load.done = true;
  for (std::thread& client : clients) client.join();
  const bool flat = late > 0 && late <= early + kMoreMemory;
  if (!flat) std::cerr << "FAILED: memory grew from " << early << " to " << late << " MB\n";
  std::cout << "serve " << load.asked << " inputs, " << load.captioned << " captioned, "
            << load.refused << " refused, " << load.failures << " failures, memory " << early
            << " and " << late << " MB\n";
  return load.failures == 0 && flat && load.captioned > 0 ? 0 : 1;
}

}  // namespace
}  // namespace saccade::campaign

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  return saccade::campaign::run(std::atoi(argv[1]), std::atoi(argv[2]), argv[3], std::atof(argv[4]),
                                argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1);
}
