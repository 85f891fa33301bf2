#include "experiments/process/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/error.h"

namespace saccade::log {

namespace {

using ColourSink = spdlog::sinks::stderr_color_sink_mt;

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("saccade", std::make_shared<ColourSink>());
    made->set_pattern("%^%l:%$ %v");
    // A full disk or a closed terminal must not end a training run.
    made->set_error_handler([](const std::string&) {});
    return made;
  }();
  return *instance;
}

}  // namespace

void set_colour(Colour colour) {
  const auto mode = colour == Colour::kAlways  ? spdlog::color_mode::always
                    : colour == Colour::kNever ? spdlog::color_mode::never
                                               : spdlog::color_mode::automatic;
  for (const auto& sink : logger().sinks()) {
    if (auto* coloured = dynamic_cast<ColourSink*>(sink.get())) coloured->set_color_mode(mode);
  }
}

void set_errors_only() { logger().set_level(spdlog::level::err); }
bool shows_only_errors() { return logger().level() == spdlog::level::err; }

void info(const std::string& message) { logger().info(message); }
void warn(const std::string& message) { logger().warn(message); }
void error(const std::string& message) { logger().error(message); }

void show(Severity severity, const std::string& message) {
  if (severity == Severity::kWarning)
    warn(message);
  else
    info(message);
}

struct FileCopy::Impl {
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> sink;
};

FileCopy::FileCopy(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  try {
    impl_->sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
  } catch (const spdlog::spdlog_ex& error) {
    throw IoError("cannot write " + path.string() + ": " + error.what());
  }
  impl_->sink->set_pattern("%Y-%m-%dT%H:%M:%S%z %l: %v");
  logger().sinks().push_back(impl_->sink);
  logger().flush_on(spdlog::level::info);
}

FileCopy::~FileCopy() {
  auto& sinks = logger().sinks();
  sinks.erase(std::remove(sinks.begin(), sinks.end(), impl_->sink), sinks.end());
}

void FileCopy::note(const std::string& message) {
  try {
    impl_->sink->log({"saccade", spdlog::level::info, message});
    impl_->sink->flush();
  } catch (const spdlog::spdlog_ex&) {  // the log is a convenience; metrics.jsonl is the record
  }
}

}  // namespace saccade::log
