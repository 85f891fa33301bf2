// The files of the page of `saccade serve`, which are part of the program.
#pragma once

#include <string>

namespace saccade {

struct LivePage {
  std::string html, css, js;
};
LivePage live_page();

}  // namespace saccade
