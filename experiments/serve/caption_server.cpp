#include "experiments/serve/caption_server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/process/log.h"
#include "experiments/report/page_parts.h"
#include "experiments/report/report_page.h"
#include "experiments/serve/connections.h"
#include "experiments/serve/reception.h"
#include "experiments/serve/request_rules.h"
#include "experiments/serve/socket_stream.h"
#include "experiments/serve/upload.h"

namespace saccade {

namespace {

// The files of the page, which are part of the program.
struct LivePage {
  std::string html, css, js;
};

LivePage live_page() {
  LivePage page{.html = std::string(page_parts::live_markup),
                .css = std::string(page_parts::style) + std::string(page_parts::live_style),
                .js = "(() => {\n" + program_values() + std::string(page_parts::explorer_script) +
                      std::string(page_parts::live_script) + "})();\n"};
  put_part(page.html, "<!--{help}-->", page_parts::help);
  return page;
}

constexpr const char* kJson = "application/json";
constexpr Index kOtherThreads = 8;        // of uploads, besides one for each picture that waits
constexpr std::size_t kQuickThreads = 2;  // for what is answered at once
constexpr std::size_t kLine = 64;         // connections that may wait for a thread of either kind
constexpr const char* kTurnedAway =       // the answer to further connections
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nContent-Length: 55\r\n\r\n"
    "{\"error\":\"too many connections; try again in a second\"}";

std::string error_json(const std::string& reason) {
  const nlohmann::json json = {{"error", plain_text(reason)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void refuse(httplib::Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_content(error_json(reason), kJson);
}

// The value of a header; empty where the header is there twice, because then neither is trusted.
std::optional<std::string> header(const httplib::Request& request, const char* name) {
  const std::size_t count = request.get_header_value_count(name);
  if (count == 0) return {};
  return count == 1 ? request.get_header_value(name) : "";
}

RequestHead head_of(const httplib::Request& request) {
  return {.method = request.method,
          .path = request.path,
          .host = header(request, "Host"),
          .origin = header(request, "Origin"),
          .length = header(request, "Content-Length"),
          .transfer = header(request, "Transfer-Encoding"),
          .encoding = header(request, "Content-Encoding"),
          .type = header(request, "Content-Type"),
          .authorization = header(request, "Authorization"),
          .cookie = header(request, "Cookie"),
          .token = request.has_param("token") ? std::optional(request.get_param_value("token"))
                                              : std::nullopt};
}

const httplib::Headers& safe_headers() {
  static const httplib::Headers headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  return headers;
}

// The library hands every connection over to its task queue, which passes it on without a wait.
class PassOn : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> connection) override { connection(); }
  void shutdown() override {}
};

// cpp-httplib's server, with deadlines for connections and a bound for the size of heads. Heads are
// awaited in the reception. Then a thread answers: of two lines of threads, one takes uploads, so
// that clients whose pictures arrive slowly hold up nothing else.
class Server : public httplib::Server {
 public:
  // Of one address, at most `most_of_one` uploads are handled at a time, so that others are, too.
  Server(std::chrono::seconds timeout, Index max_upload, Index most_of_one,
         const std::atomic<bool>& closing)
      : timeout_(timeout),
        most_body_(2 * static_cast<std::size_t>(max_upload) + kMostHead),
        most_of_one_(most_of_one),
        closing_(closing) {
    new_task_queue = [] { return new PassOn; };
  }

  // Starts the threads, of which so many are for uploads. Throws std::system_error where there are
  // not so many.
  void start(std::size_t upload_threads) {
    uploads_.emplace(upload_threads, kLine);
    quick_.emplace(kQuickThreads, kLine);
    reception_.emplace(timeout_, [this](const Reception::Arrival& one) { dispatch(one); });
  }
  // Waits until the connections are answered whose heads have arrived.
  void finish() {
    if (uploads_) uploads_->end();
    if (quick_) quick_->end();
    reception_.reset();
  }

  // Lengthens the kernel's queue of connections. With the library's queue of five, others would
  // only try again after a second.
  void lengthen_line() { ::listen(svr_sock_, SOMAXCONN); }
  // About the connection that this thread handles.
  static bool late() { return stream_ && stream_->late(); }
  static bool endless() { return stream_ && stream_->endless(); }
  static bool flooded() { return stream_ && stream_->flooded(); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    reception_->receive(socket);
    return true;
  }

  void dispatch(const Reception::Arrival& one) {
    const bool is_quick = one.begin.starts_with("GET ") || one.begin.starts_with("HEAD ");
    const std::string client = is_quick ? "" : address_of_client(one.socket);
    const auto answer_it = [this, socket = one.socket, read_by = one.read_by, client] {
      handle(socket, read_by);
      leave(client);
    };
    if (enter(client)) {
      if ((is_quick ? quick_ : uploads_)->handle(answer_it)) return;
      leave(client);
    }
    ::send(one.socket, kTurnedAway, std::strlen(kTurnedAway), MSG_NOSIGNAL | MSG_DONTWAIT);
    reception_->linger(one.socket);
  }

  // Counts the uploads of an address ("": those of quick requests, which are not counted), so that
  // one whose pictures arrive slowly leaves threads to the others; false where it has enough.
  bool enter(const std::string& client) {
    const std::lock_guard lock(mutex_);
    if (client.empty()) return true;
    Index& of_client = of_client_[client];
    if (of_client >= most_of_one_) return false;
    ++of_client;
    return true;
  }
  void leave(const std::string& client) {
    const std::lock_guard lock(mutex_);
    const auto found = of_client_.find(client);
    if (found != of_client_.end() && --found->second == 0) of_client_.erase(found);
  }

  void handle(socket_t socket, Reception::Clock::time_point read_by) {
    bool answered = false;
    SocketStream stream(socket, read_by, timeout_, most_body_, closing_);
    stream_ = &stream;
    try {
      answered = answer(stream);
    } catch (const std::exception& error) {  // thrown while the head was read
      log::error(plain_text(str("a request was dropped without an answer: ", error.what())));
    }
    stream_ = nullptr;
    if (answered)
      reception_->linger(socket);
    else
      ::close(socket);
  }

  bool answer(SocketStream& stream) {
    bool closed = false;
    return process_request(stream, true, closed, [&](httplib::Request& request) {
      stream.end_head();
      // Answers are sent whole and uncompressed: on a loopback compressing takes longer than
      // sending.
      request.ranges.clear();
      request.headers.erase("Accept-Encoding");
    });
  }

  static inline thread_local SocketStream* stream_ = nullptr;

  std::chrono::seconds timeout_;
  std::size_t most_body_;  // bytes: chunks and the parts of a form are framed
  Index most_of_one_;
  const std::atomic<bool>& closing_;
  std::mutex mutex_;
  std::map<std::string, Index> of_client_;
  std::optional<Connections> uploads_, quick_;
  std::optional<Reception> reception_;
};

}  // namespace

struct CaptionServer::Impl {
  ServerOptions options;
  RequestRules rules;
  std::string models;
  LivePage page = live_page();
  CaptionQueue queue;
  std::atomic<bool> closing{false};
  Server server;
  Index port = 0;

  Impl(const ServerOptions& wanted, std::string about, CaptionWork work)
      : options(wanted),
        rules{.loopback = is_loopback(wanted.host),
              .max_upload = wanted.max_upload,
              .token = wanted.token},
        models(std::move(about)),
        queue(std::move(work), wanted.waiting + 1, wanted.per_client),
        server(wanted.timeout, wanted.max_upload, wanted.waiting + 1 + kOtherThreads / 2, closing) {
    options.host = without_brackets(wanted.host);
    set_up();
    bind();
  }

  void set_up() {
    server.set_default_headers(safe_headers());
    // The library's own socket options would let two servers share one port and its requests.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_payload_max_length(static_cast<std::size_t>(options.max_upload));
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          using Handling = httplib::Server::HandlerResponse;
          return refused(request, response) ? Handling::Handled : Handling::Unhandled;
        });
    server.set_expect_100_continue_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return refused(request, response) ? response.status : 100;
        });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) refuse_head(response);
    });
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                    std::exception_ptr error) { answer_error(response, error); });
    server.Get("/", [this](const httplib::Request& request, httplib::Response& response) {
      // The page's own requests bring the token of its address.
      if (!rules.token.empty() && request.has_param("token"))
        response.set_header("Set-Cookie", str(kTokenCookie, "=", rules.token,
                                              "; Path=/; HttpOnly; SameSite=Strict"));
      response.set_content(page.html, "text/html; charset=utf-8");
    });
    serve("/live.css", page.css, "text/css; charset=utf-8");
    serve("/live.js", page.js, "text/javascript; charset=utf-8");
    serve("/models", models, kJson);
    server.Get("/health", [this](const httplib::Request&, httplib::Response& response) {
      const nlohmann::ordered_json json = {{"status", "ok"}, {"pictures", queue.count()}};
      response.set_content(json.dump(), kJson);
    });
    server.Post("/caption",
                [this](const httplib::Request& request, httplib::Response& response,
                       const httplib::ContentReader& read) { caption(request, response, read); });
  }

  void serve(const char* path, const std::string& text, const char* type) {
    server.Get(path, [&text, type](const httplib::Request&, httplib::Response& response) {
      response.set_content(text, type);
    });
  }

  void bind() {
    const int wanted = static_cast<int>(options.port);
    if (wanted == 0)
      port = server.bind_to_any_port(options.host);
    else
      port = server.bind_to_port(options.host, wanted) ? wanted : -1;
    if (port <= 0)
      throw IoError(
          str(options.host, ":", wanted,
              ": cannot listen there: the port is in use or not allowed, or the host is "
              "not this machine; choose another --port (0 takes any free port) or --host"));
    server.lengthen_line();
  }

  bool refused(const httplib::Request& request, httplib::Response& response) const {
    std::optional<Refusal> wrong = refusal(head_of(request), rules);
    if (!wrong && request.method == "POST") wrong = wrong_search(request);
    if (!wrong && request.method == "POST" && queue.full()) {
      busy(response);
      return true;
    }
    if (!wrong) return false;
    if (!wrong->allow.empty()) response.set_header("Allow", wrong->allow);
    refuse(response, wrong->status, wrong->reason);
    return true;
  }

  // Parameters are read before the picture is, so that a mistake in them costs no upload.
  static std::optional<Refusal> wrong_search(const httplib::Request& request) {
    try {
      requested_search(request.params);
    } catch (const UsageError& error) {
      return Refusal{400, error.what(), ""};
    }
    return {};
  }

  // Refuses a request whose head the library cannot read.
  static void refuse_head(httplib::Response& response) {
    if (response.status == 414)
      return refuse(response, 414,
                    str("the request's first line is longer than ",
                        CPPHTTPLIB_REQUEST_URI_MAX_LENGTH, " bytes"));
    if (Server::endless())
      return refuse(response, 431,
                    str("the head of the request is longer than ", kMostHead, " bytes"));
    refuse(response, response.status,
           str("the head of the request is not HTTP/1.1, or has a line of more than ",
               CPPHTTPLIB_HEADER_MAX_LENGTH, " bytes"));
  }

  void busy(httplib::Response& response) const {
    const auto seconds = queue.wait().count();
    response.set_header("Retry-After", std::to_string(seconds));
    refuse(response, 503,
           str("too many pictures wait already; try again in ", seconds,
               seconds == 1 ? " second" : " seconds"));
  }

  void caption(const httplib::Request& request, httplib::Response& response,
               const httplib::ContentReader& read) {
    const RequestedSearch search = requested_search(request.params);
    Upload upload = read_upload(read, request.is_multipart_form_data(), rules.max_upload);
    if (upload.large || Server::flooded())
      return refuse(response, 413,
                    str("the picture is larger than ", rules.max_upload,
                        " bytes, the most that this server "
                        "takes"));
    if (!upload.problem.empty()) return refuse(response, 400, upload.problem);
    if (!upload.whole)
      return refuse(response, Server::late() ? 408 : 400,
                    Server::late() ? "the picture did not arrive in time"
                                   : "the picture did not arrive completely");
    if (upload.picture.empty() && upload.features.empty())
      return refuse(response, 400, "the body is empty; send the bytes of an image file");
    CaptionQueue::Answer answer = queue.caption({.picture = std::move(upload.picture),
                                                 .features = std::move(upload.features),
                                                 .search = search,
                                                 .client = request.remote_addr});
    if (answer.fate == CaptionQueue::Fate::kFull) return busy(response);
    if (answer.fate == CaptionQueue::Fate::kClientFull) {
      response.set_header("Retry-After", std::to_string(queue.wait().count()));
      return refuse(response, 429,
                    str(counted(options.per_client, "picture"), " of this address ",
                        options.per_client == 1 ? "waits" : "wait",
                        " already; send the next one when one is answered"));
    }
    if (answer.fate == CaptionQueue::Fate::kClosed) {
      response.set_header("Retry-After", "5");
      return refuse(response, 503, "the server is stopping");
    }
    response.set_content(answer.json, kJson);
  }

  static void answer_error(httplib::Response& response, const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const DataError& wrong) {
      refuse(response, 400, wrong.what());
    } catch (const UsageError& wrong) {
      refuse(response, 400, wrong.what());
    } catch (const std::bad_alloc&) {
      refuse(response, 500, "there is not enough memory for this picture; send a smaller one");
    } catch (const std::exception& wrong) {
      log::error(plain_text(str("a request failed: ", wrong.what())));
      refuse(response, 500, str("internal error: ", wrong.what()));
    }
  }

  void run(const std::atomic<int>& stop, const std::function<void()>& ready) {
    server.start(static_cast<std::size_t>(options.waiting + 1 + kOtherThreads));
    // 0 while requests are taken: ends the work where either the caller or the listener ends.
    std::atomic<int> ended{0};
    std::exception_ptr failure;
    std::thread listener([&] {
      try {
        server.listen_after_bind();
      } catch (...) {
        failure = std::current_exception();
      }
      ended = 1;
    });
    // A listener that has not begun yet would not notice that it is to stop.
    while (!server.is_running() && ended == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ended == 0) ready();
    queue.work([&] { return stop != 0 || ended != 0; });
    closing = true;
    server.stop();
    listener.join();
    server.finish();
    if (failure) std::rethrow_exception(failure);
    if (stop == 0)
      throw IoError(str(options.host, ":", port,
                        ": connections are no longer accepted there; start the server again"));
  }
};

CaptionServer::CaptionServer(const ServerOptions& options, std::string models, CaptionWork work)
    : impl_(std::make_unique<Impl>(options, std::move(models), std::move(work))) {}
CaptionServer::~CaptionServer() = default;

std::string CaptionServer::url() const {
  const std::string& host = impl_->options.host;
  const bool six = host.find(':') != std::string::npos;
  return str("http://", six ? "[" + host + "]" : host, ":", impl_->port, "/");
}

Index CaptionServer::port() const { return impl_->port; }

void CaptionServer::run(const std::atomic<int>& stop, const std::function<void()>& ready) {
  impl_->run(stop, ready);
}

}  // namespace saccade
