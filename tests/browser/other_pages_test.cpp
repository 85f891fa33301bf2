// The report of a model of texts: the matrix of words and tokens stands open, without the padding.
#include <iostream>

#include "core/io/base64.h"
#include "experiments/commands/caption.h"
#include "experiments/commands/report.h"
#include "tests/browser/open_report.h"
#include "tests/browser/page_checks.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_run.h"

namespace saccade::test::other_pages_test {
namespace {

using Json = nlohmann::json;

class TextReport {
 public:
  TextReport() {
    ExperimentConfig config = small_text_experiment();
    config.data.sequences.longest = 5;  // of the six places of the grid
    config.data.sequences.test = 40;
    config.search.min_length = 3;
    config.attention.temperature = Ramp::constant(0.02);  // so that the maps are not uniform
    write_small_run(folder_ / "texts", config);
    make_report({.runs = {(folder_ / "texts").string()}, .out = page().string(), .images = 2});
  }
  std::filesystem::path page() const { return folder_ / "report.html"; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"text-report"};
};

TEST_CASE("the page of a text shows the matrix of its words and tokens") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  const std::string matrix = "document.querySelector('.card [data-part=alignment]')";
  CHECK(page.ask(matrix + ".open") == true);
  const Json tokens =
      page.ask("JSON.parse(document.querySelector('#data').textContent).images[0].tokens");
  REQUIRE(tokens.size() >= 2);
  REQUIRE(tokens.size() <= 5);
  CHECK(page.ask("[..." + matrix + ".querySelectorAll('ol li')].map((li) => li.textContent)") ==
        tokens);
  CHECK(page.ask(matrix + ".querySelector('canvas').width") == tokens.size());
  CHECK(page.ask(matrix + ".querySelector('canvas').height") ==
        page.ask("document.querySelector('.card').querySelectorAll('.word').length"));
  // Every cell has a colour, and not all have the same.
  const Json colours = page.run("const c = " + matrix +
                                ".querySelector('canvas'), out = new Set(), data = "
                                "c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
                                "for (let i = 0; i < data.length; i += 4) "
                                "out.add(data.slice(i, i + 4).join(' ')); return [...out];");
  CHECK(colours.size() > 1);
  for (const Json& colour : colours) CHECK(colour.get<std::string>().ends_with(" 255"));
}

TEST_CASE("the tokens above the matrix are whole, and single letters stand upright") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  page.change([](Json& data) { data["images"][0]["tokens"][0] = "wednesday"; });
  const std::string matrix = "document.querySelector('.card [data-part=alignment]')";
  // Where each token ends, above the canvas.
  const Json rooms =
      page.ask("[..." + matrix + ".querySelectorAll('ol li')].map((li) => " + matrix +
               ".querySelector('canvas').getBoundingClientRect().top - "
               "li.getBoundingClientRect().bottom)");
  for (const Json& room : rooms) CHECK(room.get<double>() >= 2);
  CHECK(page.ask("[..." + matrix +
                 ".querySelectorAll('ol li')].every((li) => li.scrollHeight <= "
                 "li.clientHeight && li.scrollWidth <= li.clientWidth)") == true);
  const Json modes = page.ask("[..." + matrix +
                              ".querySelectorAll('ol li')].map((li) => "
                              "getComputedStyle(li).writingMode)");
  CHECK(modes[0] == "vertical-rl");
  for (std::size_t i = 1; i < modes.size(); ++i) CHECK(modes[i] == "horizontal-tb");
}

TEST_CASE("the page of texts speaks of texts, and scores them by exact matches over the split") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TextReport> page;
  page.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  const std::string text = page.ask(
      "document.querySelector('main').innerText + "
      "document.querySelector('header').innerText");
  CHECK_THAT(text, Catch::Contains("2 of 40 texts") && Catch::Contains("All texts") &&
                       Catch::Contains("exact match ") && Catch::Contains("token accuracy "));
  CHECK_THAT(text, !Catch::Contains(" images") && !Catch::Contains("All images"));
  const std::string judged = page.ask(
      "document.querySelector('#cards').innerText + document.querySelector('#groups').innerText");
  for (const char* other : {"CIDEr", "METEOR", "BLEU"}) CHECK_THAT(judged, !Catch::Contains(other));
  CHECK(page.ask("document.querySelector('#groups h2').textContent") ==
        "Scores of easy and hard texts");
  CHECK_THAT(page.ask("document.querySelector('#groups p').textContent").get<std::string>(),
             Catch::StartsWith("All 40 texts of the split test, in groups."));
  CHECK(page.ask("document.querySelector('#groups option:checked').textContent") ==
        "tokens of the text");
  const Json columns = page.ask(
      "[...document.querySelectorAll('#groups th[scope=col]')].map((th) => th.textContent)");
  CHECK(columns[2] == "texts");
  CHECK(columns[3] == "exact match");
  CHECK(page.ask("[...document.querySelectorAll('#groups tbody tr')].reduce((sum, row) => "
                 "sum + Number(row.children[2].textContent), 0)") == 40);
}

// The page of `saccade caption --page`: the explorer's card of a photo, in a file of its own.

// A page of photos by the transformer, which has 2 layers of 2 heads. One photo has everything that
// a page can have, and several have what they have by default.
class PhotoPages : public WideReport {
 public:
  explicit PhotoPages(Index count = 1) {
    CaptionArgs args{.model = {.checkpoint = run(0).string()}};
    for (Index i = 0; i < count; ++i) args.images.push_back((folder() / (str(i, ".png"))).string());
    args.all_maps = args.occlusion = count == 1;
    args.page = page().string();
    printed([&] { return run_caption(args); });
  }
  std::filesystem::path page() const { return folder() / "photos.html"; }
};
struct TwoPhotos : PhotoPages {
  TwoPhotos() : PhotoPages(2) {}
};

TEST_CASE("the page of a photo shows its caption, all maps and effects, and requests nothing") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<PhotoPages> page;
  const Json data = page.ask("JSON.parse(document.querySelector('#data').textContent)");
  CHECK(page.ask("document.querySelector('#subtitle').textContent") ==
        "one picture, captioned by pad");
  CHECK(page.ask("[...document.querySelectorAll('.word .text')].map((e) => e.textContent)"
                 ".join(' ')") ==
        data["images"][0]["models"][0]["regimes"]["expectation"]["caption"]);
  CHECK(page.ask("[...document.querySelectorAll('#controls .field:not([hidden])')].map((f) => "
                 "f.firstChild.textContent)") ==
        Json::array({"Layer", "Head", "Drawn", "Weights", "Full heat is", "Map", "Photo"}));
  CHECK(page.ask("document.querySelector('.card h3').textContent") == "0.png");
  // Where there is room, no select cuts its longest choice.
  page.browser.run("document.querySelector('[data-part=view]').open = true");
  CHECK(page.ask("[...document.querySelectorAll('#controls select')].filter((select) => {"
                 "const copy = select.cloneNode(true); copy.style.maxWidth = 'none';"
                 "copy.style.position = 'absolute'; select.parentNode.append(copy);"
                 "const cut = copy.offsetWidth > select.offsetWidth; copy.remove();"
                 "return select.offsetWidth > 0 && cut; }).length") == 0);
  CHECK(page.ask("document.querySelector('#controls select').offsetWidth > 0") == true);
  // A model by itself has the photo on the left, and beside it the caption and small maps of all
  // words.
  CHECK(page.ask("(() => { const right = document.querySelector('.photo').getBoundingClientRect()"
                 ".right; return ['.caption', '.strip'].every((part) => "
                 "document.querySelector(part).getBoundingClientRect().left >= right); })()") ==
        true);
  CHECK(page.ask("document.querySelectorAll('.small-map canvas').length") ==
        page.ask("document.querySelectorAll('.word').length"));
  page.browser.hover(OpenReport<PhotoPages>::word(0, 0));
  for (const char* key : {"l", "h", "e"}) {
    const Json before = page.pixels(0, 8, 16);
    page.browser.press(key);
    CHECK(page.pixels(0, 8, 16) != before);
  }
  CHECK(page.ask("performance.getEntriesByType('resource').map((entry) => entry.name)"
                 ".filter((name) => !name.startsWith('data:'))") == Json::array());
  page.browser.resize(390, 800);
  CHECK(page.browser.becomes("window.innerWidth === 390"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 390);
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("a page of several photos has their cards, and offers no maps that it does not have") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<TwoPhotos> page;
  CHECK(page.ask("document.querySelectorAll('.card').length") == 2);
  CHECK(page.ask("document.querySelector('#subtitle').textContent") ==
        "2 pictures, captioned by pad");
  const Json fields = page.ask(
      "[...document.querySelectorAll('#controls .field:not([hidden])')].map((f) => "
      "f.firstChild.textContent)");
  for (const char* name : {"Layer", "Head", "Drawn"})
    CHECK(std::find(fields.begin(), fields.end(), name) == fields.end());
  CHECK(std::find(fields.begin(), fields.end(), "Order") != fields.end());
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("inside of another page stand the cards alone, in a frame of their height") {
  SACCADE_NEEDS_BROWSER();
  OpenReport<PhotoPages> page;
  Json data = page.ask("JSON.parse(document.querySelector('#data').textContent)");
  data["embedded"] = true;
  std::string inner = report_page(data.dump());
  for (const auto& [sign, name] : {std::pair("&", "&amp;"), {"\"", "&quot;"}})
    for (std::size_t at = 0; (at = inner.find(sign, at)) != std::string::npos; ++at)
      inner.replace(at, 1, name);
  page.browser.open(page.report.folder().write(
      "notebook.html",
      "<!doctype html><p>before</p><iframe style='width: 900px; height: 10px' srcdoc=\"" + inner +
          "\"></iframe><p>behind</p>"));
  const std::string inside = "document.querySelector('iframe').contentDocument";
  REQUIRE(page.browser.becomes(inside + "?.querySelector('.photo[data-word]')"));
  CHECK(page.ask("[...(" + inside +
                 ").querySelectorAll('header.page-head, nav, #sections, #found')]"
                 ".filter((part) => part.offsetHeight > 0).length") == 0);
  CHECK(page.ask(inside + ".querySelectorAll('.word').length").get<int>() > 0);
  CHECK(
      page.browser.becomes("(() => { const frame = document.querySelector('iframe'); "
                           "return frame.offsetHeight > 200 && Math.abs(frame.offsetHeight - "
                           "frame.contentDocument.body.scrollHeight) < 8; })()"));
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

// What a report measures inside its models (report --heads, --gradients, --words), as sections of
// the page.

class MeasuredReport {
 public:
  MeasuredReport() {
    ExperimentConfig config = small_transformer();
    config.search.min_length = 3;
    write_small_run(folder_ / "transformer", config);
    ExperimentConfig plain = small_experiment();
    plain.search.min_length = 3;
    write_small_run(folder_ / "plain", plain);
    ReportArgs args{.runs = {(folder_ / "transformer").string(), (folder_ / "plain").string()},
                    .out = page().string(),
                    .images = 2};
    args.heads = args.gradients = true;
    args.words = "a";
    make_report(args);
  }
  std::filesystem::path page() const { return folder_ / "report.html"; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_{"measured-report"};
};

struct Page : OpenReport<MeasuredReport> {
  Json measured(int model) {
    return ask("JSON.parse(document.querySelector('#data').textContent).models[" +
               std::to_string(model) + "].measured");
  }
  // The texts of the cells of a section's table.
  Json table(const std::string& section, int number) {
    return ask("[...document.querySelectorAll('#" + section + " table')[" + std::to_string(number) +
               "].rows].map((row) => [...row.cells].map((cell) => cell.textContent))");
  }
  // Whether all pictures of a section can be decoded.
  bool pictures_load(const std::string& section, std::size_t count) {
    const std::string all = "[...document.querySelectorAll('#" + section + " img')]";
    run(all + ".forEach((img) => { img.loading = 'eager'; }); return null");
    return browser.becomes(all + ".length === " + std::to_string(count) + " && " + all +
                           ".every((img) => img.complete && img.naturalWidth > 100)");
  }
};

TEST_CASE("the sections of heads, gradients and words show what was measured") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  CHECK(page.ask("[...document.querySelectorAll('#nav a')].map((a) => a.textContent)")
            .dump()
            .find(R"("Heads","Gradients","Words near a word")") != std::string::npos);
  // Two layers of three heads among words and two heads of words to regions.
  const Json heads = page.measured(0)["heads"]["table"]["rows"];
  REQUIRE(heads.size() == 10);
  const Json rows = page.table("heads", 0);
  REQUIRE(rows.size() == 11);
  CHECK(rows[0] == Json({"head", "maps", "over", "previous", "next", "first", "diagonal", "content",
                         "entropy", "kind", "role", "closest", "correlation"}));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    CHECK(rows[i + 1][0] == heads[i]["name"]);
    CHECK(rows[i + 1][1] == std::to_string(heads[i]["maps"].get<int>()));
    CHECK(rows[i + 1][9] == heads[i]["kind"]);
    CHECK(rows[i + 1][10] == heads[i]["role"]);
    CHECK(std::stod(rows[i + 1][8].get<std::string>()) ==
          Approx(heads[i]["entropy"].get<double>()).margin(1e-3));
  }
  CHECK(page.table("heads", 1).size() == 2);  // the single head of the other model
  CHECK(page.pictures_load("heads", 2));      // correlations among words, and of words to regions
  CHECK(page.ask("[...document.querySelectorAll('#heads figcaption')].map((f) => f.textContent)") ==
        Json({"correlation of heads, words", "correlation of heads, decoder"}));

  const Json flow = page.table("gradients", 0);
  REQUIRE(flow.size() == 1 + 2 + 2 * 6);  // all, and each layer with its two heads
  CHECK(flow[1][0] == "all");
  CHECK(flow[13][0] == "layer 1, head 1");
  CHECK(flow[13][1] == "as a value");
  CHECK(page.pictures_load("gradients", 8));
  // The regions lie as on the picture: the drawing has the places of a 4 x 4 grid.
  const Json picture = page.measured(0)["gradients"]["pictures"][1];
  CHECK(picture["name"] == "gradients.direct.regions");
  CHECK(page.ask("atob('" + picture["picture"].get<std::string>().substr(26) +
                 "').includes('layer 1, head 1, row 3, column 3: ')") == true);

  const Json words = page.table("words", 0);
  CHECK(words[0] ==
        Json({"stage", "between the captions", "near it in caption 1", "near it in caption 2"}));
  REQUIRE(words.size() == 1 + 6);
  CHECK(words[1][0] == "embedding");
  CHECK(words[6][0] == "end");
  const Json nearest = page.measured(0)["words"][0]["stages"][5]["neighbours"][1][0]["word"];
  CHECK_THAT(words[6][3].get<std::string>(), Catch::StartsWith(nearest.get<std::string>()));
  CHECK(page.table("words", 1).size() == 2);  // a decoder whose words do not attend to each other
  CHECK(page.browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("what was measured fits a phone, has contrast and names, and is not there unasked") {
  SACCADE_NEEDS_BROWSER();
  Page page;
  for (const char* scheme : {"light", "dark"}) {
    page.browser.prefer(scheme);
    CHECK(page.run(kLowContrasts) == Json::array());
  }
  CHECK(page.ask(kNameless) == Json::array());
  page.browser.resize(360, 740);
  CHECK(page.browser.becomes("window.innerWidth === 360"));
  CHECK(page.ask("document.documentElement.scrollWidth") == 360);
  page.change([](Json& data) {
    data["models"][0].erase("measured");
    data["models"][1]["measured"] = {{"images", 2},
                                     {"gradients", {{"left_out", "no <b>keys</b>"}}}};
  });
  CHECK(page.ask("document.querySelector('#gradients .remark').textContent") ==
        "Left out: no <b>keys</b>.");
  CHECK(page.ask("document.querySelector('#heads, #words')") == nullptr);
}

}  // namespace
}  // namespace saccade::test::other_pages_test
