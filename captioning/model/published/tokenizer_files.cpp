#include "captioning/model/published/tokenizer_files.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "captioning/model/published/json_file.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Gives tokens their places by their numbers.
void add_token(TokenPlan& plan, const std::string& token, Index number, const std::string& file) {
  constexpr Index kMostTokens = 1 << 22;
  if (number < 0 || number >= kMostTokens)
    throw DataError(
        str(file, ": the token '", token, "' has the number ", number, "; copy the file again"));
  if (number >= static_cast<Index>(plan.tokens.size()))
    plan.tokens.resize(static_cast<std::size_t>(number) + 1);
  plan.tokens[static_cast<std::size_t>(number)] = token;
}

void add_vocabulary(TokenPlan& plan, const Json& vocabulary, const std::string& file) {
  if (!vocabulary.is_object())
    throw DataError(file + ": its vocabulary is no object of tokens and numbers; copy it again");
  if (vocabulary.empty()) throw DataError(file + ": its vocabulary is empty; copy the file again");
  for (const auto& [token, number] : vocabulary.items()) {
    if (!number.is_number_integer())
      throw DataError(str(file, ": the token '", token, "' has no number; copy the file again"));
    add_token(plan, token, number.get<Index>(), file);
  }
}

void add_special(TokenPlan& plan, Index number) {
  if (number >= 0 &&
      std::find(plan.specials.begin(), plan.specials.end(), number) == plan.specials.end())
    plan.specials.push_back(number);
}

// The steps before the model that this one has. Throws DataError for steps that are not known.
void read_normalizer(const JsonFile& file, TokenPlan& plan) {
  const JsonFile normalizer = file.section("normalizer"), cut = file.section("pre_tokenizer");
  const auto kind = [](const JsonFile& of) { return of.get<std::string>("type", "none"); };
  const char* why =
      "of published captioners, saccade reads the tokenizers of BERT (WordPiece) and GPT-2 "
      "(byte-level pairs)";
  if (plan.byte_level) {
    if (kind(normalizer) != "none") normalizer.refuse("type", why);
    if (kind(cut) != "ByteLevel" || !cut.get<bool>("use_regex", true)) cut.refuse("type", why);
    plan.prefix_space = cut.get<bool>("add_prefix_space", false);
    return;
  }
  if (kind(normalizer) != "BertNormalizer" || !normalizer.get<bool>("clean_text", true))
    normalizer.refuse("type", why);
  if (kind(cut) != "BertPreTokenizer") cut.refuse("type", why);
  plan.lower = normalizer.get<bool>("lowercase", true);
  plan.strips_accents = normalizer.get<bool>("strip_accents", plan.lower);
  plan.splits_han = normalizer.get<bool>("handle_chinese_chars", true);
}

void read_tokenizer(const JsonFile& file, TokenPlan& plan) {
  const JsonFile model = file.section("model");
  auto kind = model.get<std::string>("type", "");
  if (kind.empty()) kind = model.has("merges") ? "BPE" : "WordPiece";  // as old files have it
  if (kind != "BPE" && kind != "WordPiece") model.refuse("type", "saccade reads WordPiece and BPE");
  plan.byte_level = kind == "BPE";
  constexpr Index kLongestWord = 100;
  if (model.get<std::string>("continuing_subword_prefix", plan.byte_level ? "" : "##") !=
      (plan.byte_level ? "" : "##"))
    model.refuse("continuing_subword_prefix", "saccade reads ## for WordPiece and none for BPE");
  if (model.get<Index>("max_input_chars_per_word", kLongestWord) != kLongestWord)
    model.refuse("max_input_chars_per_word", "saccade reads 100");
  for (const char* key : {"fuse_unk", "byte_fallback", "ignore_merges"})
    if (model.get<bool>(key, false)) model.refuse(key, "saccade reads tokenizers without it");
  for (const char* key : {"dropout", "end_of_word_suffix"})
    if (model.has(key) && model.json()[key] != "" && model.json()[key] != 0)
      model.refuse(key, "saccade reads tokenizers without it");
  read_normalizer(file, plan);
  add_vocabulary(plan, model.has("vocab") ? model.json()["vocab"] : Json(), file.name());
  if (plan.byte_level)
    for (const Json& merge : model.get<Json>("merges", Json::array())) {
      if (merge.is_string())
        plan.merges.push_back(merge);
      else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
               merge[1].is_string())
        plan.merges.push_back(str(merge[0].get<std::string>(), " ", merge[1].get<std::string>()));
      else
        throw DataError(file.name() + ": a merge is no pair of tokens; copy the file again");
    }
  for (const Json& added : file.get<Json>("added_tokens", Json::array())) {
    const JsonFile token(file.name() + ": added_tokens", added);
    const auto number = token.get<Index>("id", -1);
    add_token(plan, token.get<std::string>("content", ""), number, file.name());
    if (token.get<bool>("special", false)) add_special(plan, number);
  }
}

// Lines without the mark of a line's end.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

void read_word_list(const fs::path& file, TokenPlan& plan) {
  Index number = 0;
  for (const std::string& line : lines_of(whole_file(file).value_or("")))
    add_token(plan, line, number++, file.string());
  if (number == 0)
    throw DataError(file.string() + ": its vocabulary is empty; copy the file again");
}

void read_pairs(const fs::path& folder, const JsonFile& vocabulary, TokenPlan& plan) {
  plan.byte_level = true;
  add_vocabulary(plan, vocabulary.json(), vocabulary.name());
  const fs::path file = folder / "merges.txt";
  const std::optional<std::string> text = whole_file(file);
  if (!text)
    throw DataError(file.string() +
                    ": there is none; vocab.json needs it, so copy it, or tokenizer.json");
  for (std::string& line : lines_of(*text))
    if (!line.empty() && !line.starts_with("#version")) plan.merges.push_back(std::move(line));
  if (plan.merges.empty())
    throw DataError(file.string() + ": it has no pairs of letters to join; copy the file again");
}

Index number_of(const TokenPlan& plan, const std::string& token) {
  const auto found = std::find(plan.tokens.begin(), plan.tokens.end(), token);
  return token.empty() || found == plan.tokens.end() ? -1 : found - plan.tokens.begin();
}

// A token of tokenizer_config.json, which is a text or an object with one.
std::string named_token(const JsonFile& config, const std::string& role, const char* usual) {
  if (!config.has(role)) return usual;
  if (config.json()[role].is_object())
    return config.section(role).get<std::string>("content", usual);
  return config.get<std::string>(role, usual);
}

}  // namespace

PublishedTokens read_tokens(const fs::path& folder, const TokenRoles& roles) {
  TokenPlan plan;
  std::error_code error;
  std::string source;
  const auto config_file = JsonFile::read(folder / "tokenizer_config.json");
  const JsonFile config = config_file ? *config_file : JsonFile("", Json::object());
  const auto tokenizer = JsonFile::read(folder / "tokenizer.json");
  if (tokenizer) {
    source = tokenizer->name();
    read_tokenizer(*tokenizer, plan);
  } else {
    const auto pairs = JsonFile::read(folder / "vocab.json");
    source = (folder / (pairs ? "vocab.json" : "vocab.txt")).string();
    if (!pairs && !fs::is_regular_file(folder / "vocab.txt", error))
      throw DataError(folder.string() +
                      ": has no tokenizer: neither tokenizer.json nor vocab.txt, nor vocab.json "
                      "with merges.txt; copy the tokenizer's files, too");
    if (pairs)
      read_pairs(folder, *pairs, plan);
    else
      read_word_list(folder / "vocab.txt", plan);
    plan.lower = config.get<bool>("do_lower_case", true);
    plan.strips_accents = config.get<bool>("strip_accents", plan.lower);
    plan.splits_han = config.get<bool>("tokenize_chinese_chars", true);
    plan.prefix_space = config.get<bool>("add_prefix_space", false);
  }
  plan.cleans_up = !plan.byte_level && config.get<bool>("clean_up_tokenization_spaces", false);
  constexpr const char* kEnd = "<|endoftext|>";
  const auto role = [&](const char* name, const char* of_words) {
    const Index number =
        number_of(plan, named_token(config, name, plan.byte_level ? kEnd : of_words));
    add_special(plan, number);
    return number;
  };
  plan.unk = role("unk_token", "[UNK]");
  if (!plan.byte_level) role("mask_token", "[MASK]");
  const Index cls = plan.byte_level ? -1 : role("cls_token", "[CLS]");
  const Index pad = role("pad_token", "[PAD]"),
              bos = plan.byte_level ? role("bos_token", kEnd) : cls,
              eos = plan.byte_level ? role("eos_token", kEnd) : role("sep_token", "[SEP]");
  if (static_cast<Index>(plan.tokens.size()) > roles.count)
    throw DataError(str(source, ": has ", plan.tokens.size(), " tokens, and the model's embedding ",
                        roles.count, " rows; take the tokenizer of this model"));
  // Embeddings may have some rows more than there are tokens, to be of a round number.
  if (3 * static_cast<Index>(plan.tokens.size()) < 2 * roles.count)
    throw DataError(str(source, ": has ", plan.tokens.size(), " tokens, and the model's embedding ",
                        roles.count, " rows; it is cut, or of another model, so copy it again"));
  plan.tokens.resize(static_cast<std::size_t>(roles.count));
  plan.pad = roles.pad >= 0 ? roles.pad : pad;
  plan.bos = roles.bos >= 0 ? roles.bos : bos;
  plan.eos = roles.eos >= 0 ? roles.eos : eos;
  try {
    return PublishedTokens(std::move(plan));
  } catch (const DataError& problem) {
    throw DataError(str(source, ": ", problem.what(), "; copy the tokenizer's files again"));
  }
}

}  // namespace saccade
