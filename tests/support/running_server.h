// A caption server that runs beside a test.
#pragma once

#include <thread>

#include "experiments/serve/caption_server.h"

namespace saccade::test {

class RunningServer {
 public:
  RunningServer(const ServerOptions& options, std::string models, CaptionWork work)
      : server_(options, std::move(models), std::move(work)),
        thread_([this] { server_.run(stop_); }) {}
  ~RunningServer() { end(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return static_cast<int>(server_.port()); }
  std::string url() const { return server_.url(); }
  // Asks the server to stop, as a signal does.
  void stop() { stop_ = 2; }
  // Waits until the server has stopped.
  void end() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<int> stop_{0};
  CaptionServer server_;
  std::thread thread_;
};

}  // namespace saccade::test
