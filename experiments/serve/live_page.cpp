#include "experiments/serve/live_page.h"

#include "experiments/report/page_parts.h"
#include "experiments/report/report_page.h"

namespace saccade {

LivePage live_page() {
  LivePage page{.html = std::string(page_parts::live_markup),
                .css = std::string(page_parts::style) + std::string(page_parts::live_style),
                .js = "(() => {\n" + program_values() + std::string(page_parts::explorer_script) +
                      std::string(page_parts::live_script) + "})();\n"};
  put_part(page.html, "<!--{help}-->", page_parts::help);
  return page;
}

}  // namespace saccade
