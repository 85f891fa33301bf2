#include "captioning/model/maps/caption_lines.h"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "captioning/model/maps/caption_text.h"
#include "core/base/plain_text.h"

namespace saccade {

namespace {

// The probability of a word, or of the end of the caption: "0.3126", "2.1e-05".
std::string probability(double log_prob) {
  std::ostringstream out;
  const double p = std::exp(log_prob);
  if (p >= 0.0001)
    out << std::fixed << std::setprecision(4);
  else
    out << std::scientific << std::setprecision(1);
  out << p;
  return out.str();
}

// The words of a caption that was given, each with its probability after those before it.
std::string said(const std::string& path, const DecodedCaption& caption,
                 const CaptionSource& source) {
  std::ostringstream out;
  out << plain_text(path) << ": " << plain_text(caption_text(caption, *source.vocabulary)) << "\n"
      << std::fixed << std::setprecision(2) << "  log p " << caption.log_prob << ":";
  for (const DecodedWord& word : caption.words)
    out << " " << plain_text(word_text(word, *source.vocabulary)) << " "
        << probability(word.log_prob) << ",";
  out << " end " << probability(caption.last.log_prob) << "\n";
  return out.str();
}

}  // namespace

std::string caption_lines(const std::string& path, const DecodedCaption& caption,
                          const CaptionSource& source) {
  if (source.given) return said(path, caption, source);
  const auto text = [&](const DecodedCaption& one) {
    return plain_text(caption_text(one, *source.vocabulary));
  };
  if (!source.alternatives) return plain_text(path) + ": " + text(caption) + "\n";
  std::ostringstream out;
  out << plain_text(path) << ":\n" << std::fixed << std::setprecision(2);
  const auto line = [&](std::size_t rank, const DecodedCaption& one) {
    out << std::setw(4) << rank << "  log p " << std::setw(6) << one.log_prob << "  " << text(one)
        << "\n";
  };
  line(1, caption);
  for (std::size_t k = 0; k < caption.others.size(); ++k) line(k + 2, caption.others[k]);
  return out.str();
}

}  // namespace saccade
