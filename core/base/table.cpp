#include "core/base/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;
using Cell = Table::Cell;
using Column = Table::Column;

const std::string& label_of(const Column& column) {
  return column.label.empty() ? column.key : column.label;
}

std::string number_text(double value, const Column& column) {
  value *= column.scale;
  if (column.digits == Column::kSignificant) return str(value);
  const bool whole = value >= 10 && value == std::floor(value);
  return decimals(value, whole ? 0 : column.digits);
}

// A cell for people: "0.5123", and behind it "[0.5011, 0.5235]".
struct Piece {
  std::string main, side{};
  bool number = false;

  bool nothing() const { return (main.empty() || main == "-") && side.empty(); }
  std::string text() const { return side.empty() ? main : main + " " + side; }
};

Piece piece_of(const Cell& cell, const Column& column) {
  Piece out{.main = plain_text(cell.shown)};
  const double* number = std::get_if<double>(&cell.value);
  out.number = number || std::holds_alternative<Index>(cell.value);
  if (out.main.empty()) {
    if (number) out.main = number_text(*number, column);
    if (const auto* text = std::get_if<std::string>(&cell.value)) out.main = plain_text(*text);
    if (const auto* whole = std::get_if<Index>(&cell.value)) out.main = str(*whole);
    const auto* texts = std::get_if<Texts>(&cell.value);
    const auto* sizes = std::get_if<std::vector<Index>>(&cell.value);
    if (texts) out.main = plain_text(join(*texts, ", "));
    if (sizes) out.main = join(*sizes, " x ", [](Index size) { return std::to_string(size); });
    if (std::holds_alternative<std::monostate>(cell.value) || (texts && texts->empty()) ||
        (sizes && sizes->empty()))
      out.main = "-";
  }
  Texts side;
  if (!std::isnan(cell.deviation)) side.push_back("±" + number_text(cell.deviation, column));
  if (!std::isnan(cell.low))
    side.push_back(
        str("[", number_text(cell.low, column), ", ", number_text(cell.high, column), "]"));
  if (!cell.remark.empty()) side.push_back(cell.remark);
  out.side = join(side, " ");
  return out;
}

// The number of characters (not bytes) of a UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t widest(const Texts& texts) {
  std::size_t out = 0;
  for (const std::string& text : texts) out = std::max(out, width_of(text));
  return out;
}

std::string gap(const std::string& text, std::size_t width) {
  return std::string(width > width_of(text) ? width - width_of(text) : 0, ' ');
}

// A column of a text: the lines above it, and its pieces, aligned to the right. Where some of them
// have something behind their numbers, the numbers still stand below each other.
struct Strip {
  Texts head, lines{};
  std::vector<bool> nothing{};
  std::size_t width = 0;

  Strip(Texts lines_above, const std::vector<Piece>& pieces) : head(std::move(lines_above)) {
    Texts mains, sides;
    for (const Piece& piece : pieces) {
      mains.push_back(piece.number ? piece.main : "");
      sides.push_back(piece.number ? piece.side : "");
    }
    const std::size_t main = widest(mains), side = widest(sides);
    for (const Piece& piece : pieces) {
      lines.push_back(piece.number && side > 0 ? gap(piece.main, main) + piece.main + " " +
                                                     piece.side + gap(piece.side, side)
                                               : piece.text());
      nothing.push_back(piece.nothing());
    }
    width = std::max(widest(head), widest(lines));
  }
};

struct Layout {
  std::string corner;
  Texts labels;
  std::vector<Strip> strips;
};

void add_line(std::string& to, const std::string& line) {
  to += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

// The text of a layout in blocks of columns that fit into `page` characters, if that is not 0.
Texts blocks_of(const Layout& layout, std::size_t page) {
  const std::size_t label = std::max(width_of(layout.corner), widest(layout.labels));
  const auto labelled = [&](const std::string& name) { return name + gap(name, label); };
  Texts out;
  for (std::size_t begin = 0, end = 0; begin < layout.strips.size(); begin = end) {
    std::size_t total = label, tallest = 1;
    for (; end < layout.strips.size(); ++end) {
      total += layout.strips[end].width + 2;
      if (page > 0 && end > begin && total > page) break;
      tallest = std::max(tallest, layout.strips[end].head.size());
    }
    std::string block;
    for (std::size_t row = 0; row < tallest; ++row) {
      std::string line = labelled(row == 0 ? layout.corner : "");
      for (std::size_t i = begin; i < end; ++i) {
        const Strip& strip = layout.strips[i];
        const std::size_t above = tallest - strip.head.size();
        const std::string text = row < above ? "" : strip.head[row - above];
        line += "  " + gap(text, strip.width) + text;
      }
      if (line.find_first_not_of(' ') != std::string::npos) add_line(block, line);
    }
    for (std::size_t row = 0; row < layout.labels.size(); ++row) {
      std::string line = labelled(layout.labels[row]);
      bool nothing = true;
      for (std::size_t i = begin; i < end; ++i) {
        const Strip& strip = layout.strips[i];
        line += "  " + gap(strip.lines[row], strip.width) + strip.lines[row];
        nothing = nothing && strip.nothing[row];
      }
      if (!nothing) add_line(block, line);
    }
    out.push_back(std::move(block));
  }
  return out;
}

// A long head in several lines.
Texts wrapped(const std::string& label) {
  constexpr std::size_t kWide = 17;
  Texts out{""};
  std::istringstream words(label);
  for (std::string word; words >> word;) {
    std::string& line = out.back();
    if (line.empty())
      line = word;
    else if (line.size() + 1 + word.size() <= kWide)
      line += " " + word;
    else
      out.push_back(word);
  }
  return out;
}

// The texts of the columns that name a row.
Texts names_of(const Table& table, const Table::Cells& row) {
  Texts out;
  for (std::size_t c = 0; c < table.names; ++c)
    if (!table.columns[c].hidden) out.push_back(piece_of(row[c], table.columns[c]).main);
  return out;
}

template <class Use>
void for_each_shown(const Table& table, const Use& use) {
  for (std::size_t c = table.names; c < table.columns.size(); ++c)
    if (!table.columns[c].hidden) use(table.columns[c], c);
}

std::string corner_of(const Table& table) {
  return table.names == 0 ? "" : label_of(table.columns.front());
}

Layout turned(const Table& table) {
  Layout out{.corner = corner_of(table), .labels = {}, .strips = {}};
  for_each_shown(
      table, [&](const Column& column, std::size_t) { out.labels.push_back(label_of(column)); });
  for (const Table::Cells& row : table.rows) {
    std::vector<Piece> pieces;
    for_each_shown(table, [&](const Column& column, std::size_t c) {
      pieces.push_back(piece_of(row[c], column));
    });
    out.strips.emplace_back(names_of(table, row), pieces);
  }
  return out;
}

Layout upright(const Table& table, bool wrap) {
  Layout out{.corner = corner_of(table), .labels = {}, .strips = {}};
  std::vector<Texts> names;
  for (const Table::Cells& row : table.rows) names.push_back(names_of(table, row));
  for (Texts& row : names) {
    std::string& label = out.labels.emplace_back();
    for (std::size_t n = 0; n < row.size(); ++n) {
      std::size_t wide = 0;
      for (const Texts& other : names) wide = std::max(wide, width_of(other[n]));
      label += (n == 0 ? "" : "  ") + row[n] + gap(row[n], wide);
    }
  }
  for_each_shown(table, [&](const Column& column, std::size_t c) {
    std::vector<Piece> pieces;
    for (const Table::Cells& row : table.rows) pieces.push_back(piece_of(row[c], column));
    out.strips.emplace_back(wrap ? wrapped(label_of(column)) : Texts{label_of(column)}, pieces);
  });
  return out;
}

std::string lines_of(const std::string& text) {
  return text.empty() || text.back() == '\n' ? text : text + "\n";
}

std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Text with LaTeX's special characters escaped.
std::string latex(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '\\'  ? "\\textbackslash{}"
           : c == '~' ? "\\textasciitilde{}"
           : c == '^' ? "\\textasciicircum{}"
                      : escaped({c}, "&%$#_{}");
  return out;
}

std::string latex_cell(const Cell& cell, const Column& column) {
  const auto* number = std::get_if<double>(&cell.value);
  if (std::holds_alternative<std::monostate>(cell.value)) return "--";
  if (!number) return latex(piece_of(cell, column).text());
  const auto text = [&](double value) { return decimals(column.scale * value, column.digits); };
  const double half = std::max(cell.high - *number, *number - cell.low);
  return "$" + (cell.bold ? "\\mathbf{" + text(*number) + "}" : text(*number)) +
         (std::isfinite(half) ? " \\pm " + text(half) : "") + "$";
}

std::string csv_field(const std::string& text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula = !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
  std::string out = (formula ? "'" : "") + text;
  if (out.find_first_of(",\"\n\r") == std::string::npos) return out;
  for (std::size_t at = 0; (at = out.find('"', at)) != std::string::npos; at += 2)
    out.insert(at, "\"");
  return "\"" + out + "\"";
}

std::string csv_number(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell.value)) return csv_number(*number);
  if (const auto* whole = std::get_if<Index>(&cell.value)) return str(*whole);
  if (std::holds_alternative<std::monostate>(cell.value)) return "";
  if (const auto* texts = std::get_if<Texts>(&cell.value)) return csv_field(join(*texts, ", "));
  Cell own = cell;
  own.shown.clear();
  return csv_field(piece_of(own, {.key = ""}).main);
}

// Calls use(KEY, cell) for the fields of a row as programs read them.
template <class Use>
void for_each_field(const Table& table, const Table::Cells& row, const Use& use) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.key.empty()) continue;
    use(column.key, row[c]);
    if (!column.bounded) continue;
    use(column.key + "_low", Cell(row[c].low));
    use(column.key + "_high", Cell(row[c].high));
  }
}

Json value_json(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
          return Json();
        else
          return Json(value);
      },
      cell.value);
}

}  // namespace

std::string to_text(const Table& table, const TextLayout& layout) {
  Texts blocks = blocks_of(layout.turned ? turned(table) : upright(table, false), layout.width);
  if (layout.turned && blocks.size() > 1) blocks = blocks_of(upright(table, true), layout.width);
  return lines_of(table.title) + join(blocks, "\n") + lines_of(table.note);
}

std::string to_markdown(const Table& table) {
  std::string head = "|", rule = "|", body;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].hidden) continue;
    head += " " + escaped(label_of(table.columns[c]), "|") + " |";
    rule += c < table.names ? "---|" : "---:|";
  }
  for (const Table::Cells& row : table.rows) {
    body += "|";
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!table.columns[c].hidden)
        body += " " + escaped(piece_of(row[c], table.columns[c]).text(), "|") + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

std::string to_latex(const Table& table) {
  std::string out, head, rule;
  std::istringstream comments(lines_of(table.title) + lines_of(table.note));
  for (std::string line; std::getline(comments, line);) out += "% " + line + "\n";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].hidden) continue;
    head += (head.empty() ? "" : " & ") + latex(label_of(table.columns[c]));
    rule += c < table.names ? "l" : "r";
  }
  out += "\\begin{tabular}{" + rule + "}\n\\toprule\n" + head + " \\\\\n\\midrule\n";
  for (const Table::Cells& row : table.rows) {
    Texts cells;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!table.columns[c].hidden) cells.push_back(latex_cell(row[c], table.columns[c]));
    out += join(cells, " & ") + " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string to_csv(const Table& table) {
  Texts lines{""};
  const auto add = [&](const std::string& field) {
    lines.back() += (lines.back().empty() ? "" : ",") + field;
  };
  for_each_field(table, Table::Cells(table.columns.size()),
                 [&](const std::string& key, const Cell&) { add(key); });
  for (const Table::Cells& row : table.rows) {
    Texts fields;
    for_each_field(table, row,
                   [&](const std::string&, const Cell& cell) { fields.push_back(csv_cell(cell)); });
    lines.push_back(join(fields, ","));
  }
  return join(lines, "\n") + "\n";
}

Json rows_json(const Table& table) {
  Json rows = Json::array();
  for (const Table::Cells& row : table.rows) {
    Json& json = rows.emplace_back(Json::object());
    for_each_field(table, row,
                   [&](const std::string& key, const Cell& cell) { json[key] = value_json(cell); });
  }
  return rows;
}

Json to_json(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    if (column.hidden || column.key.empty()) continue;
    Json& json = columns.emplace_back(Json{{"key", column.key}, {"label", label_of(column)}});
    if (!column.text.empty()) json["text"] = column.text;
    if (column.share) json["share"] = true;
    if (column.digits == Column::kSignificant) json["significant"] = true;
  }
  Json out{{"columns", std::move(columns)}, {"rows", rows_json(table)}};
  if (!table.title.empty()) out["title"] = table.title;
  if (!table.note.empty()) out["note"] = table.note;
  return out;
}

std::string decimals(double value, int digits) {
  std::array<char, 352> text{};  // the largest number has 309 digits
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  const std::string out = text.data();
  return out[0] == '-' && out.find_first_not_of("-0.") == std::string::npos ? out.substr(1) : out;
}

std::string shown_text(const Cell& cell, const Column& column) {
  return piece_of(cell, column).text();
}

std::string fixed(double value) { return shown_text(value); }

std::string fixed_p(double p) { return p < 1e-4 ? "<0.0001" : fixed(p); }

std::string interval_text(double low, double high) {
  return str("[", fixed(low), ", ", fixed(high), "]");
}

}  // namespace saccade
