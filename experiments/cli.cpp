#include "experiments/cli.h"

#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/message_line.h"
#include "core/base/suggest.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/ranks.h"
#include "experiments/process/log.h"
#include "experiments/process/memory_end.h"
#include "experiments/process/model_places.h"
#include "experiments/process/stop_signal.h"
#include "experiments/process/version.h"

namespace saccade {

namespace {

struct GlobalOptions {
  Index threads = 0;
  std::string color = "auto";
  std::string models{};
  std::vector<std::string> plugins{};
  PluginLoader load_plugin = nullptr;
};

// Options that every command has. On the command line they may also stand before the command.
void add_global_options(CLI::App& app, GlobalOptions& options, bool takes_plugins) {
  Options(app).count("--threads", options.threads,
                     "number of worker threads (default: all cores, or what a CPU quota allows); "
                     "it never changes a result",
                     1, 1024);
  app.add_option("--color", options.color, "whether messages are coloured")
      ->check(CLI::IsMember({"always", "never", "auto"}))
      ->type_name("always|never|auto");
  app.add_option("--models", options.models,
                 "folder that is searched first for the model of a name (default: those of the "
                 "environment variable SACCADE_MODELS, then those of the program)")
      ->type_name("DIR");
  if (!takes_plugins || options.load_plugin == nullptr) return;
  // Not the vector itself, which the option of a command would fill anew.
  app.add_option_function<std::vector<std::string>>(
         "--plugin",
         [&options](const std::vector<std::string>& files) {
           options.plugins.insert(options.plugins.end(), files.begin(), files.end());
         },
         "shared library with an attention of your own, whose choices configs and checkpoints then "
         "have; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void apply(const GlobalOptions& options, const Environment& environment) {
  using log::Colour;
  if (options.threads > 0) parallel::set_threads(static_cast<int>(options.threads));
  if (options.color == "always") log::set_colour(Colour::kAlways);
  if (options.color == "never" || (options.color == "auto" && environment.no_color))
    log::set_colour(Colour::kNever);
  set_model_places(options.models, environment.models);
  for (const std::string& file : options.plugins) options.load_plugin(file);
}

// The program with its commands.
struct Program {
  CLI::App app{"saccade: image captioning with visual attention", "saccade"};
  GlobalOptions options;
  std::span<const Command* const> commands;
  std::map<const CLI::App*, CommandRun> runs;

  Program(std::span<const Command* const> all, PluginLoader load_plugin) : commands(all) {
    options.load_plugin = load_plugin;
    app.set_version_flag("--version", version_text(),
                         "print the version, compiler, SIMD level and libraries");
    app.get_formatter()->column_width(32);
    app.allow_extras();  // refuse_extras() reports them with a suggestion
    app.require_subcommand(0, 1);
    add_global_options(app, options, true);
    for (const Command* command : commands) {
      CLI::App* sub = app.add_subcommand(command->name, command->summary);
      sub->allow_extras();
      sub->footer(std::string("Example:\n  ") + command->example + "\n");
      Options options_of_command(*sub);
      runs[sub] = command->bind(options_of_command);
      add_global_options(*sub, options, command->reads_configs);
    }
    app.footer("`saccade COMMAND --help` explains a command and shows an example.\n");
  }

  const CLI::App& chosen() const {
    const auto given = app.get_subcommands();
    return given.empty() ? app : *given.front();
  }
};

// Throws UsageError for words of the command line that no option and no argument takes.
void refuse_extras(const Program& program) {
  const CLI::App& app = program.chosen();
  std::vector<std::string> extras = app.remaining();
  // CLI11 counts the word after which nothing is an option among those that it did not take.
  if (const auto end = std::find(extras.begin(), extras.end(), "--"); end != extras.end())
    extras.erase(end);
  if (extras.empty()) return;
  const std::string& word = extras.front();
  const bool is_option = word.starts_with("-");
  std::vector<std::string> known;
  if (is_option) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else if (&app == &program.app) {
    for (const Command* command : program.commands) known.emplace_back(command->name);
  }
  const std::string what = is_option              ? "unknown option '"
                           : &app == &program.app ? "unknown command '"
                                                  : "unexpected argument '";
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  std::error_code error;
  if (is_option && std::filesystem::exists(word, error))
    throw UsageError(what + word + "'; the file of this name is written ./" + word);
  // One option takes one KEY=VALUE, and more stand behind it as easily.
  if (!is_option && word.find('=') != std::string::npos)
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0 && option->get_type_name().find("=VALUE") != std::string::npos)
        throw UsageError(str(what, word, "'; write ", option->get_name(), " before each ",
                             option->get_type_name(), ": ", option->get_name(), " ", word));
  throw UsageError(what + name + "'" + did_you_mean(name, known));
}

// The command that shows the help of the chosen command: "saccade train --help".
std::string help_hint(const Program& program) {
  const CLI::App& app = program.chosen();
  return (&app == &program.app ? std::string("saccade") : "saccade " + app.get_name()) + " --help";
}

// Replaces control characters: a message may quote a file, and those of the file must not reach
// the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f) c = '?';
  }
  return text;
}

// A message has a line for each mistake, each of which may quote a file.
std::string short_lines(const std::string& message) {
  std::string out;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    out += (begin > 0 ? "\n" : "") + message_line(message.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

int tell_failure(ExitCode code, const std::string& message, const parallel::Ranks* ranks) {
  std::string where;
  if (ranks && ranks->rank() > 0) {
    // The first rank ends all where it found the same mistake, which is then told once.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    where = str("rank ", ranks->rank(), ": ");
  }
  log::error(where + printable(short_lines(message)));
  return static_cast<int>(code);
}

// Reads the command line. Returns the command to run, or nothing where help or the version was
// shown.
CommandRun parse(Program& program, int argc, const char* const* argv) {
  try {
    program.app.parse(argc, argv);
    refuse_extras(program);
  } catch (const CLI::Success& shown) {  // --help, --version
    program.app.exit(shown, std::cout, std::cerr);
    return {};
  } catch (const CLI::ParseError& error) {
    refuse_extras(program);
    throw UsageError(std::string(error.what()) + "; see " + help_hint(program));
  }
  const auto found = program.runs.find(&program.chosen());
  if (found == program.runs.end()) {
    const std::string names =
        join(program.commands, ", ", [](const Command* one) { return std::string(one->name); });
    throw UsageError("no command was given; choose one of " + names + "; see saccade --help");
  }
  return found->second;
}

constexpr const char* kNoMemory =
    "out of memory; raise the limit (ulimit -v), use fewer --threads, or lower train.batch, "
    "search.beam or encoder.image_size where the command has them";

// Finds the other processes of a command that mpirun or srun started several times.
std::unique_ptr<parallel::Ranks> ranks_of(const Program& program, int processes) {
  if (processes < 2) return nullptr;
  const std::string name = program.chosen().get_name();
  const bool shared = std::any_of(
      program.commands.begin(), program.commands.end(),
      [&](const Command* command) { return command->name == name && command->over_ranks; });
  if (!shared)
    throw UsageError(str("saccade ", name, " works in one process, and a launcher started ",
                         processes, "; start it without mpirun or srun"));
  std::unique_ptr<parallel::Ranks> ranks = parallel::open_ranks(processes);
  if (ranks->rank() > 0) log::set_errors_only();
  return ranks;
}

int run(Program& program, int argc, const char* const* argv, const Environment& environment,
        std::unique_ptr<parallel::Ranks>& ranks) {
  const CommandRun command = parse(program, argc, argv);
  if (!command) return 0;
  apply(program.options, environment);
  ranks = ranks_of(program, environment.processes);
  const parallel::OverRanks over(ranks.get());
  const int code = command();
  if (!std::cout.flush()) throw IoError("cannot write to standard output; check the disk");
  return code;
}

// What run() returns, or the exit code of the error that it throws, with its line on stderr.
int run_or_fail(std::span<const Command* const> commands, PluginLoader load_plugin, int argc,
                const char* const* argv, const Environment& environment,
                std::unique_ptr<parallel::Ranks>& ranks) {
  const auto fail = [&](ExitCode code, const std::string& message) {
    return tell_failure(code, message, ranks.get());
  };
  try {
    Program program(commands, load_plugin);
    const int code = run(program, argc, argv, environment, ranks);
    if (ranks) ranks->finish();
    ranks.reset();
    return code;
  } catch (const Stopped& stopped) {
    std::cerr << "stopped before there was anything to save\n";
    return signal_exit_code(stopped.signal());
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kMemory, kNoMemory);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)  // what std::thread throws
      return fail(ExitCode::kMemory,
                  "the system starts no more threads: there is no memory for them, or a limit "
                  "forbids them (ulimit -v, ulimit -u)");
    return fail(ExitCode::kInternal, std::string("internal error: ") + error.what());
  } catch (const std::exception& error) {
    if (memory_is_short()) return fail(ExitCode::kMemory, kNoMemory);  // oneTBB without a thread
    return fail(ExitCode::kInternal, std::string("internal error: ") + error.what());
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, const Environment& environment,
                std::span<const Command* const> commands, PluginLoader load_plugin) {
  signal(SIGPIPE, SIG_DFL);  // `saccade list | head` ends without a message
  signal(SIGXFSZ, SIG_IGN);  // writing past a file size limit becomes an error of the write
  tell_when_memory_ends();
  std::unique_ptr<parallel::Ranks> ranks;
  const int code = run_or_fail(commands, load_plugin, argc, argv, environment, ranks);
  if (ranks) ranks->end_all(code);  // the others would wait for this one
  return code;
}

}  // namespace saccade
