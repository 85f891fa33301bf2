#include "experiments/compare/jobs.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <thread>

#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "experiments/process/progress.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

struct Running {
  const Job* job;
  Clock::time_point start;
};

// Turns the forked process into a job: calls only what is safe between fork and exec, and never
// returns.
[[noreturn]] void become(const char* const* arguments, int log) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv("/proc/self/exe", const_cast<char* const*>(arguments));
  _exit(127);
}

pid_t start(const Job& job) {
  const int log = open(job.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0)
    throw IoError(str(job.log.string(), ": cannot be written: ", std::strerror(errno),
                      "; choose another --out"));
  std::vector<const char*> arguments{"saccade"};
  for (const std::string& argument : job.arguments) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(arguments.data(), log);
  const int reason = errno;
  close(log);
  if (child < 0)
    throw IoError(str("cannot start a process: ", std::strerror(reason), "; lower --jobs"));
  std::cerr << job.label << ": started\n";
  return child;
}

void say_end(const Running& run, int status) {
  const double seconds = std::chrono::duration<double>(Clock::now() - run.start).count();
  std::cerr << run.job->label << ": ";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    std::cerr << "finished after " << duration_text(seconds) << "\n";
    std::error_code error;
    std::filesystem::remove(run.job->log, error);
    return;
  }
  if (WIFEXITED(status))
    std::cerr << "ended with exit code " << WEXITSTATUS(status);
  else
    std::cerr << "was killed by signal " << WTERMSIG(status);
  std::cerr << " after " << duration_text(seconds) << "; the reason is in "
            << plain_text(run.job->log.string()) << "\n";
}

}  // namespace

void run_jobs(const std::vector<Job>& jobs, std::size_t most, const StopSignal& signal) {
  std::map<pid_t, Running> running;
  std::size_t next = 0;
  bool announced = false;
  while (!running.empty() || (next < jobs.size() && signal.number() == 0)) {
    while (signal.number() == 0 && next < jobs.size() && running.size() < most) {
      const Job& job = jobs[next++];
      running[start(job)] = {&job, Clock::now()};
    }
    if (signal.number() != 0 && !announced) {
      for (const auto& [child, run] : running) kill(child, SIGTERM);
      announced = true;
    }
    for (auto it = running.begin(); it != running.end();) {
      int status = 0;
      if (waitpid(it->first, &status, WNOHANG) == it->first) {
        say_end(it->second, status);
        it = running.erase(it);
      } else {
        ++it;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace saccade
