#include "captioning/model/vocabulary/word_vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/unicode.h"
#include "core/kernels/truncated_svd.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr double kRootMeanSquare = 0.1;

WordVectors empty_vectors(const Vocabulary& vocabulary, Index width) {
  const auto words = static_cast<std::size_t>(vocabulary.size());
  return {.width = width,
          .values = std::vector<float>(words * static_cast<std::size_t>(width)),
          .found = std::vector<char>(words),
          .other_case = 0};
}

// The fields of a line, which are separated by single spaces or tabs. White space at its end makes
// no field.
std::vector<std::string_view> fields_of(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
    line.remove_suffix(1);
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool parse(std::string_view text, float& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(out);
}

bool is_header(const std::vector<std::string_view>& fields) {
  const auto digits = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return fields.size() == 2 && digits(fields[0]) && digits(fields[1]);
}

void refuse_foreign(std::ifstream& in, const fs::path& file) {
  std::string head(kForeignHead, ' ');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  in.seekg(0);
  std::string what = foreign_file(std::as_bytes(std::span(head)), file.string(), WantedFile::kText);
  if (what.empty() && head.find('\0') != std::string::npos) what = "it holds binary numbers";
  if (what.empty()) return;
  throw DataError(str(file.string(), ": ", what,
                      "; word vectors are read as text, with a word and its numbers in each line "
                      "(GloVe, or word2vec's text form)"));
}

std::string lower_case(std::string_view word) {
  std::string out;
  for (const unicode::CodePoint point : unicode::decode(word))
    unicode::append(out, unicode::lower(point));
  return out;
}

}  // namespace

std::string WordVectors::case_remark() const {
  return other_case == 0 ? ""
                         : str("; ", other_case,
                               " more would have one if the file's words were in "
                               "lower case, as those of captions are");
}

Index WordVectors::count() const {
  return static_cast<Index>(std::count(found.begin(), found.end(), char{1}));
}

WordVectors read_word_vectors(const fs::path& file, const Vocabulary& vocabulary, Index width) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw DataError(file.string() + ": cannot be opened; name a file of word vectors");
  refuse_foreign(in, file);
  WordVectors out;
  std::vector<char> in_other_case(static_cast<std::size_t>(vocabulary.size()));
  std::string line;
  for (Index number = 1; std::getline(in, line); ++number) {
    const auto at = [&] { return str(file.string(), ":", number, ": "); };
    const std::vector<std::string_view> fields = fields_of(line);
    if (number == 1 && is_header(fields)) continue;
    if (out.width == 0) {
      const auto length = static_cast<Index>(fields.size()) - 1;
      if (length < 1)
        throw DataError(at() + "not a word and its numbers; is this a text file of word vectors?");
      if (width != 0 && length != width)
        throw DataError(str(at(), "vectors have ", length, " numbers, the embedding is ", width,
                            " wide; set decoder.embedding=", length));
      out = empty_vectors(vocabulary, length);
    }
    const auto length = static_cast<std::size_t>(out.width);
    if (fields.size() <= length)
      throw DataError(
          str(at(), "expected a word and ", out.width, " numbers; got ", fields.size() - 1));
    const std::size_t first = fields.size() - length;
    const std::string_view word(line.data(),
                                static_cast<std::size_t>(fields[first].data() - line.data()) - 1);
    const Index id = vocabulary.id(word);
    const auto row = static_cast<std::size_t>(id);
    if (id == Vocabulary::kUnk)
      in_other_case[static_cast<std::size_t>(vocabulary.id(lower_case(word)))] = 1;
    if (id < Vocabulary::kSpecials || out.found[row]) continue;
    for (std::size_t i = 0; i < length; ++i)
      if (!parse(fields[first + i], out.values[row * length + i]))
        throw DataError(str(at(), "'", fields[first + i], "' is not a number"));
    out.found[row] = 1;
  }
  if (in.bad()) throw IoError(file.string() + ": cannot be read");
  if (out.width == 0) throw DataError(file.string() + ": holds no word vectors");
  for (std::size_t word = Vocabulary::kSpecials; word < out.found.size(); ++word)
    out.other_case += in_other_case[word] && !out.found[word] ? 1 : 0;
  return out;
}

WordVectors tfidf_vectors(std::span<const std::vector<Index>> captions,
                          const Vocabulary& vocabulary, Index width, std::uint64_t seed) {
  std::vector<Index> captions_with(static_cast<std::size_t>(vocabulary.size()));
  std::vector<kernels::SparseEntry> entries;
  for (std::size_t c = 0; c < captions.size(); ++c) {
    std::map<Index, Index> counts;
    for (const Index id : captions[c])
      if (id >= Vocabulary::kSpecials) ++counts[id];
    for (const auto& [id, count] : counts) {
      ++captions_with[static_cast<std::size_t>(id)];
      entries.push_back(
          {.row = id, .col = static_cast<Index>(c), .value = static_cast<double>(count)});
    }
  }
  for (kernels::SparseEntry& entry : entries)
    entry.value *=
        std::log(static_cast<double>(captions.size()) /
                 static_cast<double>(captions_with[static_cast<std::size_t>(entry.row)]));
  const kernels::TruncatedSvd svd = kernels::truncated_svd(
      entries, vocabulary.size(), static_cast<Index>(captions.size()), width, seed);
  WordVectors out = empty_vectors(vocabulary, width);
  double squares = 0;
  for (const double s : svd.singular) squares += s * s;  // of all numbers of U S
  for (Index id = 0; id < vocabulary.size(); ++id)
    out.found[static_cast<std::size_t>(id)] = captions_with[static_cast<std::size_t>(id)] > 0;
  if (squares == 0) return out;
  const double scale =
      kRootMeanSquare * std::sqrt(static_cast<double>(out.count() * width) / squares);
  for (Index id = 0; id < vocabulary.size(); ++id)
    for (Index k = 0; k < svd.rank; ++k)
      out.values[static_cast<std::size_t>(id * width + k)] =
          static_cast<float>(scale * svd.left[static_cast<std::size_t>(id * svd.rank + k)] *
                             svd.singular[static_cast<std::size_t>(k)]);
  return out;
}

}  // namespace saccade
