// Captions of single photos equal those in a report of the same photos.
#include "experiments/serve/live_captions.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <deque>
#include <future>
#include <nlohmann/json.hpp>

#include "captioning/model/encoder_features.h"
#include "captioning/model/maps/caption_text.h"
#include "core/io/array_file.h"
#include "experiments/report/report_captions.h"
#include "experiments/serve/caption_server.h"
#include "tests/experiments/small_models.h"
#include "tests/experiments/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/http.h"
#include "tests/support/running_server.h"
#include "tests/support/temp_folder.h"

namespace saccade::test::live_captions_test {
namespace {

using Json = nlohmann::json;

TEST_CASE("an uploaded photo gets the captions and maps that a report has") {
  const TempFolder folder("live");
  write_small_run(folder / "hard", small_experiment("hard"));
  write_small_run(folder / "transformer", small_transformer());
  const SmallModels loaded({folder / "hard", folder / "transformer"});
  const LoadedData data = load_data(loaded.models()[0].loaded->config.data);
  const Index first = images_of(data.dataset, Split::kTest)[0];

  const LiveCaptions live(loaded.models());
  const Json models = Json::parse(live.models_json(99));
  CHECK(models.at("max_upload") == 99);
  CHECK(models.at("models")[1].at("heads") == 2);
  CHECK(models.at("models")[0].at("regimes")[0] == "argmax");
  const std::vector<std::uint8_t> bytes = encode_png(data.image(first));
  const Json answer = Json::parse(live.caption_json(bytes));
  CHECK(answer.at("width") == 32);
  CHECK(answer.at("photo").get<std::string>().find("data:image/jpeg;base64,") == 0);

  ReportRequest request;
  request.models = loaded.models();
  request.data = &data;
  const ReportCaptions report(request, {first});
  for (std::size_t m = 0; m < 2; ++m) {
    const Json shown = report.caption_json(m, 0);
    const Json& own = answer.at("models")[m];
    CHECK(own.at("regimes").size() == (m == 0 ? 4 : 1));
    for (const auto& [regime, of_report] : shown.at("regimes").items())
      for (const auto& [key, value] : own.at("regimes").at(regime).items()) {
        INFO(regime << " " << key);
        CHECK(value == of_report.at(key));
        CHECK(of_report.at("regime") == regime);
      }
    std::string words;
    const std::string regime = models.at("models")[m].at("regimes")[0];
    for (const Json& word : own.at("regimes").at(regime).at("words"))
      words += (words.empty() ? "" : " ") + word.at("text").get<std::string>();
    CHECK(answer.at("captions").at(loaded.models()[m].name) == words);
  }
  CHECK(Json::parse(live.caption_json(bytes)).at("models") == answer.at("models"));
  CHECK_THROWS_AS(live.caption_json(std::span(bytes).first(40)), DataError);
}

TEST_CASE("a photo is encoded once per model, whatever the number of regimes") {
  const TempFolder folder("live-once");
  write_small_run(folder / "hard", small_experiment("hard"));
  write_small_run(folder / "soft", small_experiment());
  const SmallModels loaded({folder / "hard", folder / "soft"});
  std::vector<std::string> encoded;
  const LiveCaptions live(loaded.models(), [&](const ShownModel& model, const Source& picture) {
    encoded.push_back(model.name);
    return encode_photo(model, picture);
  });
  const Json answer = Json::parse(live.caption_json(encode_png(Image(32, 32, 90))));
  CHECK(answer.at("models")[0].at("regimes").size() == 4);
  CHECK(encoded == std::vector<std::string>{"hard", "soft"});
}

// A zip archive that promises an array of so many bytes.
std::vector<std::uint8_t> promising_zip(std::uint32_t unpacked) {
  const std::string name = "x.npy", content(600'000, 0);
  std::string out;
  const auto number = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 255);
  };
  const auto file = [&](const char* mark) {
    out += mark;
    if (out.size() > 4) number(20, 2);  // in the list, which follows the content
    number(20, 2), number(0, 2), number(8, 2), number(0, 8);
    number(static_cast<std::uint32_t>(content.size()), 4), number(unpacked, 4);
    number(static_cast<std::uint32_t>(name.size()), 2), number(0, 2);
  };
  file("PK\x03\x04");
  out += name + content;
  const auto list = static_cast<std::uint32_t>(out.size());
  file("PK\x01\x02");
  number(0, 14), out += name;
  const auto list_bytes = static_cast<std::uint32_t>(out.size()) - list;
  out += "PK\x05\x06";
  number(0, 4), number(1, 2), number(1, 2), number(list_bytes, 4), number(list, 4), number(0, 2);
  return {out.begin(), out.end()};
}

TEST_CASE("features of the model's encoder have the captions of the photo that they are of") {
  const TempFolder folder("live-pair");
  write_small_run(folder / "soft", small_experiment());
  const SmallModels loaded({folder / "soft"});
  const LiveCaptions live(loaded.models());
  const Image image(40, 32, 90);
  const std::vector<std::uint8_t> bytes = encode_png(image);
  const OpenModel& model = *loaded.models()[0].loaded;
  const Ensemble models(std::vector<OpenModel>{model});
  const auto read = [&](Index, const MessageListener&) { return Source(image); };
  const Photo photo = std::move(Photos(models, 0, 1, read, false).next().at(0));
  const EncoderFeatures features = encoder_features(model, photo.inputs[0].view(), photo.geometry);
  const std::string file = numpy_file(features.shape, features.values);
  const std::vector<std::uint8_t> sent(file.begin(), file.end());
  const Json plain = Json::parse(live.caption_json(bytes)),
             pair = Json::parse(live.caption_json(bytes, {}, sent));
  CHECK(pair.at("models") == plain.at("models"));

  // Other numbers have other captions or maps: the features are what was read.
  std::vector<float> others = features.values;
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = i % 7 == 0 ? 3.0F : 0.0F;
  const std::string other = numpy_file(features.shape, others);
  CHECK(Json::parse(
            live.caption_json(bytes, {}, std::vector<std::uint8_t>(other.begin(), other.end())))
            .at("models") != plain.at("models"));
  const auto refusal = [&](std::span<const std::uint8_t> some) {
    return message_of<DataError>([&] { live.caption_json(bytes, {}, some); });
  };
  CHECK(refusal(std::span(sent).first(sent.size() / 2)).starts_with("the features: it is cut"));
  const std::string hdf = "\x89HDF\r\n\x1a\n";
  CHECK(refusal(std::vector<std::uint8_t>(hdf.begin(), hdf.end())).find("HDF5") !=
        std::string::npos);
  CHECK(refusal(promising_zip(1U << 29)).find("more than 256 MiB") != std::string::npos);
  CHECK(refusal(promising_zip(1U << 20)).find("more than 256 MiB") == std::string::npos);
  const std::string narrow = numpy_file(std::array<Index, 2>{4, 3}, std::vector<float>(12, 1));
  CHECK(refusal(std::vector<std::uint8_t>(narrow.begin(), narrow.end())).find("the model takes") !=
        std::string::npos);
}

TEST_CASE(
    "the captions of a model's own regime have the effects of regions, where they are wanted") {
  const TempFolder folder("live-occlusion");
  write_small_run(folder / "hard", small_experiment("hard"));
  write_small_run(folder / "transformer", small_transformer());
  const SmallModels loaded({folder / "hard", folder / "transformer"});
  const LoadedData data = load_data(loaded.models()[0].loaded->config.data);
  const Index first = images_of(data.dataset, Split::kTest)[0];
  const std::vector<std::uint8_t> bytes = encode_png(data.image(first));
  const RequestedSearch wanted{.occlusion = true};
  std::size_t encoded = 0;
  const EncodePhoto counting = [&](const ShownModel& model, const Source& picture) {
    ++encoded;
    return encode_photo(model, picture);
  };
  const LiveCaptions live(loaded.models(), counting);
  CHECK(Json::parse(live.models_json(1)).at("occlusion_steps") == kOcclusionSteps);
  const Json plain = Json::parse(live.caption_json(bytes)),
             answer = Json::parse(live.caption_json(bytes, wanted));
  CHECK(encoded == 4);  // twice by each model

  // They are those of a report.
  ReportRequest request;
  request.models = loaded.models();
  request.data = &data;
  request.occlusion = true;
  const ReportCaptions report(request, {first});
  Index most = 0;  // steps
  for (std::size_t m = 0; m < 2; ++m) {
    const Json& own = answer.at("models")[m];
    const Json shown = report.caption_json(m, 0);
    const std::string regime(enum_name(evaluation_regimes(loaded.models()[m].loaded->config)[0]));
    for (const auto& [name, caption] : own.at("regimes").items())
      for (std::size_t w = 0; w < caption.at("words").size(); ++w) {
        INFO(m << " " << name << " " << w);
        const Json& word = caption.at("words")[w];
        CHECK(word.contains("occlusion") == (name == regime));
        if (name != regime) continue;
        const Json& expected = shown.at("regimes").at(name).at("words")[w].at("occlusion");
        REQUIRE(word.at("occlusion").size() == expected.size());
        for (std::size_t r = 0; r < expected.size(); ++r)
          for (std::size_t c = 0; c < expected[r].size(); ++c)
            CHECK(std::abs(word.at("occlusion")[r][c].get<double>() -
                           expected[r][c].get<double>()) < 2e-4);
      }
    CHECK_FALSE(own.contains("no_occlusion"));
    const auto words = own.at("regimes").at(regime).at("words").size();
    most = std::max(most,
                    static_cast<Index>(words) * loaded.models()[m].loaded->model->grid().cells());
  }
  for (const Json& model : plain.at("models"))
    CHECK(model.dump().find("occlusion") == std::string::npos);

  // Captions whose occlusion would take more steps than are allowed have none, and say why.
  const Json just =
      Json::parse(LiveCaptions(loaded.models(), encode_photo, most).caption_json(bytes, wanted));
  CHECK(just.at("models") == answer.at("models"));
  const Json less = Json::parse(
      LiveCaptions(loaded.models(), encode_photo, most - 1).caption_json(bytes, wanted));
  std::size_t refused = 0;
  for (const Json& model : less.at("models")) {
    if (!model.contains("no_occlusion")) continue;
    ++refused;
    CHECK(model.at("no_occlusion")
              .get<std::string>()
              .find(str("takes ", most, " decoding steps, and this server allows ", most - 1)) !=
          std::string::npos);
    CHECK(model.at("regimes").dump().find("occlusion") == std::string::npos);
  }
  CHECK(refused > 0);
  const LiveCaptions never(loaded.models(), encode_photo, 0);
  CHECK_NOTHROW(never.caption_json(bytes));
  CHECK(message_of<UsageError>([&] {
          never.caption_json(bytes, wanted);
        }).find("this server was started without occlusion") != std::string::npos);
}

TEST_CASE("a photo is captioned with the search that is asked for") {
  const TempFolder folder("live-search");
  ExperimentConfig grouped = small_experiment();
  grouped.search.beam = 4;
  grouped.search.groups = 2;
  grouped.search.diversity = 0.5;
  write_small_run(folder / "soft", small_experiment());
  write_small_run(folder / "grouped", grouped);
  const SmallModels loaded({folder / "soft", folder / "grouped"});
  const LiveCaptions live(loaded.models());
  Image picture(32, 32, 60);
  for (Index i = 0; i < 100; ++i) picture.pixel(8 + i / 10, 8 + i % 10)[0] = 250;
  const std::vector<std::uint8_t> bytes = encode_png(picture);
  const auto models = [&](const RequestedSearch& requested) {
    return Json::parse(live.caption_json(bytes, requested)).at("models");
  };

  const Json own = models({});
  CHECK(own[1].at("search") == Json({{"mode", "beam"}, {"beam", 4}, {"seed", 1}}));
  const Json facts = Json::parse(live.models_json(1));
  CHECK(facts.at("models")[1].at("search") == own[1].at("search"));
  CHECK(facts.at("search_limits").at("beam") == Json({1, 20}));

  // The captions are those that `caption` finds with the same search.
  for (const SearchMode mode : {SearchMode::kBeam, SearchMode::kGreedy, SearchMode::kSample}) {
    INFO(enum_name(mode));
    RequestedSearch requested{.mode = mode, .beam = {}, .temperature = {}, .seed = 5};
    if (mode == SearchMode::kBeam) requested.beam = 6;
    if (mode == SearchMode::kSample) requested.temperature = 2;
    const Json found = models(requested);
    const ShownModel& soft = loaded.models()[0];
    SearchOptions search = search_options(soft.loaded->config, soft.loaded->config.search,
                                          soft.loaded->model->vocabulary());
    search.mode = mode;
    search.seed = 5;
    search.beam = mode == SearchMode::kBeam ? 6 : search.beam;
    search.temperature = mode == SearchMode::kSample ? 2 : 1;
    InputBatch input(soft.loaded->pipeline->shape(), 1);
    soft.loaded->pipeline->run(picture, input.values_of(0));
    const InputView view = input.view();
    const DecodedCaption expected =
        EncodedPictures(*soft.loaded->model, {&view, 1}).caption(search, 0).front();
    CHECK(found[0].at("regimes").at("expectation").at("caption") ==
          caption_text(expected, soft.loaded->model->vocabulary()));
    CHECK(found[0].at("search").at("mode") == enum_name(mode));
  }
  const auto of_soft = [&](const RequestedSearch& requested) {
    return models(requested)[0].at("regimes").at("expectation");
  };
  const auto drawn = [&](Index seed) {
    return of_soft({.mode = SearchMode::kSample, .temperature = 5, .seed = seed}).at("caption");
  };
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
  // Groups share the beam, and other modes have none.
  CHECK(message_of<UsageError>([&] { models({.beam = 5}); }).find("grouped: search.groups 2") == 0);
  CHECK_NOTHROW(models({.mode = SearchMode::kGreedy}));
}

// Clients of the server that are slow, and a server that cannot accept any.

using namespace std::chrono_literals;

ServerOptions small_server() { return {.max_upload = 20'000, .waiting = 1, .timeout = 1s}; }

std::string no_caption(const CaptionRequest&) { return "{}"; }

TEST_CASE("slow requests do not hold the server's threads for long") {
  const RunningServer server(small_server(), "{}", no_caption);
  const auto start = std::chrono::steady_clock::now();
  const Connection nothing(server.port()), little(server.port()), promised(server.port());
  little.send("POST /caption HTTP/1.1\r\nHost: loc");
  promised.send(request_head("POST", "/caption", 5000) + "\r\nfour");
  const Connection slow(server.port());
  slow.send(request_head("POST", "/caption", 5000) + "\r\n");
  std::string received;
  for (int i = 0; i < 100 && received.empty(); ++i) {
    slow.send("x");
    std::this_thread::sleep_for(100ms);
    received = slow.read(0);
  }
  CHECK(std::chrono::steady_clock::now() - start < 8s);
  CHECK(parse_answer(received + slow.read()).status == 408);
  CHECK(parse_answer(promised.read()).status == 408);
  nothing.read();
  little.read();
  CHECK(std::chrono::steady_clock::now() - start < 15s);
  // More connections than there are threads, none of which sends anything.
  std::deque<Connection> crowd;
  for (int i = 0; i < 100; ++i) crowd.emplace_back(server.port());
  for (int i = 0; i < 300; ++i) {
    if (ask(server.port(), "POST", "/caption", "x").status == 200) return;
    std::this_thread::sleep_for(100ms);
  }
  FAIL("the server never answers again");
}

// So many lines of a head.
std::string heads(int count, std::size_t size) {
  std::string all;
  for (int i = 0; i < count; ++i) all += str("H", i, ": ") + std::string(size, 'x') + "\r\n";
  return all;
}

TEST_CASE("clients that are slow in whatever way do not delay what is answered at once") {
  struct Slow {
    const char* how;
    std::string sent;
  };
  const std::vector<Slow> kinds = {
      {"nothing", ""},
      {"a part of a head", "GET /health HTTP/1.1\r\nHost: loc"},
      {"a part of the head of an upload", "POST /caption HTTP/1.1\r\nHost: loc"},
      {"a part of a picture", request_head("POST", "/caption", 5000) + "\r\nfour"},
      {"no end of the connection", request_head("GET", "/", 0) + "\r\n"},
      {"a head without an end",
       "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(6000, 'x')},
      {"a longer head without an end", "GET / HTTP/1.1\r\nHost: localhost\r\n" + heads(5, 4000)}};
  for (const Slow& kind : kinds) {
    INFO(kind.how);
    ServerOptions patient = small_server();
    patient.timeout = 20s;
    const RunningServer server(patient, "{}", no_caption);
    std::deque<Connection> crowd;
    for (int i = 0; i < 100; ++i) crowd.emplace_back(server.port()).send(kind.sent);
    std::this_thread::sleep_for(200ms);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) CHECK(ask(server.port(), "GET", "/health").status == 200);
    CHECK(std::chrono::steady_clock::now() - start < 3s);
  }
}

TEST_CASE("of more connections than can wait, those are closed that have waited longest") {
  const RunningServer server(small_server(), "{}", no_caption);
  std::deque<Connection> crowd;
  for (int i = 0; i < 300; ++i) crowd.emplace_back(server.port());
  CHECK(ask(server.port(), "GET", "/health").status == 200);
  CHECK(crowd.front().read(5).empty());
  crowd.back().send(request_head("GET", "/health", 0) + "\r\n");
  CHECK(parse_answer(crowd.back().read()).status == 200);
}

TEST_CASE("a server is ready when it answers requests") {
  CaptionServer server(small_server(), "{}", no_caption);
  std::atomic<int> stop{0};
  int calls = 0, status = 0;
  server.run(stop, [&] {
    ++calls;
    status = ask(static_cast<int>(server.port()), "GET", "/health").status;
    stop = 1;
  });
  CHECK(calls == 1);
  CHECK(status == 200);
}

// Takes from this process the socket that listens on a port, as a system may do.
void stop_listening(int port) {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    int listens = 0;
    socklen_t flag = sizeof listens;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        ntohs(address.sin_port) == port &&
        ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &flag) == 0 && listens != 0)
      ::shutdown(fd, SHUT_RDWR);
  }
}

TEST_CASE("a server that can accept no connections ends and says so") {
  for (const bool before : {true, false}) {
    INFO((before ? "before it runs" : "while it runs"));
    CaptionServer server(small_server(), "{}", no_caption);
    const int port = static_cast<int>(server.port());
    if (before) stop_listening(port);
    const std::atomic<int> stop{0};
    std::future<std::string> message = std::async(
        std::launch::async, [&] { return message_of<IoError>([&] { server.run(stop); }); });
    if (!before) {
      CHECK(ask(port, "GET", "/health").status == 200);
      stop_listening(port);
    }
    REQUIRE(message.wait_for(10s) == std::future_status::ready);
    CHECK(message.get().find("connections are no longer accepted there") != std::string::npos);
  }
}

}  // namespace
}  // namespace saccade::test::live_captions_test
