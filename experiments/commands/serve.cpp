#include "experiments/commands/serve.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "core/parallel/parallel.h"
#include "experiments/commands/caption_photos.h"
#include "experiments/commands/commands.h"
#include "experiments/commands/model_session.h"
#include "experiments/commands/shown_models.h"
#include "experiments/process/log.h"
#include "experiments/process/stop_signal.h"
#include "experiments/serve/caption_server.h"
#include "experiments/serve/live_captions.h"
#include "experiments/serve/request_rules.h"

namespace saccade {

namespace {

constexpr Index kMebi = 1 << 20;

void check(const ServeArgs& args) {
  constexpr Index kMostWaiting = 1000, kLongest = 86'400;
  if (args.waiting > kMostWaiting)
    throw UsageError(str("--waiting must be at most ", kMostWaiting, ", because each picture that ",
                         "waits has a thread; got ", args.waiting));
  if (args.timeout > kLongest)
    throw UsageError(
        str("--timeout must be at most ", kLongest, " seconds, a day; got ", args.timeout));
  if (args.port > 65535)
    throw UsageError(str("--port: the largest port is 65535; got ", args.port));
  const Index most = kMaxImageFileBytes / kMebi;
  if (args.max_upload > most)
    throw UsageError(str("--max-upload must be at most ", most,
                         " MiB, because no larger image file is read; got ", args.max_upload));
}

// The first line of the file. Its characters stand in a header, a cookie and an address as they
// are.
std::string token_of(const std::string& file) {
  if (file.empty()) return "";
  std::ifstream in(file);
  if (!in) throw DataError(str("--token ", file, ": there is no such file that can be read"));
  std::string token;
  constexpr std::size_t kMost = 4096;  // the file may be a device without an end
  token.resize(kMost);
  in.read(token.data(), static_cast<std::streamsize>(kMost));
  token.resize(static_cast<std::size_t>(in.gcount()));
  token = token.substr(0, token.find('\n'));
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (token.size() < 16 || !std::all_of(token.begin(), token.end(), plain))
    throw UsageError(
        str("--token ", file,
            ": the file's first line must be a token of at least 16 letters, digits, '-', '_' and "
            "'.', such as `openssl rand -hex 16` prints"));
  return token;
}

void announce(const ServeArgs& args, const CaptionServer& server,
              const std::vector<ShownModel>& models) {
  if (args.json) {
    nlohmann::ordered_json json = {
        {"schema_version", 1}, {"url", server.url()}, {"host", args.host}, {"port", server.port()}};
    for (const ShownModel& model : models) json["models"].push_back(model.name);
    std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  } else {
    std::cout << server.url() << std::endl;
    std::cerr << "open this address in a browser; Ctrl-C stops the server\n";
  }
  if (!is_loopback(args.host) && args.token.empty())
    log::warn(plain_text(str("--host ", args.host,
                             ": everybody who can reach this machine can use the server; ask for "
                             "a token with --token FILE")));
}

}  // namespace

int run_serve(const ServeArgs& args) {
  check(args);
  const StopSignal signal("the picture that is being captioned is finished first");
  std::deque<ModelSession> sessions;
  std::vector<ShownModel> models = shown_models(args.checkpoints).models;
  std::vector<std::string> remarks;
  for (ShownModel& shown : models) {
    const ModelSession& session = sessions.emplace_back(
        ModelArgs{.checkpoint = shown.checkpoint, .set = args.set, .beam = args.beam});
    session.require_one("a column of the page");
    require_pictures(session, "serve");
    session.search("");  // throws where the values of the search do not go together
    signal.check();
    remarks.push_back(remark_on_data(shown.name, session.config()));
    shown.loaded = &session.members()[0];
  }
  const LiveCaptions captions(models, encode_photo, args.occlusion_steps);
  const Index bytes = args.max_upload * kMebi;
  CaptionServer server({.host = args.host,
                        .port = args.port,
                        .max_upload = bytes,
                        .waiting = args.waiting,
                        .per_client = args.per_client,
                        .token = token_of(args.token),
                        .timeout = std::chrono::seconds(args.timeout)},
                       captions.models_json(bytes), [&](const CaptionRequest& request) {
                         return captions.caption_json(request.picture, request.search,
                                                      request.features);
                       });
  parallel::threads();  // prepares this thread, which does the captioning, as a thread of the pool
  for (const std::string& remark : remarks)
    if (!remark.empty()) log::info(plain_text(remark));
  server.run(signal.number(), [&] { announce(args, server, models); });
  return signal_exit_code(signal.number());
}

namespace {

CommandRun bind_serve(Options& options) {
  const auto args = std::make_shared<ServeArgs>();
  options.arguments("checkpoints", args->checkpoints,
                    "checkpoint files, directories of runs or comparisons, or names of models: the "
                    "models to show side by side",
                    "CHECKPOINT", Need::kRequired);
  options.text("--host", args->host,
               "address to listen on (default: 127.0.0.1, which only this machine can reach)",
               "HOST");
  options.count("--port", args->port,
                "port to listen on; 0 takes any port that is free (default: 8080)", 0);
  options.count("--max-upload", args->max_upload,
                "largest picture file that is accepted, in MiB (default: 16)", 1);
  options.count("--waiting", args->waiting,
                "number of pictures that may wait while one is captioned; more are refused, with "
                "the time after which to try again (default: 8)",
                0);
  options.count("--per-client", args->per_client,
                "number of pictures of one address that may wait or be captioned at a time "
                "(default: 4)",
                1);
  options.text("--token", args->token,
               "file whose first line is a token that every request must bring, as "
               "'Authorization: Bearer TOKEN' or, for the page, as /?token=TOKEN",
               "FILE");
  options.count("--timeout", args->timeout,
                "seconds within which a request must have arrived completely (default: 30)", 1);
  options.count("--occlusion-steps", args->occlusion_steps,
                "most decoding steps (words times regions) that may be spent on what regions do "
                "for the words of one caption, where a request asks for it; 0: it cannot be asked "
                "for (default: 10000)",
                0);
  options.repeatable("--set", args->set,
                     "change a value of the checkpoints' configs, such as search.max_length=30",
                     "KEY=VALUE");
  options.count("--beam", args->beam, "number of hypotheses that beam search keeps", 1);
  options.flag("--json", args->json, "print the address and the models as a JSON object");
  return [args] { return run_serve(*args); };
}

}  // namespace

const Command kServeCommand = {
    "serve", "start a web server whose page captions photos and shows the attention maps",
    "saccade serve runs/first runs/second\n"
    "Programs can send the requests that the page sends, and get JSON (see "
    "experiments/README.md):\n"
    "  curl --data-binary @photo.jpg http://127.0.0.1:8080/caption\n"
    "  curl http://127.0.0.1:8080/models\n"
    "  curl http://127.0.0.1:8080/health",
    bind_serve};

}  // namespace saccade
