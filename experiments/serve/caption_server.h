// The HTTP server behind `saccade serve`: the live page and a JSON API.
#pragma once

#include <chrono>
#include <memory>

#include "experiments/serve/caption_queue.h"

namespace saccade {

struct ServerOptions {
  std::string host = "127.0.0.1";    // a name or an address; ::1 also as [::1]
  Index port = 0;                    // 0: any that is free
  Index max_upload = 16 << 20;       // bytes
  Index waiting = 8;                 // pictures that wait while one is captioned
  std::chrono::seconds timeout{30};  // for a request to come whole, and for its answer to be taken
};

// Answers
//   GET /         the page, with /live.css and /live.js
//   GET /models   what is served (LiveCaptions::models_json)
//   GET /health   {"status": "ok", "pictures": how many are captioned or wait}
//   POST /caption the bytes of an image file -> its captions (LiveCaptions::caption_json)
// Errors are {"error": "a line"} with their status: those of request_rules.h, 400 where the bytes
// are no image or the head is no HTTP, 408 where a body does not come in time, 414 and 431 where a
// request's first line or its whole head is too long, 503 with Retry-After where too many pictures
// wait already.
//
// Connections are taken by threads of their own; captions are made by the one that runs the server,
// one picture at a time, with all threads of the program. Nothing of an upload is written to disk.
class CaptionServer {
 public:
  // Binds the port. `models` is the answer to GET /models. Throws IoError where the port is taken
  // or may not be used.
  CaptionServer(const ServerOptions& options, std::string models, CaptionWork work);
  ~CaptionServer();
  CaptionServer(const CaptionServer&) = delete;
  CaptionServer& operator=(const CaptionServer&) = delete;

  std::string url() const;
  Index port() const;

  // Answers until `stop` is not 0; then finishes the picture that is captioned, answers 503 to
  // those that wait, and returns. Once.
  void run(const std::atomic<int>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
