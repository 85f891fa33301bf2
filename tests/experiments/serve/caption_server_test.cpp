// The server behind `saccade serve`: its answers to well-formed, hostile, slow and many requests.
#include "experiments/serve/caption_server.h"

#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/serve/request_rules.h"
#include "tests/experiments/serve/small_server.h"
#include "tests/support/catch.h"
#include "tests/support/http.h"
#include "tests/support/running_server.h"
#include "tests/support/temp_folder.h"
#include "vision/images/image.h"

namespace saccade::test::caption_server_test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

// A PNG file whose header claims this size, with four bytes for each side.
std::string sized_png(const std::string& width, const std::string& height) {
  return png().replace(16, 8, width + height);
}

constexpr const char* kForm = "Content-Type: multipart/form-data; boundary=edge\r\n";

// The body of a form with files in some fields.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string form(const Fields& fields) {
  std::string body;
  for (const auto& [name, content] : fields)
    body += str("--edge\r\nContent-Disposition: form-data; name=\"", name, "\"; filename=\"", name,
                ".bin\"\r\nContent-Type: application/octet-stream\r\n\r\n", content, "\r\n");
  return body + "--edge--\r\n";
}

TEST_CASE("the server answers with captions, the page and its files") {
  const RunningServer server(small_server(), R"({"models":[]})", size_of);
  const HttpAnswer answer = ask(server.port(), "POST", "/caption", png());
  check_answer(answer, 200);
  CHECK(answer.headers.at("content-type") == "application/json");
  CHECK(answer.body == R"({"width":30,"height":20})");
  CHECK(ask(server.port(), "GET", "/models").body == R"({"models":[]})");
  CHECK(ask(server.port(), "GET", "/health").body == R"({"status":"ok","pictures":0})");
  for (const auto& [path, type] : std::map<std::string, std::string>{
           {"/", "text/html"}, {"/live.css", "text/css"}, {"/live.js", "text/javascript"}}) {
    const HttpAnswer file = ask(server.port(), "GET", path, "", "Accept-Encoding: br, gzip\r\n");
    check_answer(file, 200);
    CHECK(file.headers.at("content-type").find(type) == 0);
    CHECK(file.body.size() > 1000);
    const HttpAnswer part = ask(server.port(), "GET", path, "", "Range: bytes=0-9,0-9,0-9\r\n");
    CHECK(part.body == file.body);
    CHECK(ask(server.port(), "HEAD", path).status == 200);
  }
  const Connection chunks(server.port());
  chunks.send("POST /caption HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string bytes = png();
  char length[16];
  std::snprintf(length, sizeof length, "%zx\r\n", bytes.size());
  chunks.send(length + bytes + "\r\n0\r\n\r\n");
  CHECK(parse_answer(chunks.read()).status == 200);
}

TEST_CASE("a form brings a picture and the file of its features") {
  const RunningServer server(small_server(), "{}", [](const CaptionRequest& request) {
    return size_of(request) + std::string(request.features.begin(), request.features.end());
  });
  const auto post = [&](const Fields& fields) {
    return ask(server.port(), "POST", "/caption?beam=2", form(fields), kForm).body;
  };
  const std::string size = R"({"width":30,"height":20})", bytes("a\r\n--b\0", 8);
  CHECK(post({{"photo", png()}, {"features", bytes}}) == size + bytes);
  CHECK(post({{"features", "x"}, {"photo", png()}}) == size + "x");
}

TEST_CASE("files that are not pictures and uploads that are too large are refused with one line") {
  const RunningServer server(small_server(), "{}", size_of);
  const auto post = [&](const std::string& body, const std::string& more = "") {
    return ask(server.port(), "POST", "/caption", body, more);
  };
  const auto refused = [&](const HttpAnswer& answer, int status, const std::string& reason) {
    check_answer(answer, status);
    CHECK(answer.body.find(reason) != std::string::npos);
  };
  refused(post(""), 400, "the body is empty");
  refused(post("this is text"), 400, "is not an image");
  refused(post(png().substr(0, png().size() / 2)), 400, "cut short");
  const std::string one("\0\0\0\x01", 4), ten_thousand("\0\0\x27\x10", 4), most(4, '\xff');
  refused(post(sized_png(ten_thousand, ten_thousand)), 400,
          "10000x10000 pixels are more than the 64");
  refused(post(sized_png(most, one)), 400, "4294967295x1 pixels are more than the 65500 a side");
  refused(post(sized_png(most, most)), 400, "65500 a side");
  refused(post("\x89PNG\r\n\x1a\n"), 400, "the picture");
  refused(post(std::string("GIF89a\xff\xff\xff\xff", 10)), 400, "the picture");
  refused(post(std::string(kLimit + 1, 'x')), 413, "larger than 20000 bytes");
  refused(post(png(), "Content-Type: multipart/mixed; boundary=x\r\n"), 415, "several parts");
  refused(post(png(), "Content-Type: multipart/form-data; boundary=x\r\n"), 400, "completely");
  refused(post(form({{"photo", std::string(kLimit, 'x')}, {"features", "x"}}), kForm), 413,
          "larger");
  refused(post(form({{"photo", png()}, {"photo", png()}}), kForm), 400, "one field photo");
  refused(post(png(), "Content-Encoding: gzip\r\n"), 415, "compressed");
  refused(ask(server.port(), "GET", "/captions"), 404, "no such address");
  refused(ask(server.port(), "GET", "/../../etc/passwd"), 404, "no such address");
  refused(ask(server.port(), "POST", "/captions", png()), 404, "no such address");
  refused(ask(server.port(), "GET", "/caption"), 405, "takes POST");
  CHECK(ask(server.port(), "GET", "/caption").headers.at("allow") == "POST");
  refused(ask(server.port(), "POST", "/models", "{}"), 405, "takes GET");
  refused(ask(server.port(), "OPTIONS", "/caption"), 405, "takes POST");
  refused(ask(server.port(), "PUT", "/caption", png()), 405, "takes POST");

  const auto raw = [&](const std::string& bytes) {
    const Connection connection(server.port());
    connection.send(bytes);
    return parse_answer(connection.read());
  };
  // No length, invalid or contradicting lengths, and more bytes than are allowed, announced or in
  // chunks.
  refused(raw("POST /caption HTTP/1.1\r\nHost: localhost\r\n\r\n"), 411,
          "lacks the length of its body");
  refused(raw("POST /caption HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n"), 400,
          "Content-Length");
  refused(raw("POST /caption HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: "
              "2\r\n\r\nxx"),
          400, "Content-Length");
  refused(raw("POST /caption HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
              "99999999999999999999\r\n\r\n"),
          413, "larger");
  refused(raw("POST /caption HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
              "Content-Length: 30000\r\n\r\n"),
          413, "larger");
  std::string chunks =
      "POST /caption HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 30; ++i) chunks += "400\r\n" + std::string(1024, 'x') + "\r\n";
  refused(raw(chunks + "0\r\n\r\n"), 413, "larger");
  check_answer(raw("THIS IS NO HTTP\r\n\r\n"), 400);
  raw(std::string("\x16\x03\x01\x02\x00", 5) + std::string(300, '\xfe'));  // TLS
  CHECK(ask(server.port(), "POST", "/caption", png()).status == 200);
}

TEST_CASE(
    "parameters of the search are read, and wrong ones are refused before the picture comes") {
  RequestedSearch last;
  const RunningServer server(small_server(), "{}", [&](const CaptionRequest& request) {
    last = request.search;
    return std::string("{}");
  });
  const auto post = [&](const std::string& query) {
    return ask(server.port(), "POST", "/caption" + query, png());
  };
  CHECK(post("").status == 200);
  CHECK_FALSE(last.mode);
  CHECK_FALSE(last.seed);
  CHECK(post("?beam=20").status == 200);
  CHECK(last.mode == SearchMode::kBeam);
  CHECK(last.beam == 20);
  CHECK(post("?temperature=0.5&seed=4294967295").status == 200);
  CHECK(last.mode == SearchMode::kSample);
  CHECK(last.temperature == 0.5);
  CHECK(last.seed == 4'294'967'295);
  CHECK(post("?mode=greedy&seed=0").status == 200);
  CHECK(last.mode == SearchMode::kGreedy);
  CHECK(post("?mode=%62eam").status == 200);

  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"beam=0", "the parameter beam takes a whole number from 1 to 20; got '0'"},
      {"beam=21", "from 1 to 20"},
      {"beam=2.5", "got '2.5'"},
      {"beam=", "got ''"},
      {"beam=99999999999999999999", "from 1 to 20"},
      {"temperature=0", "the parameter temperature takes a number from 0.01 to 10; got '0'"},
      {"temperature=10.5", "from 0.01 to 10"},
      {"temperature=nan", "got 'nan'"},
      {"temperature=1e", "got '1e'"},
      {"seed=-1", "from 0 to 4294967295"},
      {"mode=beem", "takes beam, greedy, sample; got 'beem' (did you mean 'beam'?)"},
      {"occlusion=yes", "the parameter occlusion takes true or false; got 'yes'"},
      {"baem=3", "there is no parameter 'baem' (did you mean 'beam'?)"},
      {"beam=2&beam=3", "more than once"},
      {"beam=2&temperature=1", "ask for one of them"},
      {"beam=2&mode=greedy", "has an effect in mode beam alone"},
      {"temperature=2&mode=beam", "has an effect in mode sample alone"},
      {"mode=" + std::string(300, 'x'), "xxx...'"},
      {"mode=%0A%1B", "the parameter mode takes"},
  };
  for (const auto& [query, reason] : wrong) {
    INFO(query);
    // The head alone: the answer must not wait for a body.
    const Connection connection(server.port());
    connection.send(request_head("POST", "/caption?" + query, png().size()) +
                    "Expect: 100-continue\r\n\r\n");
    const HttpAnswer answer = parse_answer(connection.read());
    check_answer(answer, 400);
    CHECK(Json::parse(answer.body).at("error").get<std::string>().find(reason) !=
          std::string::npos);
  }
  CHECK(ask(server.port(), "GET", "/?beam=99").status == 200);  // about captions alone
}

TEST_CASE("requests of other sites are refused, under whatever name they reach the server") {
  const RunningServer server(small_server(), "{}", size_of);
  const auto by = [&](const std::string& host, const std::string& more = "") {
    const Connection connection(server.port());
    connection.send("GET /models HTTP/1.1\r\n" + host + more + "\r\n");
    return parse_answer(connection.read()).status;
  };
  for (const std::string host : {"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:99",
                                 "127.9.9.9", "[::1]", "[::1]:8080"})
    CHECK(by("Host: " + host + "\r\n") == 200);
  for (const std::string host :
       {"evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1",
        "1270.0.1", "[::2]", "localhost@evil.example", "localhost:1@evil.example", "localhost:x",
        "0.0.0.0"})
    CHECK(by("Host: " + host + "\r\n") == 403);
  CHECK(by("") == 400);
  CHECK(by("Host: localhost\r\nHost: evil.example\r\n") == 400);

  const auto from = [&](const std::string& origin) {
    return ask(server.port(), "POST", "/caption", png(), "Origin: " + origin + "\r\n").status;
  };
  CHECK(from("http://127.0.0.1") == 200);
  CHECK(from("http://evil.example") == 403);
  CHECK(from("http://127.0.0.1:1") == 403);
  CHECK(from("null") == 403);

  // A server that listens for other machines answers to any name.
  CHECK_FALSE(refusal({.method = "GET", .path = "/", .host = "box.example"}, {.loopback = false}));
  CHECK(is_loopback("127.0.0.1"));
  CHECK_FALSE(is_loopback("0.0.0.0"));
}

TEST_CASE("with a token, nothing is answered without it") {
  ServerOptions options = small_server();
  options.token = "0123456789abcdef-_.";
  const RunningServer server(options, "{}", size_of);
  const std::string with = "Authorization: Bearer " + options.token + "\r\n";
  const std::string cookie = str("Cookie: other=1; ", kTokenCookie, "=", options.token, "\r\n");
  for (const std::string path : {"/", "/live.js", "/models", "/health", "/nowhere"}) {
    check_answer(ask(server.port(), "GET", path), 401);
    const int found = path == "/nowhere" ? 404 : 200;
    CHECK(ask(server.port(), "GET", path, "", with).status == found);
    CHECK(ask(server.port(), "GET", path, "", cookie).status == found);
  }
  check_answer(ask(server.port(), "POST", "/caption", png()), 401);
  CHECK(ask(server.port(), "POST", "/caption", png(), with).status == 200);
  for (const std::string& wrong : {options.token.substr(1), options.token + "0",
                                   std::string("0123456789abcdef-_,"), std::string()})
    check_answer(ask(server.port(), "GET", "/", "", "Authorization: Bearer " + wrong + "\r\n"),
                 401);
  // The page's address may bring it, once; its own requests then have the cookie.
  const HttpAnswer page = ask(server.port(), "GET", "/?token=" + options.token);
  check_answer(page, 200);
  CHECK(page.headers.at("set-cookie") ==
        str(kTokenCookie, "=", options.token, "; Path=/; HttpOnly; SameSite=Strict"));
  check_answer(ask(server.port(), "GET", "/models?token=" + options.token), 401);
  check_answer(ask(server.port(), "GET", "/?token=" + options.token.substr(1)), 401);
}

TEST_CASE("a failure is answered with an error, and the next picture is captioned") {
  int calls = 0;
  const RunningServer server(small_server(), "{}", [&](auto) -> std::string {
    if (++calls == 1) throw std::bad_alloc();
    if (calls == 2) throw std::runtime_error("a \"fault\"\nof two lines");
    return "{}";
  });
  check_answer(ask(server.port(), "POST", "/caption", "x"), 500);
  check_answer(ask(server.port(), "POST", "/caption", "x"), 500);
  check_answer(ask(server.port(), "POST", "/caption", "x"), 200);
}

TEST_CASE("an IPv6 address may have brackets or not") {
  const auto url = [](const std::string& host) -> std::string {
    try {
      return CaptionServer({.host = host}, "{}", size_of).url().substr(0, 13);
    } catch (const IoError&) {
      return "this machine has none";
    }
  };
  CHECK(url("[::1]") == url("::1"));
  CHECK_THROWS_AS(CaptionServer({.host = "[]"}, "{}", size_of), IoError);
}

TEST_CASE("a port that is taken is refused") {
  const RunningServer server(small_server(), "{}", size_of);
  ServerOptions same = small_server();
  same.port = server.port();
  CHECK(message_of<IoError>([&] {
          CaptionServer(same, "{}", size_of);
        }).find("choose another --port") != std::string::npos);
  same.host = "no.such.host.invalid";
  CHECK_THROWS_AS(CaptionServer(same, "{}", size_of), IoError);
}

}  // namespace
}  // namespace saccade::test::caption_server_test
