#include "experiments/cli.h"

#include <signal.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/parallel/parallel.h"
#include "experiments/command.h"
#include "experiments/commands/caption.h"
#include "experiments/commands/compare.h"
#include "experiments/commands/config_command.h"
#include "experiments/commands/convert.h"
#include "experiments/commands/data.h"
#include "experiments/commands/evaluate.h"
#include "experiments/commands/inspect.h"
#include "experiments/commands/list.h"
#include "experiments/commands/overlay.h"
#include "experiments/commands/report.h"
#include "experiments/commands/runs.h"
#include "experiments/commands/score.h"
#include "experiments/commands/serve.h"
#include "experiments/commands/train.h"
#include "experiments/stop_signal.h"
#include "experiments/version.h"

namespace saccade {

namespace {

struct CommandEntry {
  const char* name;
  const char* summary;
  const char* example;
  CommandBinding bind;
};

// Every command of the program, in the order of --help.
constexpr CommandEntry kCommands[] = {
    {"train", "train a captioner",
     "saccade train configs/quickstart.yaml --out runs/first train.stop=2e", bind_train},
    {"evaluate", "score a model's captions", "saccade evaluate runs/first --json", bind_evaluate},
    {"caption", "caption pictures", "saccade caption runs/first photo.jpg", bind_caption},
    {"overlay", "draw where a model looked for each word",
     "saccade overlay runs/first photo.jpg --out overlays", bind_overlay},
    {"compare", "train and score the arms of an experiment under equal conditions",
     "saccade compare configs/quickstart.yaml --out runs/quickstart", bind_compare},
    {"report", "one page to look at models side by side: attention, curves, scores",
     "saccade report runs/first runs/second --out report.html", bind_report},
    {"serve", "a page in the browser that captions photos and shows where models look",
     "saccade serve runs/first runs/second\n"
     "The page's own requests, for programs (JSON; experiments/README.md documents it):\n"
     "  curl --data-binary @photo.jpg http://127.0.0.1:8080/caption\n"
     "  curl http://127.0.0.1:8080/models\n"
     "  curl http://127.0.0.1:8080/health",
     bind_serve},
    {"runs", "what was trained and how it stands", "saccade runs runs", bind_runs},
    {"score", "score captions of any program against references",
     "saccade score captions_val2014.json results.json --json", bind_score},
    {"data", "what a data set holds", "saccade data configs/quickstart.yaml --out sheets",
     bind_data},
    {"inspect", "what a checkpoint holds", "saccade inspect runs/first/checkpoints/last",
     bind_inspect},
    {"convert", "a checkpoint as safetensors for other programs, and back",
     "saccade convert runs/first first.safetensors", bind_convert},
    {"list", "what an experiment can be put together from", "saccade list attention", bind_list},
    {"config", "show what an experiment file means, or check it",
     "saccade config show configs/quickstart.yaml train.batch=32", bind_config},
};

struct GlobalOptions {
  int threads = 0;
  std::string color = "auto";
};

// Options that every command has, and that may also stand in front of it.
void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_option("--threads", options.threads,
                 "worker threads (default: all cores); never changes a result")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  app.add_option("--color", options.color, "colour in messages")
      ->check(CLI::IsMember({"always", "never", "auto"}))
      ->type_name("always|never|auto");
}

void apply(const GlobalOptions& options, const Environment& environment) {
  using log::Colour;
  if (options.threads > 0) parallel::set_threads(options.threads);
  if (options.color == "always") log::set_colour(Colour::kAlways);
  if (options.color == "never" || (options.color == "auto" && environment.no_color))
    log::set_colour(Colour::kNever);
}

// The program with all of its commands.
struct Program {
  CLI::App app{"saccade: image captioning with visual attention", "saccade"};
  GlobalOptions options;
  std::map<const CLI::App*, CommandRun> runs;

  Program() {
    app.set_version_flag("--version", version_text(), "version, compiler, SIMD level, libraries");
    app.get_formatter()->column_width(32);
    app.allow_extras();  // they are reported with a suggestion
    app.require_subcommand(0, 1);
    add_global_options(app, options);
    for (const CommandEntry& command : kCommands) {
      CLI::App* sub = app.add_subcommand(command.name, command.summary);
      sub->allow_extras();
      sub->footer(std::string("Example:\n  ") + command.example + "\n");
      Options options_of_command(*sub);
      runs[sub] = command.bind(options_of_command);
      add_global_options(*sub, options);
    }
    app.footer("`saccade COMMAND --help` explains a command and shows an example.\n");
  }

  const CLI::App& chosen() const {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : *commands.front();
  }
};

// Throws UsageError for words that nothing takes.
void refuse_extras(const Program& program) {
  const CLI::App& app = program.chosen();
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const std::string& word = extras.front();
  const bool is_option = word.starts_with("-");
  std::vector<std::string> known;
  if (is_option) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else if (&app == &program.app) {
    for (const CommandEntry& command : kCommands) known.emplace_back(command.name);
  }
  const std::string what = is_option              ? "unknown option '"
                           : &app == &program.app ? "unknown command '"
                                                  : "unexpected argument '";
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  throw UsageError(what + name + "'" + did_you_mean(name, known));
}

// Where to read on: "saccade train --help".
std::string help_hint(const Program& program) {
  const CLI::App& app = program.chosen();
  return (&app == &program.app ? std::string("saccade") : "saccade " + app.get_name()) + " --help";
}

// Control characters of a file's text must not reach the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f) c = '?';
  }
  return text;
}

int fail(ExitCode code, const std::string& message) {
  log::error(printable(message));
  return static_cast<int>(code);
}

// Reads the command line. Returns the command to run, or nothing when help or version was shown.
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
    std::string names;
    for (const CommandEntry& command : kCommands)
      names += (names.empty() ? "" : ", ") + std::string(command.name);
    throw UsageError("no command; choose one of " + names + "; see saccade --help");
  }
  return found->second;
}

int run(int argc, const char* const* argv, const Environment& environment) {
  Program program;
  const CommandRun command = parse(program, argc, argv);
  if (!command) return 0;
  apply(program.options, environment);
  const int code = command();
  if (!std::cout.flush()) throw IoError("cannot write to standard output; check the disk");
  return code;
}

}  // namespace

int run_program(int argc, const char* const* argv, const Environment& environment) {
  signal(SIGPIPE, SIG_DFL);  // `saccade list | head` ends quietly
  signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write
  try {
    return run(argc, argv, environment);
  } catch (const Stopped& stopped) {
    std::cerr << "stopped before there was anything to save\n";
    return signal_exit_code(stopped.signal());
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kMemory,
                "out of memory; lower train.batch, search.beam or the size of the images");
  } catch (const std::exception& error) {
    return fail(ExitCode::kInternal, std::string("internal error: ") + error.what());
  }
}

}  // namespace saccade
