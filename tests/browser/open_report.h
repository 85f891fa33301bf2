// What tests of the report's page share: a browser that shows a report, and questions to the page.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/report/report_page.h"
#include "tests/browser/report_pages.h"
#include "tests/browser/webdriver.h"
#include "tests/support/catch.h"

namespace saccade::test {

template <class Report>
struct OpenReport {
  Report report;
  Browser browser;

  OpenReport() {
    browser.open(report.page());
    ready();
  }

  // Waits for the first card's photo.
  void ready() { REQUIRE(browser.becomes("document.querySelector('.photo[data-word]')")); }
  // Shows the page of the report's data as `edit` changes it.
  template <class F>
  void change(const F& edit) {
    nlohmann::json data = ask("JSON.parse(document.querySelector('#data').textContent)");
    edit(data);
    browser.open(report.folder().write("changed.html", report_page(data.dump())));
    ready();
  }
  // Chooses a value in the field with this label, as a person does.
  void choose(const std::string& label, const std::string& value) {
    browser.run(
        "const field = [...document.querySelectorAll('.field')].find((f) => "
        "f.firstChild.textContent === '" +
        label + "').lastChild; field.value = '" + value +
        "'; for (const type of ['input', 'change']) field.dispatchEvent(new Event(type));");
  }
  nlohmann::json run(const std::string& script) {
    return nlohmann::json::parse(browser.run(script));
  }
  nlohmann::json ask(const std::string& expression) { return run("return " + expression); }
  // The CSS selector of word i, in the panel of model m on the first card.
  static std::string word(int m, int i) {
    return ".card .panel[data-model='" + std::to_string(m) + "'] .word[data-index='" +
           std::to_string(i) + "']";
  }
  static std::string canvas(int m) {
    return ".card .panel[data-model='" + std::to_string(m) + "'] .photo";
  }
  // The pixels of a canvas at `rows` x `cols` cell centres, [r, g, b] each.
  nlohmann::json pixels(int m, int rows, int cols) {
    return run(
        "const c = document.querySelector(\"" + canvas(m) + "\"), rows = " + std::to_string(rows) +
        ", cols = " + std::to_string(cols) +
        ", out = [], x = c.getContext('2d');"
        "for (let i = 0; i < rows * cols; ++i) out.push([...x.getImageData("
        "(i % cols + .5) / cols * c.width, (Math.floor(i / cols) + .5) / rows * c.height, 1, 1)"
        ".data.slice(0, 3)]); return out;");
  }
};

// The caption of the first card's image in the first regime of model m, in a report's data.
inline nlohmann::json& caption_of(nlohmann::json& data, std::size_t m) {
  const std::string regime = data["models"][m]["regimes"][0];
  return data["images"][0]["models"][m]["regimes"][regime];
}

}  // namespace saccade::test
