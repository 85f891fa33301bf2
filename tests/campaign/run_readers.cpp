// Readers of requests, and of what runs wrote.
#include <httplib.h>

#include <algorithm>
#include <map>

#include "captioning/learning/config/experiment_config.h"
#include "experiments/compare/run_record.h"
#include "experiments/serve/request_rules.h"
#include "experiments/serve/requested_search.h"
#include "experiments/serve/upload.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"

namespace saccade::campaign {

namespace {

// "key=value&key=value", as in an address.
void read_parameters(Input bytes) {
  std::multimap<std::string, std::string> parameters;
  const std::string text = text_of(bytes);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    const std::size_t equals = std::min(one.find('='), one.size());
    parameters.emplace(one.substr(0, equals), equals < one.size() ? one.substr(equals + 1) : "");
    begin = end + 1;
  }
  with_search({}, requested_search(parameters));
}

// Lines: method, path, host, origin, length, transfer coding, content coding, type, authorization,
// cookie, token.
void read_head(Input bytes) {
  std::vector<std::string> lines(11);
  std::size_t at = 0;
  for (const std::uint8_t byte : bytes)
    if (byte == '\n')
      at = std::min(at + 1, lines.size() - 1);
    else
      lines[at].push_back(static_cast<char>(byte));
  for (const bool loopback : {true, false})
    refusal({.method = lines[0],
             .path = lines[1],
             .host = lines[2],
             .origin = lines[3],
             .length = lines[4],
             .transfer = lines[5],
             .encoding = lines[6],
             .type = lines[7],
             .authorization = lines[8],
             .cookie = lines[9],
             .token = lines[10]},
            {.loopback = loopback, .max_upload = 1000, .token = loopback ? "" : "secret"});
  is_loopback(without_brackets(lines[2]));
}

// A connection whose bytes are the input.
class GivenBytes : public httplib::Stream {
 public:
  explicit GivenBytes(Input bytes) : left_(bytes) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, left_.size());
    std::copy_n(left_.begin(), count, out);
    left_ = left_.subspan(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { set(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { set(ip, port); }
  socket_t socket() const override { return -1; }

 private:
  static void set(std::string& ip, int& port) {
    ip = "127.0.0.1";
    port = 80;
  }
  Input left_;
};

class BareServer : public httplib::Server {
 public:
  BareServer() {
    set_payload_max_length(1 << 16);
    Post("/caption", [](const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& read) {
      const Upload upload = read_upload(read, request.is_multipart_form_data(), 1000);
      if (upload.picture.size() + upload.features.size() > 1000 && !upload.large)
        throw InternalError("more was read than is allowed");
      response.status = upload.whole && upload.problem.empty() ? 200 : 400;
    });
  }
  void answer(httplib::Stream& stream) {
    bool closed = false;
    process_request(stream, true, closed, [](httplib::Request&) {});
  }
};

// The whole of a request, a form or a picture.
void read_request(Input bytes) {
  static BareServer server;
  GivenBytes stream(bytes);
  server.answer(stream);
}

}  // namespace

std::vector<Reader> run_readers() {
  return {
      {.name = "metrics_log",
       .read = [](Input bytes) { read_run_record(scratch_file("metrics.jsonl", bytes)); },
       .seeds =
           [] {
             return texts(
                 {R"({"event":"update","update":1,"loss":2.5,"learning_rate":0.001})"
                  "\n"
                  R"({"event":"validation","update":1,"metrics":{"CIDEr":0.5},"estimator":{"advantage":1}})"
                  "\n"
                  R"({"event":"end","update":1,"reason":"done","seconds":3,"peak_memory_bytes":9})"
                  "\n"});
           },
       .words = kJson},
      {.name = "request",
       .read = read_request,
       .seeds =
           [] {
             return texts(
                 {"POST /caption?beam=3 HTTP/1.1\r\nHost: localhost:80\r\nContent-Length: "
                  "3\r\n\r\nabc",
                  "POST /caption HTTP/1.1\r\nHost: [::1]\r\nContent-Type: multipart/form-data; "
                  "boundary=b\r\nContent-Length: 108\r\n\r\n--b\r\nContent-Disposition: form-data; "
                  "name=\"photo\"; filename=\"a.png\"\r\nContent-Type: "
                  "image/png\r\n\r\nabc\r\n--b--\r\n",
                  "POST /caption HTTP/1.1\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"});
           },
       .words = {"\r\n", "\r\n\r\n", "--b", "--",
                 "Content-Disposition: form-data; name=\"features\"", "filename*=UTF-8''%41",
                 "Content-Encoding: gzip\r\n", "Range: bytes=0-1,5-\r\n",
                 "Expect: 100-continue\r\n", "boundary=", "%00", "?a=%zz&",
                 "ffffffffffffffff\r\n"}},
      {.name = "request_parameters",
       .read = read_parameters,
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of("mode=beam&beam=3"),
                                       bytes_of("temperature=0.5&seed=1")};
           },
       .words = {"&", "=", "beam", "mode", "sample", "greedy", "occlusion", "nan", "1e400", "-1"}},
      {.name = "request_head",
       .read = read_head,
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of(
                 "POST\n/caption\nlocalhost:8080\nhttp://localhost:8080\n12\n\n\nimage/png\n"
                 "Bearer secret\na=b; saccade_token=secret\nsecret")};
           },
       .words = {"[::1]", "127.0.0.1", "null", "chunked", "gzip", "99999999999999999999", "..",
                 "%2e", "Bearer ", "saccade_token=", ";"}}};
}

}  // namespace saccade::campaign
