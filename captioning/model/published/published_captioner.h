// Captioners as model hubs publish them: a folder with config.json, weights and a tokenizer becomes
// a model like others, with the transformer decoder and an encoder of type hub.
#pragma once

#include <filesystem>
#include <string>

#include "captioning/model/model.h"

namespace saccade {

struct PublishedCaptioner {
  std::string what;  // "BLIP", "ViT and GPT-2", "GIT"
  ModelConfig config;
  SearchConfig search;  // as generation_config.json and config.json have it
  Vocabulary vocabulary;
};

// Whether a path is a folder whose config.json is that of a captioner.
bool is_published_captioner(const std::filesystem::path& path);

// Reads everything but the weights. Throws DataError, which names file, key and remedy, where a
// file is missing or damaged, or a value is one with which the network or the search would be
// another than saccade's.
PublishedCaptioner read_published(const std::filesystem::path& folder);

// Gives the parameters of a model that was made of such a config the folder's weights. Throws
// DataError where a tensor is missing, has another shape than config.json says, or is not known.
void load_published(const std::filesystem::path& folder, const PublishedCaptioner& captioner,
                    CaptionModel& model);

}  // namespace saccade
