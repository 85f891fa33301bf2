// Captions of single photos equal those in a report of the same photos.
#include "experiments/serve/live_captions.h"

#include <nlohmann/json.hpp>

#include "core/attention/selection_kind.h"
#include "core/base/error.h"
#include "experiments/report/report_captions.h"
#include "tests/experiments/small_models.h"
#include "tests/experiments/small_run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Json = nlohmann::json;

TEST_CASE("an uploaded photo gets the captions and maps that a report has") {
  const TempFolder folder("live");
  write_small_run(folder / "hard", small_experiment(SelectionKind::kHard));
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

}  // namespace
}  // namespace saccade::test
