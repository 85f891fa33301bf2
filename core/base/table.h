// Results as a table. A struct of results becomes one by its table_of(), and the writers below are
// the only ones of results: for a terminal, Markdown, LaTeX, CSV and JSON.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct Table {
  struct Column {
    std::string key;       // in JSON and CSV; empty: for people alone
    std::string label{};   // for people; empty: the key
    std::string text{};    // what its values are; may be empty
    double scale = 1;      // people see numbers times this, with `digits` decimals
    int digits = 4;        // kSignificant: with six significant digits
    bool share = false;    // values from 0 to 1, which pages draw as bars
    bool bounded = false;  // values have intervals: KEY_low and KEY_high in JSON and CSV
    bool hidden = false;   // for programs alone

    static constexpr int kSignificant = -1;
  };

  // A text, a number (NaN is none), a list or, by default, nothing.
  struct Cell {
    std::variant<std::monostate, std::string, double, Index, std::vector<std::string>,
                 std::vector<Index>>
        value{};
    double low = kNone, high = kNone;  // the interval of a number
    double deviation = kNone;          // its standard deviation
    std::string shown{};               // for people; empty: the value as its column says
    std::string remark{};              // for people, behind the number
    bool bold = false;                 // in LaTeX

    Cell() = default;
    Cell(const char* text) : value(std::string(text)) {}
    Cell(std::string_view text) : value(std::string(text)) {}
    Cell(std::string text) : value(std::move(text)) {}
    Cell(std::integral auto number) : value(static_cast<Index>(number)) {}
    Cell(double number) {
      if (number == number) value = number;
    }
    Cell(std::vector<std::string> texts) : value(std::move(texts)) {}
    Cell(std::vector<Index> numbers) : value(std::move(numbers)) {}
    template <class T>
    Cell(const std::optional<T>& maybe) : Cell(maybe ? Cell(*maybe) : Cell()) {}

    Cell& between(double from, double to) { return low = from, high = to, *this; }
    Cell& show(std::string text) { return shown = std::move(text), *this; }

   private:
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  };
  using Cells = std::vector<Cell>;

  std::vector<Column> columns;
  std::vector<Cells> rows{};    // a cell for each column
  std::string title{}, note{};  // lines above and below; may be empty
  std::size_t names = 1;        // how many columns, the first, name a row

  void add(Cells row) { rows.push_back(std::move(row)); }
};

struct TextLayout {
  bool turned = false;    // rows stand side by side, and each column is a line
  std::size_t width = 0;  // characters of a line; 0: any number
};

// For a terminal: names to the left, and numbers and texts to the right. Control characters become
// spaces. A turned table that is too wide is not turned, and one that is still too wide stands in
// blocks of columns. A line without any value is left out.
std::string to_text(const Table& table, const TextLayout& layout = {});
// Without title and note.
std::string to_markdown(const Table& table);
// A tabular for the package booktabs, below title and note as comments. A number with an interval
// has half its width behind \pm, or the wider half.
std::string to_latex(const Table& table);
// Fields are quoted after RFC 4180, and a name that a program for tables would run as a formula has
// a quotation mark (') in front.
std::string to_csv(const Table& table);
// JSON: core/base/json_text.h.

// A cell for people: "0.5123 [0.5011, 0.5235]".
std::string shown_text(const Table::Cell& cell, const Table::Column& column = {.key = ""});

// The number with so many decimals, but never "-0.0".
std::string decimals(double value, int digits = 4);
// With four decimals; whole numbers from 10 on without decimals, and "-" for what is no number.
std::string fixed(double value);
// A p-value: the same, and "<0.0001" for what four decimals do not show.
std::string fixed_p(double p);
// "[0.5011, 0.5235]".
std::string interval_text(double low, double high);

}  // namespace saccade
