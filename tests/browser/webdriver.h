// Browser: headless Chromium, driven over WebDriver (W3C) by way of Debian's chromedriver.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace saccade::test {

class Browser {
 public:
  // Starts chromedriver and a window. Throws std::runtime_error with what it says where it cannot.
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Whether chromedriver is installed.
  static bool available();

  void open(const std::filesystem::path& file);
  void visit(const std::string& url);
  // The size of what the page is laid out in, in CSS pixels.
  void resize(int width, int height);
  // What the reader prefers: "light" or "dark", and that nothing moves by itself.
  void prefer(const std::string& scheme);

  // The value of a function body in the page, as JSON: `return document.title`.
  std::string run(const std::string& script);
  // Waits until an expression is true; false where it is not within five seconds.
  bool becomes(const std::string& expression);

  // Moves the pointer to a place of the first element that fits a CSS selector, in shares of it.
  void hover(const std::string& selector, double x = 0.5, double y = 0.5);
  void click(const std::string& selector);
  // Gives a file to an element that takes one.
  void choose(const std::string& selector, const std::filesystem::path& file);
  // A key: a character, or a name of the list in webdriver.cpp ("ArrowLeft").
  void press(const std::string& key);

  // What the page and the browser complained of since the last call: errors and warnings.
  std::vector<std::string> complaints();
  // The window as a PNG file.
  void screenshot(const std::filesystem::path& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::test
