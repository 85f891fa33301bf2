// The files of the page that `saccade serve` shows, from the program itself.
#pragma once

#include <string>

namespace saccade {

struct LivePage {
  std::string html, css, js;
};
LivePage live_page();

}  // namespace saccade
