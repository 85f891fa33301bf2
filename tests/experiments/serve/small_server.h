// What tests of the server behind `saccade serve` share: a small server, a picture, and what holds
// of every answer.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/serve/caption_server.h"
#include "tests/support/catch.h"
#include "tests/support/http.h"
#include "vision/images/image.h"

namespace saccade::test {

inline constexpr std::size_t kLimit = 20'000;

inline std::string png() {
  const std::vector<std::uint8_t> bytes = encode_png(Image(20, 30, 200));
  return {bytes.begin(), bytes.end()};
}

inline std::string size_of(const CaptionRequest& request) {
  const Image image = decode_image(request.picture, "the picture");
  return str("{\"width\":", image.width, ",\"height\":", image.height, "}");
}

inline ServerOptions small_server() {
  return {.max_upload = kLimit, .waiting = 1, .timeout = std::chrono::seconds(1)};
}

// Checks that an error is one line of JSON, and that every answer forbids content of other origins.
inline void check_answer(const HttpAnswer& answer, int status) {
  CHECK(answer.status == status);
  CHECK(answer.headers.count("access-control-allow-origin") == 0);
  REQUIRE(answer.headers.count("content-security-policy") == 1);
  CHECK(answer.headers.at("content-security-policy").find("default-src 'none'") == 0);
  CHECK(answer.headers.at("x-content-type-options") == "nosniff");
  if (status < 400) return;
  const std::string error = nlohmann::json::parse(answer.body).at("error");
  INFO(error);
  CHECK(error.size() > 10);
  CHECK(error.find('\n') == std::string::npos);
}

}  // namespace saccade::test
