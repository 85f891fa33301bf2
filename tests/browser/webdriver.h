// Browser: headless Chromium, driven over WebDriver (W3C) through Debian's chromedriver.
#pragma once

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace saccade::test {

class Browser {
 public:
  // Opens a new window, in the browser of this process where one runs and nobody has it. Throws
  // std::runtime_error with chromedriver's output where it cannot be started.
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Whether chromedriver is installed.
  static bool available();

  void open(const std::filesystem::path& file);
  void visit(const std::string& url);
  // Runs a script in every page that is visited from now on, before the page's own scripts.
  void before_pages(const std::string& script);
  // Sets the size of the page's layout, in CSS pixels.
  void resize(int width, int height);
  // Sets what the reader prefers: "light" or "dark". Animations are always off.
  void prefer(const std::string& scheme);

  // Runs a function body in the page and returns its value as JSON: `return document.title`.
  std::string run(const std::string& script);
  // Waits until an expression is true. Returns false where it is not within five seconds.
  bool becomes(const std::string& expression);

  // Moves the pointer to a place of the first element that matches a CSS selector. x and y are
  // shares of the element.
  void hover(const std::string& selector, double x = 0.5, double y = 0.5);
  void click(const std::string& selector);
  // Gives a file to an element that accepts one.
  void choose(const std::string& selector, const std::filesystem::path& file);
  // Presses a key: a character, or a name from the list in webdriver.cpp ("ArrowLeft").
  void press(const std::string& key);

  // The errors and warnings of the page and the browser since the last call.
  std::vector<std::string> complaints();
  // Writes the window as a PNG file.
  void screenshot(const std::filesystem::path& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Ends a test case if there is no browser; CTest then counts it as skipped.
#define SACCADE_NEEDS_BROWSER()                                                             \
  if (!Browser::available()) {                                                              \
    std::cout << "skipped: chromedriver is not installed (apt-get install chromium-driver " \
                 "chromium)\n";                                                             \
    return;                                                                                 \
  }

}  // namespace saccade::test
