#include "experiments/serve/request_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::string_view kCaption = "/caption";
constexpr std::array<std::string_view, 5> kReadable = {"/", "/live.css", "/live.js", "/models",
                                                       "/health"};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "[::1]" for "[::1]:8080", "localhost" for "localhost:8080".
std::string without_port(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  const bool port = colon != std::string::npos &&
                    host.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return port ? host.substr(0, colon) : host;
}

// "localhost:8080" for "http://localhost:8080".
std::string host_of(const std::string& origin) {
  const std::size_t mark = origin.find("://");
  return mark == std::string::npos ? "" : lower(origin.substr(mark + 3));
}

std::optional<Refusal> wrong_place(const RequestHead& head) {
  const bool readable = std::find(kReadable.begin(), kReadable.end(), head.path) != kReadable.end();
  const bool post = head.path == kCaption;
  if (!readable && !post)
    return Refusal{404, "there is no such address; use POST /caption, or GET /models, /health or /",
                   ""};
  const bool fits = post ? head.method == "POST" : head.method == "GET" || head.method == "HEAD";
  if (fits) return {};
  const std::string allow = post ? "POST" : "GET, HEAD";
  return Refusal{405, str(head.path, " takes ", allow, ", not this method"), allow};
}

std::optional<Refusal> wrong_body(const RequestHead& head, Index max_upload) {
  if (head.encoding && lower(*head.encoding) != "identity")
    return Refusal{415, "the body is compressed; send the bytes of the image file as they are", ""};
  if (head.type && lower(*head.type).starts_with("multipart/") &&
      !lower(*head.type).starts_with("multipart/form-data"))
    return Refusal{415,
                   "the body has several parts that are no form; send the bytes of the image file "
                   "as the body (curl --data-binary @photo.jpg), or a form with the fields photo "
                   "and features (curl -F photo=@photo.jpg -F features=@photo.npy)",
                   ""};
  if (!head.length) {
    if (head.transfer && lower(*head.transfer) == "chunked") return {};
    return Refusal{411, "the request lacks the length of its body; send a Content-Length", ""};
  }
  if (head.transfer)
    return Refusal{
        400, "the request has both Content-Length and Transfer-Encoding; send one of them", ""};
  Index bytes = -1;
  const char* end = head.length->data() + head.length->size();
  const auto [rest, error] = std::from_chars(head.length->data(), end, bytes);
  if (error == std::errc::result_out_of_range || bytes > max_upload)
    return Refusal{
        413,
        str("the picture is larger than ", max_upload, " bytes, the most that this server takes"),
        ""};
  if (error != std::errc() || rest != end || bytes < 0)
    return Refusal{400, "the request's Content-Length is not a number", ""};
  return {};
}

// Takes as long for any two texts of the same length, so that the time tells nothing of the token.
bool same_secret(std::string_view given, std::string_view wanted) {
  if (given.size() != wanted.size()) return false;
  unsigned differences = 0;
  for (std::size_t i = 0; i < given.size(); ++i)
    differences |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i]);
  return differences == 0;
}

// The value of the page's cookie among those of a request, "a=1; saccade_token=TOKEN".
std::string_view token_of(std::string_view cookies) {
  const std::string wanted = str(kTokenCookie, "=");
  for (std::size_t begin = 0; begin < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', begin), cookies.size());
    std::string_view one = cookies.substr(begin, end - begin);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.starts_with(wanted)) return one.substr(wanted.size());
    begin = end + 1;
  }
  return {};
}

bool brings(const RequestHead& head, const std::string& token) {
  constexpr std::string_view kBearer = "Bearer ";
  if (head.authorization && head.authorization->starts_with(kBearer) &&
      same_secret(std::string_view(*head.authorization).substr(kBearer.size()), token))
    return true;
  if (head.cookie && same_secret(token_of(*head.cookie), token)) return true;
  return head.path == "/" && head.token && same_secret(*head.token, token);
}

}  // namespace

std::string without_brackets(const std::string& host) {
  const bool bracketed = host.size() > 2 && host.starts_with("[") && host.ends_with("]");
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

bool is_loopback(const std::string& host) {
  const std::string name = lower(host);
  if (name == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, name.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, without_brackets(name).c_str(), &six) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&six);
}

std::optional<Refusal> refusal(const RequestHead& head, const RequestRules& rules) {
  if (!head.host || head.host->empty())
    return Refusal{400, "the request has no Host header, or several", ""};
  if (rules.loopback && !is_loopback(without_port(*head.host)))
    return Refusal{
        403,
        "this server answers requests to localhost and loopback addresses only; to offer "
        "it to other machines, start it with --host",
        ""};
  if (!rules.token.empty() && !brings(head, rules.token))
    return Refusal{401,
                   "this server asks for a token; send the header Authorization: Bearer TOKEN, or "
                   "open the page as /?token=TOKEN",
                   ""};
  if (auto wrong = wrong_place(head)) return wrong;
  if (head.method != "POST") return {};
  if (head.origin && host_of(*head.origin) != lower(*head.host))
    return Refusal{403, "pages of other sites may not ask this server for captions", ""};
  return wrong_body(head, rules.max_upload);
}

}  // namespace saccade
