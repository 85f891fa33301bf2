// The log of a run for TensorBoard: the numbers of metrics.jsonl, histograms of how attention is
// spread, and pictures of where the model attends.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "captioning/model/search/search.h"
#include "core/io/event_file.h"
#include "experiments/pictures/model_sheets.h"

namespace saccade {

class TensorBoardLog {
 public:
  // The log of the run in this directory. The event file is created when something is first added,
  // so that resuming a finished run creates none. `resumed_at` is as in EventFile.
  explicit TensorBoardLog(std::filesystem::path directory,
                          std::optional<Index> resumed_at = std::nullopt)
      : directory_(std::move(directory)), resumed_at_(resumed_at) {}

  // Adds the numbers of a line of metrics.jsonl, named like "section/loss". Throws IoError.
  void add(const std::string& section, const std::string& line);

  // Adds histograms over the words of validation captions: the entropy and the largest weight of
  // their maps and, where there are any, their gates. Captions without maps add nothing. Throws
  // IoError.
  void add_attention(Index update, std::span<const DecodedCaption> captions);

  // Adds every sheet as "sheets/IMAGE". Throws IoError.
  void add_sheets(Index update, std::span<const ModelSheets::Sheet> sheets);

 private:
  void write(Index update, std::span<const EventValue> values);

  std::filesystem::path directory_;
  std::optional<Index> resumed_at_;
  std::optional<EventFile> file_;
};

}  // namespace saccade
