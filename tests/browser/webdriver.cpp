#include "tests/browser/webdriver.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/http.h"

namespace saccade::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kStartSeconds = 30;
constexpr int kWidth = 1280, kHeight = 900;  // of a window

fs::path program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "/usr/bin";
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    const fs::path file = fs::path(rest.substr(begin, end - begin)) / name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

// Reads what arrives within `seconds` seconds; "" at the end.
std::string read_some(int fd, int seconds) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, 1000 * seconds) <= 0) return "";
  char buffer[4096];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  return count > 0 ? std::string(buffer, static_cast<std::size_t>(count)) : "";
}

// Sends a request to a server of this machine. Returns the body of the answer.
std::string exchange(int port, const std::string& method, const std::string& path,
                     const std::string& body) {
  const HttpAnswer answer = ask(port, method, path, body, "Content-Type: application/json\r\n");
  if (answer.status == 0) throw std::runtime_error("chromedriver does not answer " + path);
  return answer.body;
}

// The keys that are not characters, with WebDriver's code points.
const std::map<std::string, std::string> kKeys = {{"ArrowLeft", "\uE012"},  {"ArrowUp", "\uE013"},
                                                  {"ArrowRight", "\uE014"}, {"ArrowDown", "\uE015"},
                                                  {"Escape", "\uE00C"},     {"Tab", "\uE004"},
                                                  {"Enter", "\uE007"}};

std::vector<std::uint8_t> from_base64(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
  }
  return bytes;
}

}  // namespace

bool Browser::available() { return !program("chromedriver").empty(); }

// The processes, and the requests to them.
struct Browser::Impl {
  pid_t driver = -1;
  int output = -1;  // of chromedriver
  int port = 0;
  std::string session;

  Impl() {
    try {
      start();
    } catch (...) {
      stop();
      throw;
    }
  }

  ~Impl() {
    try {
      if (!session.empty()) ask("DELETE", "");
    } catch (const std::exception&) {  // it is ended below
    }
    stop();
  }

  void stop() {
    if (driver > 0) {
      ::kill(-driver, SIGTERM);
      ::waitpid(driver, nullptr, 0);
    }
    if (output >= 0) ::close(output);
    driver = output = -1;
  }

  // It looks for a free port itself, which another program may take in that moment.
  void start() {
    constexpr int kTries = 3;
    for (int i = 1; port == 0; ++i) {
      try {
        start_driver();
      } catch (const std::runtime_error&) {
        stop();
        if (i == kTries) throw;
      }
    }
    const Json wanted = {
        {"goog:chromeOptions",
         {{"args",
           {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--window-size=" + std::to_string(kWidth) + "," + std::to_string(kHeight)}}}},
        {"goog:loggingPrefs", {{"browser", "ALL"}}}};
    session = ask("POST", "", {{"capabilities", {{"alwaysMatch", wanted}}}})
                  .at("sessionId")
                  .get<std::string>();
  }

  void start_driver() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const std::string file = program("chromedriver").string();
    driver = ::fork();
    if (driver == 0) {
      ::setpgid(0, 0);                     // Chromium's processes end with it ...
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // ... and it with the test, however that ends
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::execl(file.c_str(), file.c_str(), "--port=0", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    output = ends[0];
    std::string printed;
    const std::string mark = "started successfully on port ";
    while (printed.find(mark) == std::string::npos ||
           printed.find('\n', printed.find(mark)) == std::string::npos) {
      const std::string part = read_some(output, kStartSeconds);
      if (part.empty()) throw std::runtime_error("chromedriver did not start: " + printed);
      printed += part;
    }
    port = std::stoi(printed.substr(printed.find(mark) + mark.size()));
  }

  Json ask(const std::string& method, const std::string& path, const Json& body = Json::object()) {
    const std::string place = "/session" + (session.empty() ? "" : "/" + session) + path;
    const Json value = Json::parse(exchange(port, method, place, body.dump())).at("value");
    if (value.is_object() && value.contains("error"))
      throw std::runtime_error(value.at("error").get<std::string>() + ": " +
                               value.at("message").get<std::string>());
    return value;
  }

  // Leaves a new window with nothing of what the old one kept, emulated or complained about.
  void renew() {
    run("try { localStorage.clear(); sessionStorage.clear(); } catch {}");
    const Json window = ask("POST", "/window/new", {{"type", "window"}}).at("handle");
    ask("DELETE", "/window");
    ask("POST", "/window", {{"handle", window}});
    ask("POST", "/window/rect", {{"width", kWidth}, {"height", kHeight}});
    ask("POST", "/se/log", {{"type", "browser"}});
  }

  void protocol(const std::string& command, const Json& parameters) {
    ask("POST", "/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
  }

  Json run(const std::string& script) {
    return ask("POST", "/execute/sync", {{"script", script}, {"args", Json::array()}});
  }

  void act(const Json& actions, const char* type) {
    Json source = {{"type", type}, {"id", type}, {"actions", actions}};
    if (std::string(type) == "pointer") source["parameters"] = {{"pointerType", "mouse"}};
    ask("POST", "/actions", {{"actions", Json::array({source})}});
  }
};

namespace {

// Starting a browser takes a second, so that one remains for the next test case of this process.
template <class Running>
std::unique_ptr<Running>& kept() {
  static std::unique_ptr<Running> one;
  return one;
}

}  // namespace

Browser::Browser() : impl_(kept<Impl>() ? std::move(kept<Impl>()) : std::make_unique<Impl>()) {}

Browser::~Browser() {
  try {
    impl_->renew();
    kept<Impl>() = std::move(impl_);
  } catch (const std::exception&) {  // the next one starts its own
  }
}

void Browser::open(const fs::path& file) { visit("file://" + fs::absolute(file).string()); }

void Browser::visit(const std::string& url) { impl_->ask("POST", "/url", {{"url", url}}); }

void Browser::before_pages(const std::string& script) {
  impl_->protocol("Page.addScriptToEvaluateOnNewDocument", {{"source", script}});
}

void Browser::resize(int width, int height) {
  impl_->protocol(
      "Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& scheme) {
  impl_->protocol("Emulation.setEmulatedMedia",
                  {{"features",
                    {{{"name", "prefers-color-scheme"}, {"value", scheme}},
                     {{"name", "prefers-reduced-motion"}, {"value", "reduce"}}}}});
}

std::string Browser::run(const std::string& script) { return impl_->run(script).dump(); }

bool Browser::becomes(const std::string& expression) {
  for (int i = 0; i < 100; ++i) {
    if (impl_->run("return Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void Browser::hover(const std::string& selector, double x, double y) {
  const auto measure = [&] {
    return impl_->run("const e = document.querySelector(" + Json(selector).dump() +
                      "); e.scrollIntoView({block: 'center', behavior: 'instant'});"
                      "const b = e.getBoundingClientRect();"
                      "return [b.left, b.top, b.width, b.height]");
  };
  // Pictures that are still being decoded may move the element, and so may what the pointer enters
  // or leaves. Its place has to be stable before and after the pointer has come.
  Json place = measure();
  const auto settle = [&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      const Json before = std::exchange(place, measure());
      if (place == before) break;
    }
  };
  const auto at = [&](int i, double share) {
    return static_cast<int>(place[static_cast<std::size_t>(i)].get<double>() +
                            share * place[static_cast<std::size_t>(i) + 2].get<double>());
  };
  settle();
  for (int i = 0; i < 5; ++i) {
    const Json before = place;
    impl_->act(
        Json::array({{{"type", "pointerMove"}, {"duration", 0}, {"x", at(0, x)}, {"y", at(1, y)}}}),
        "pointer");
    settle();
    if (place == before) break;
  }
}

void Browser::click(const std::string& selector) {
  hover(selector);
  impl_->act(Json::array({{{"type", "pointerDown"}, {"button", 0}},
                          {{"type", "pointerUp"}, {"button", 0}}}),
             "pointer");
}

void Browser::choose(const std::string& selector, const fs::path& file) {
  const Json element =
      impl_->ask("POST", "/element", {{"using", "css selector"}, {"value", selector}});
  impl_->ask("POST", "/element/" + element.begin().value().get<std::string>() + "/value",
             {{"text", fs::absolute(file).string()}});
}

void Browser::press(const std::string& key) {
  const auto named = kKeys.find(key);
  const std::string value = named == kKeys.end() ? key : named->second;
  impl_->act(
      Json::array({{{"type", "keyDown"}, {"value", value}}, {{"type", "keyUp"}, {"value", value}}}),
      "key");
}

std::vector<std::string> Browser::complaints() {
  std::vector<std::string> out;
  for (const Json& entry : impl_->ask("POST", "/se/log", {{"type", "browser"}}))
    if (entry.at("level") == "SEVERE" || entry.at("level") == "WARNING")
      out.push_back(entry.at("message").get<std::string>());
  return out;
}

void Browser::screenshot(const fs::path& file) {
  const auto bytes = from_base64(impl_->ask("GET", "/screenshot").get<std::string>());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace saccade::test
