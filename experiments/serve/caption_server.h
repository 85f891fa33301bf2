// The HTTP server behind `saccade serve`: the live page and a JSON API.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "experiments/serve/caption_queue.h"

namespace saccade {

struct ServerOptions {
  std::string host = "127.0.0.1";    // a name or an address; ::1 also as [::1]
  Index port = 0;                    // 0: any port that is free
  Index max_upload = 16 << 20;       // bytes
  Index waiting = 8;                 // pictures that wait while one is captioned
  Index per_client = 4;              // pictures of one address that wait or are captioned
  std::string token{};               // what requests must bring; empty: nothing
  std::chrono::seconds timeout{30};  // for receiving a whole request, and for sending its answer
};

// Answers
//   GET /         the page, with /live.css and /live.js
//   GET /models   the models (LiveCaptions::models_json)
//   GET /health   {"status": "ok", "pictures": how many are being captioned or wait}
//   POST /caption takes the bytes of an image file, gives its captions
//   (LiveCaptions::caption_json),
//                 with the parameters of requested_search.h
// Errors are {"error": "one line"} with their status: those of request_rules.h, 400 where the bytes
// are not an image, a parameter is wrong or the head is not HTTP, 408 where a body does not arrive
// in time, 401 without the token, 429 where so many pictures of the same address wait already, 414
// and 431 where a request's first line or its whole head is too long, and 503 with Retry-After
// where too many pictures wait already.
//
// Threads of their own handle the connections. The thread that runs the server captions, one
// picture at a time, with all threads of the program. Nothing of an upload is written to disk.
class CaptionServer {
 public:
  // Binds the port. `models` is the answer to GET /models. Throws IoError where the port is in use
  // or not allowed.
  CaptionServer(const ServerOptions& options, std::string models, CaptionWork work);
  ~CaptionServer();
  CaptionServer(const CaptionServer&) = delete;
  CaptionServer& operator=(const CaptionServer&) = delete;

  std::string url() const;
  Index port() const;

  // Calls `ready`, which must not throw, when requests are taken. Answers them until `stop` is not
  // 0; then finishes the current picture, answers 503 to those that wait, and returns. To be called
  // once. Throws IoError where it can accept no connections
  // (any more), and std::system_error where there are no threads for them.
  void run(
      const std::atomic<int>& stop, const std::function<void()>& ready = [] {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
