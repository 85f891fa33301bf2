// What the config.json of each kind of published captioner says of its network. Internal to
// published_captioner.cpp.
#pragma once

#include <filesystem>

#include "captioning/model/model_config.h"
#include "captioning/model/published/generation_settings.h"
#include "captioning/model/published/tokenizer_files.h"

namespace saccade {

class JsonFile;

struct CaptionerFacts {
  ModelConfig model;  // attention and decoder; the encoder is the same for all kinds
  TokenRoles roles;
  SearchConfig search;
  Index image_size;  // of the pictures, where no other file says it
};

CaptionerFacts blip_facts(const JsonFile& config, const std::filesystem::path& folder);
CaptionerFacts git_facts(const JsonFile& config, const std::filesystem::path& folder);
CaptionerFacts vision_gpt2_facts(const JsonFile& config, const std::filesystem::path& folder);

}  // namespace saccade
