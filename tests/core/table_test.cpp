// One table in each of its forms.
#include "core/base/table.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

using Cell = Table::Cell;
using Json = nlohmann::ordered_json;
using Lists = std::vector<std::string>;

// Names with what terminals, LaTeX, Markdown and CSV take for their own signs.
Table scores() {
  Table table{
      .columns = {{.key = "arm"},
                  {.key = "place", .hidden = true},
                  {.key = "cider", .label = "CIDEr", .bounded = true},
                  {.key = "", .label = "p"},
                  {.key = "share", .text = "of 1", .scale = 100, .digits = 1, .share = true},
                  {.key = "sizes"}}};
  Cell best = Cell(0.51234).between(0.5, 0.525);
  best.bold = true;
  table.add({"so|ft_1", 1, best, Cell(0.00001).show("<0.0001"), 0.25, std::vector<Index>{2, 3}});
  table.add({"=a,\"b\"", 2, Cell(12.0), Cell(), -1e-9, Lists()});
  table.note = "a note";
  return table;
}

TEST_CASE("a table for a terminal has numbers below each other, and what belongs to them behind") {
  CHECK(to_text(scores()) ==
        "arm                        CIDEr        p  share  sizes\n"
        "so|ft_1  0.5123 [0.5000, 0.5250]  <0.0001     25  2 x 3\n"
        "=a,\"b\"       12                         -    0.0      -\n"
        "a note\n");
  Table odd{.columns = {{.key = "a"}, {.key = "b"}}, .title = "title"};
  odd.add({"x\x1b[31m\n", "\xC3\xA9"});
  odd.add({"nothing", Cell()});
  CHECK(to_text(odd) == "title\na        b\nx [31m   \xC3\xA9\n");
}

TEST_CASE("a turned table has a line for each column, and is not turned where it is too wide") {
  Table table{.columns = {{.key = "arm"}, {.key = "regime"}, {.key = "m", .label = "a metric"}},
              .names = 2};
  for (const char* arm : {"soft", "hard"}) table.add({arm, "argmax", 0.5});
  CHECK(to_text(table, {.turned = true}) ==
        "arm         soft    hard\n"
        "          argmax  argmax\n"
        "a metric  0.5000  0.5000\n");
  table.columns.push_back({.key = "n", .label = "a metric with a long name"});
  for (Table::Cells& row : table.rows) row.emplace_back(1.0);
  CHECK(to_text(table, {.turned = true, .width = 30}) ==
        "arm           a metric\n"
        "soft  argmax    0.5000\n"
        "hard  argmax    0.5000\n"
        "\n"
        "arm           a metric with a\n"
        "                    long name\n"
        "soft  argmax           1.0000\n"
        "hard  argmax           1.0000\n");
}

TEST_CASE("a table for papers and for other programs escapes what they take for their own") {
  CHECK(to_markdown(scores()) ==
        "| arm | CIDEr | p | share | sizes |\n|---|---:|---:|---:|---:|\n"
        "| so\\|ft_1 | 0.5123 [0.5000, 0.5250] | <0.0001 | 25 | 2 x 3 |\n"
        "| =a,\"b\" | 12 | - | 0.0 | - |\n");
  CHECK(to_latex(scores()) ==
        "% a note\n\\begin{tabular}{lrrrr}\n\\toprule\narm & CIDEr & p & share & sizes \\\\\n"
        "\\midrule\nso|ft\\_1 & $\\mathbf{0.5123} \\pm 0.0127$ & $0.0000$ & $25.0$ & 2 x 3 \\\\\n"
        "=a,\"b\" & $12.0000$ & -- & $0.0$ & - \\\\\n\\bottomrule\n\\end{tabular}\n");
  CHECK(to_csv(scores()) ==
        "arm,place,cider,cider_low,cider_high,share,sizes\n"
        "so|ft_1,1,0.51234,0.5,0.525,0.25,2 x 3\n"
        "\"'=a,\"\"b\"\"\",2,12,,,-1e-09,\n");
}

TEST_CASE("a table as JSON has rows by key, null where there is no value, and what columns are") {
  const Json json = to_json(scores());
  CHECK(json.at("rows") == rows_json(scores()));
  CHECK(json.at("rows")[0].dump() ==
        R"({"arm":"so|ft_1","place":1,"cider":0.51234,"cider_low":0.5,"cider_high":0.525,)"
        R"("share":0.25,"sizes":[2,3]})");
  CHECK(json.at("rows")[1].at("cider_low").is_null());
  CHECK(json.at("rows")[1].at("sizes") == Json::array());
  REQUIRE(json.at("columns").size() == 4);
  CHECK(json.at("columns")[1].dump() == R"({"key":"cider","label":"CIDEr"})");
  CHECK(json.at("columns")[2].dump() ==
        R"({"key":"share","label":"share","text":"of 1","share":true})");
  CHECK(json.at("note") == "a note");
  CHECK(rows_json({.columns = {{.key = "x"}}, .rows = {{std::numeric_limits<double>::quiet_NaN()}}})
            .dump() == R"([{"x":null}])");
}

}  // namespace
}  // namespace saccade::test
