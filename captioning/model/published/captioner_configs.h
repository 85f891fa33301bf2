// What the config.json of each kind of published captioner says of its network. Internal to
// published_captioner.cpp.
#pragma once

#include <filesystem>

#include "captioning/model/model_config.h"
#include "captioning/model/published/generation_settings.h"
#include "captioning/model/published/tokenizer_files.h"

namespace saccade {

// The decoder of a captioner: its section of config.json, its keys, and how the search finds it.
struct CaptionerFacts {
  ModelConfig model;  // attention and decoder; the encoder is the same for all kinds
  TokenRoles roles;
  std::vector<JsonFile>
      generation;   // the files after generation_config.json that say of the search
  JsonFile vision;  // the section of the encoder
};

CaptionerFacts blip_facts(const JsonFile& config);
CaptionerFacts vision_gpt2_facts(const JsonFile& config, const std::filesystem::path& folder);

}  // namespace saccade
