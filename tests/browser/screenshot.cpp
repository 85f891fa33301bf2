// Pictures of a page for the README and for people to look at:
//   screenshot PAGE OUT.png WIDTH HEIGHT light|dark [press=KEY] [click=SELECTOR] [hover=SELECTOR]
//     [file=PICTURE] [run=SCRIPT] [until=EXPRESSION] ...
// does the steps in order and takes a picture of the window. PAGE is a file or an address; `file`
// gives a picture to the page of `saccade serve`.
#include <iostream>

#include "tests/browser/webdriver.h"

namespace saccade::test {

namespace {

void take_step(Browser& browser, const std::string& step) {
  const std::size_t sign = step.find('=');
  const std::string what = step.substr(0, sign), value = step.substr(sign + 1);
  if (what == "press")
    browser.press(value);
  else if (what == "click")
    browser.click(value);
  else if (what == "hover")
    browser.hover(value);
  else if (what == "file")
    browser.choose("#files", value);
  else if (what == "until")
    browser.becomes(value);
  else if (what == "run")
    browser.run(value);
  else
    throw std::runtime_error("no such step: " + step);
}

}  // namespace

}  // namespace saccade::test

int main(int argc, char** argv) try {
  if (argc < 6)
    throw std::runtime_error("screenshot PAGE OUT.png WIDTH HEIGHT light|dark [STEP]...");
  saccade::test::Browser browser;
  browser.prefer(argv[5]);
  browser.resize(std::stoi(argv[3]), std::stoi(argv[4]));
  const std::string page = argv[1];
  if (page.starts_with("http://")) {
    browser.visit(page);
  } else {
    browser.open(page);
    browser.becomes("document.querySelector('.photo[data-word]')");
  }
  for (int i = 6; i < argc; ++i) saccade::test::take_step(browser, argv[i]);
  browser.becomes("document.fonts.status === 'loaded'");
  browser.screenshot(argv[2]);
  for (const std::string& complaint : browser.complaints()) std::cerr << complaint << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
