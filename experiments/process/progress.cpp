#include "experiments/process/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "experiments/process/log.h"

namespace saccade {

namespace {

constexpr double kSecondsBetweenBars = 0.1, kSecondsToFirstLine = 5;
constexpr double kRounding = 1e-9;  // 0.3 may be a little less than three tenths
constexpr long kLongestBar = 24, kShortestBar = 6;

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// "[####....]" in at most `columns` characters.
std::string bar(double done, long columns) {
  const long width = std::clamp(columns - 2, kShortestBar, kLongestBar);
  const long full = std::lround(done * static_cast<double>(width));
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.') + "]";
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double kMost = 1e12;  // a file may hold any number
  const auto total = static_cast<long long>(std::lround(std::min(std::max(0.0, seconds), kMost)));
  std::array<char, 64> text{};
  if (total >= 3600) {
    std::snprintf(text.data(), text.size(), "%lldh %02lldm", total / 3600, total / 60 % 60);
  } else if (total >= 60) {
    std::snprintf(text.data(), text.size(), "%lldm %02llds", total / 60, total % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%llds", total);
  }
  return text.data();
}

bool ProgressLines::due(double seconds, double done) {
  const int tenths = static_cast<int>(std::floor(10 * done + kRounding));
  if (seconds < kSecondsToFirstLine || tenths <= tenths_) return false;
  tenths_ = tenths;
  return true;
}

Progress::Progress(std::string label)
    : label_(std::move(label)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::show(double done, const std::string& text) {
  if (log::shows_only_errors()) return;
  const auto now = Clock::now();
  if (first_done_ < 0 || done < done_) {  // a resumed run starts in the middle
    first_done_ = done;
    start_ = now;
    lines_ = {};
  }
  done_ = done;
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double since = std::chrono::duration<double>(now - last_).count();
  if (terminal_ ? since < kSecondsBetweenBars : !lines_.due(passed, done)) return;
  last_ = now;
  std::string left;
  if (done > first_done_)
    left = ", " + duration_text(passed * (1 - done) / (done - first_done_)) + " left";
  const std::string percent = std::to_string(std::lround(100 * done)) + " %";
  if (terminal_) {
    const std::string rest = " " + percent + " " + text + left;
    const auto columns = static_cast<long>(terminal_columns()) - 1;
    const auto taken = static_cast<long>(label_.size() + 1 + rest.size());
    std::string line = label_ + " " + bar(done, columns - taken) + rest;
    line.resize(std::min(line.size(), static_cast<std::size_t>(columns)));
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s: %s %s%s\n", label_.c_str(), percent.c_str(), text.c_str(),
                 left.c_str());
  }
  std::fflush(stderr);
}

std::function<void(Index, Index)> Progress::counting(const std::string& what) {
  return [this, noun = what.empty() ? "" : " " + what](Index done, Index total) {
    show(static_cast<double>(done) / static_cast<double>(total), str(done, " of ", total, noun));
  };
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace saccade
