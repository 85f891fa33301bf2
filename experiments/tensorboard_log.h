// A run as TensorBoard shows it: the numbers of metrics.jsonl, how attention is spread, and
// pictures of where the model attends.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "captioning/search/search.h"
#include "core/io/event_file.h"
#include "experiments/model_sheets.h"

namespace saccade {

class TensorBoardLog {
 public:
  // Of the run in this directory; an event file starts with the first thing that is added, so that
  // a run that was finished before gets none. `resumed_at` as EventFile has it.
  explicit TensorBoardLog(std::filesystem::path directory,
                          std::optional<Index> resumed_at = std::nullopt)
      : directory_(std::move(directory)), resumed_at_(resumed_at) {}

  // The numbers of a line of metrics.jsonl, as "section/loss". Throws IoError.
  void add(const std::string& section, const std::string& line);

  // Histograms over the words of validation captions: entropy and largest weight of their maps, and
  // where `gated` their gates. Nothing of captions without maps. Throws IoError.
  void add_attention(Index update, std::span<const DecodedCaption> captions, bool gated);

  // "looks/IMAGE" of every sheet. Throws IoError.
  void add_sheets(Index update, std::span<const ModelSheets::Sheet> sheets);

 private:
  void write(Index update, std::span<const EventValue> values);

  std::filesystem::path directory_;
  std::optional<Index> resumed_at_;
  std::optional<EventFile> file_;
};

}  // namespace saccade
