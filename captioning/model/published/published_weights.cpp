// The tensors of published decoders as parameters of the transformer decoder.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "captioning/model/published/published_captioner.h"
#include "core/base/error.h"
#include "core/io/safetensors_header.h"
#include "core/io/tensor_files.h"
#include "vision/encoders/encoder.h"

namespace saccade {

namespace {

using Numbers = std::vector<float>;

// A matrix [in, out], and the bias of a layer with it.
struct Matrix {
  Index in = 0, out = 0;
  Numbers values{};

  // The columns of one of `count` equal parts.
  Matrix part(Index number, Index count) const {
    Matrix own{.in = in, .out = out / count};
    for (Index r = 0; r < in; ++r) {
      const auto first = values.begin() + r * out + number * own.out;
      own.values.insert(own.values.end(), first, first + own.out);
    }
    return own;
  }
};
Numbers part_of(const Numbers& all, Index number, Index count) {
  const auto width = static_cast<std::ptrdiff_t>(all.size()) / count;
  return {all.begin() + number * width, all.begin() + (number + 1) * width};
}
struct Layer {
  Matrix weight;
  Numbers bias;

  Layer part(Index number, Index count) const {
    return {weight.part(number, count), part_of(bias, number, count)};
  }
};
struct Norm {
  Numbers gain, shift;
};

// The layer that computes second(first(x)).
Layer joined(const Layer& first, const Layer& second) {
  Layer out{{.in = first.weight.in, .out = second.weight.out}, second.bias};
  out.weight.values.assign(static_cast<std::size_t>(out.weight.in * out.weight.out), 0);
  const auto add = [&](float* to, const float* row) {  // a row times the matrix of the second
    for (Index m = 0; m < second.weight.in; ++m)
      for (Index o = 0; o < out.weight.out; ++o)
        to[o] += row[m] * second.weight.values[static_cast<std::size_t>(m * out.weight.out + o)];
  };
  for (Index i = 0; i < out.weight.in; ++i)
    add(out.weight.values.data() + i * out.weight.out,
        first.weight.values.data() + i * first.weight.out);
  add(out.bias.data(), first.bias.data());
  return out;
}

// The tensors of a file, and which of them were read.
class Tensors {
 public:
  explicit Tensors(const std::filesystem::path& folder) : file_(open_tensors(folder)) {}

  Numbers numbers(const std::string& name) {
    used_.insert(name);
    Numbers values = file_->floats(at(name));
    if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); }))
      throw DataError(str(file_->source(), ": ", name,
                          " holds NaN or infinity, with which no captioner captions anything; copy "
                          "the file again"));
    return values;
  }
  // A tensor of two extents as it is.
  Matrix table(const std::string& name) {
    const SafetensorsEntry& entry = at(name);
    if (entry.shape.size() != 2)
      throw DataError(str(file_->source(), ": ", name, " has ", entry.shape.size(),
                          " extents and should have 2; copy the file again"));
    return {.in = entry.shape[0], .out = entry.shape[1], .values = numbers(name)};
  }
  // A dense layer whose weight is [out, in].
  Layer linear(const std::string& name) {
    const Matrix theirs = table(name + ".weight");
    Matrix ours{.in = theirs.out, .out = theirs.in, .values = Numbers(theirs.values.size())};
    for (Index o = 0; o < ours.out; ++o)
      for (Index i = 0; i < ours.in; ++i)
        ours.values[static_cast<std::size_t>(i * ours.out + o)] =
            theirs.values[static_cast<std::size_t>(o * ours.in + i)];
    return biased(std::move(ours), name);
  }
  // One of GPT-2's, whose weight is [in, out].
  Layer conv(const std::string& name) { return biased(table(name + ".weight"), name); }
  Norm norm(const std::string& name) {
    return {numbers(name + ".weight"), numbers(name + ".bias")};
  }

  bool has(const std::string& name) const { return file_->find(name) != nullptr; }

  // Throws DataError where a tensor was not read, and does not begin with one of `known`.
  void refuse_unread(std::initializer_list<const char*> known) const {
    for (const SafetensorsEntry& entry : file_->entries()) {
      const auto begins = [&](const char* start) { return entry.name.starts_with(start); };
      const bool mask =
          entry.name.ends_with(".position_ids") || entry.name.ends_with(".attn.bias") ||
          entry.name.ends_with("attention.bias") || entry.name.ends_with(".masked_bias");
      if (!mask && !used_.contains(entry.name) && std::none_of(known.begin(), known.end(), begins))
        throw DataError(str(file_->source(), ": has a tensor ", entry.name,
                            ", which is no part of this captioner as saccade knows it; take the "
                            "files as they were published"));
    }
  }
  const std::string& source() const { return file_->source(); }

 private:
  Layer biased(Matrix weight, const std::string& name) {
    Numbers bias = numbers(name + ".bias");
    if (std::ssize(bias) != weight.out)
      throw DataError(str(file_->source(), ": ", name, ".bias has ", bias.size(),
                          " numbers, and its matrix makes ", weight.out, "; copy the file again"));
    return {std::move(weight), std::move(bias)};
  }
  const SafetensorsEntry& at(const std::string& name) const {
    if (const SafetensorsEntry* entry = file_->find(name)) return *entry;
    for (const SafetensorsEntry& entry : file_->entries())
      if (entry.name.ends_with("." + name))
        throw DataError(str(file_->source(), ": has no tensor ", name, ", but ",
                            safetensors_name_in_message(entry.name),
                            ", as a checkpoint of training has it; save the weights alone, under "
                            "the names of the model's state_dict()"));
    throw DataError(str(file_->source(), ": has no tensor ", name,
                        ", which this captioner needs; copy all files of the folder again"));
  }

  std::unique_ptr<TensorFile> file_;
  std::set<std::string> used_;
};

// Gives parameters of the decoder their values.
class DecoderWriter {
 public:
  DecoderWriter(const Tensors& from, const PublishedCaptioner& captioner, CaptionModel& model)
      : source_(from.source()),
        config_(captioner.config),
        vocabulary_(model.vocabulary()),
        store_(model.parameters()) {}

  void put(const std::string& name, const Numbers& values) {
    const View to = parameter(name);
    if (std::ssize(values) != to.size()) refuse_extents(name, to.shape);
    std::copy(values.begin(), values.end(), to.data);
  }
  void put(const std::string& name, const Matrix& matrix) {
    const View to = parameter(name, matrix.in, matrix.out);
    std::copy(matrix.values.begin(), matrix.values.end(), to.data);
  }
  void put(const std::string& name, const Layer& layer) {
    put(name + ".weight", layer.weight);
    put(name + ".bias", layer.bias);
  }
  void put(const std::string& name, const Norm& norm) {
    put(name + ".gain", norm.gain);
    put(name + ".shift", norm.shift);
  }
  // Rows by published number, as rows by id. Words of our own have the row of the end, which is the
  // token that also begins captions.
  void put_words(const Matrix& rows) {
    if (rows.in != vocabulary_.published()->size())
      refuse_extents("embedding", {vocabulary_.published()->size(), rows.out});
    const View to = parameter("embedding", vocabulary_.size(), rows.out);
    for (Index id = 0; id < vocabulary_.size(); ++id) {
      const Index known = vocabulary_.published_number(id);
      const Index number = known >= 0 ? known : vocabulary_.published_number(Vocabulary::kEos);
      std::copy_n(rows.values.begin() + number * rows.out, rows.out, to.row(id));
    }
  }
  // The matrix [D, V] of the output, by published number of its columns.
  void put_output(const Matrix& theirs) {
    if (theirs.out != vocabulary_.published()->size())
      refuse_extents("output.vocabulary", {theirs.in, vocabulary_.published()->size()});
    const View to = parameter("output.vocabulary", theirs.in, vocabulary_.size());
    for (Index i = 0; i < theirs.in; ++i)
      for (Index id = 0; id < vocabulary_.size(); ++id) {
        const Index number = vocabulary_.published_number(id);
        to.row(i)[id] =
            number < 0 ? 0 : theirs.values[static_cast<std::size_t>(i * theirs.out + number)];
      }
  }
  // The bias of words by published number; words of our own are never said.
  void put_word_bias(const Numbers& bias) {
    constexpr float kNever = -1e9F;
    if (std::ssize(bias) != vocabulary_.published()->size())
      refuse_extents("output.vocabulary_bias", {vocabulary_.published()->size()});
    Numbers own;
    for (Index id = 0; id < vocabulary_.size(); ++id) {
      const Index number = vocabulary_.published_number(id);
      own.push_back(number < 0 ? kNever : bias[static_cast<std::size_t>(number)]);
    }
    put("output.vocabulary_bias", own);
  }
  // Attention to the picture. The bias of keys adds the same number to all scores of a query, and
  // so nothing; that of values is added to every context, because weights sum to 1.
  void put_cross(const std::string& layer, const Layer& query, const Layer& key, const Layer& value,
                 Layer output) {
    const Index heads = config_.attention.heads;
    for (Index h = 0; h < heads; ++h) {
      const std::string head = heads == 1 ? layer + ".cross." : str(layer, ".cross.head_", h, ".");
      put(head + "score.query.weight", query.weight.part(h, heads));
      put(head + "score.query.bias", part_of(query.bias, h, heads));
      put(head + "score.key.weight", key.weight.part(h, heads));
      put(head + "value.weight", value.weight.part(h, heads));
    }
    if (value.weight.out != output.weight.in)
      refuse_extents(layer + ".cross_output.weight", {value.weight.out, output.weight.out});
    for (Index i = 0; i < output.weight.in; ++i)
      for (Index o = 0; o < output.weight.out; ++o)
        output.bias[static_cast<std::size_t>(o)] +=
            value.bias[static_cast<std::size_t>(i)] *
            output.weight.values[static_cast<std::size_t>(i * output.weight.out + o)];
    put(layer + ".cross_output", output);
  }
  [[noreturn]] void refuse_entry() const {
    throw DataError(source_ +
                    ": enc_to_dec_proj does not fit the keys and values of the words; "
                    "take the files as they were published");
  }
  void check_all() const {
    std::size_t own = 0;
    for (const ParameterInfo& info : store_.infos())
      own += info.name.starts_with("decoder.") ? 1 : 0;
    SACCADE_ASSERT(own == written_, own, " parameters of the decoder, and ", written_, " written");
  }

 private:
  // A parameter that is then written.
  View parameter(const std::string& name) {
    const int index = store_.find("decoder." + name);
    SACCADE_ASSERT(index >= 0, "there is no parameter decoder.", name);
    ++written_;
    return store_.value(index);
  }
  View parameter(const std::string& name, Index in, Index out) {
    const View to = parameter(name);
    if (to.shape != Shape{in, out}) refuse_extents(name, to.shape);
    return to;
  }
  [[noreturn]] void refuse_extents(const std::string& name, const Shape& shape) const {
    throw DataError(str(source_, ": the tensor for decoder.", name,
                        " has other extents than config.json says, which makes it ", shape,
                        "; take config.json and weights of one captioner"));
  }

  std::string source_;
  const ModelConfig& config_;
  const Vocabulary& vocabulary_;
  ParameterStore& store_;
  std::size_t written_ = 0;
};

// What BERT has of words, below `bert`, and of pictures in each layer where it has crossattention.
void load_bert(Tensors& from, const std::string& bert, const DecoderConfig& config,
               DecoderWriter& to) {
  to.put_words(from.table(bert + "embeddings.word_embeddings.weight"));
  to.put("positions.table", from.table(bert + "embeddings.position_embeddings.weight"));
  to.put("embedding_norm", from.norm(bert + "embeddings.LayerNorm"));
  for (Index l = 0; l < config.layers; ++l) {
    const std::string ours = str("layer_", l), theirs = str(bert, "encoder.layer.", l, ".");
    const std::string own = theirs + "attention.", cross = theirs + "crossattention.";
    to.put(ours + ".words.query", from.linear(own + "self.query"));
    to.put(ours + ".words.key", from.linear(own + "self.key"));
    to.put(ours + ".words.value", from.linear(own + "self.value"));
    to.put(ours + ".words.output", from.linear(own + "output.dense"));
    to.put(ours + ".words_norm", from.norm(own + "output.LayerNorm"));
    if (config.attends()) {
      to.put_cross(ours, from.linear(cross + "self.query"), from.linear(cross + "self.key"),
                   from.linear(cross + "self.value"), from.linear(cross + "output.dense"));
      to.put(ours + ".cross_norm", from.norm(cross + "output.LayerNorm"));
    }
    to.put(ours + ".widen", from.linear(theirs + "intermediate.dense"));
    to.put(ours + ".narrow", from.linear(theirs + "output.dense"));
    to.put(ours + ".dense_norm", from.norm(theirs + "output.LayerNorm"));
  }
}

void load_blip(Tensors& from, const DecoderConfig& config, DecoderWriter& to) {
  const std::string head = "text_decoder.cls.predictions.";
  load_bert(from, "text_decoder.bert.", config, to);
  to.put("output.layer", from.linear(head + "transform.dense"));
  to.put("output.norm", from.norm(head + "transform.LayerNorm"));
  to.put_word_bias(from.numbers(head + "bias"));
  // The tied output again.
  from.refuse_unread({"vision_model.", "text_decoder.cls.predictions.decoder."});
}

void load_git(Tensors& from, const DecoderConfig& config, DecoderWriter& to) {
  const std::string regions = "git.visual_projection.visual_projection.";
  load_bert(from, "git.", config, to);
  to.put("image", from.linear(regions + "0"));
  to.put("image_norm", from.norm(regions + "1"));
  const Layer output = from.linear("output");
  to.put_output(output.weight);
  to.put_word_bias(output.bias);
  from.refuse_unread({"git.image_encoder."});
}

void load_gpt2(Tensors& from, const DecoderConfig& config, DecoderWriter& to) {
  const std::string gpt = "decoder.transformer.";
  const Matrix words = from.table(gpt + "wte.weight");
  to.put_words(words);
  to.put("positions.table", from.table(gpt + "wpe.weight"));
  // Where pictures have vectors of another width, a layer comes before keys and values.
  std::optional<Layer> entry;
  if (from.has("enc_to_dec_proj.weight")) entry = from.linear("enc_to_dec_proj");
  const auto behind_entry = [&](const Layer& layer) {
    if (entry && entry->weight.out != layer.weight.in) to.refuse_entry();
    return entry ? joined(*entry, layer) : layer;
  };
  for (Index l = 0; l < config.layers; ++l) {
    const std::string ours = str("layer_", l), theirs = str(gpt, "h.", l, ".");
    const Layer own = from.conv(theirs + "attn.c_attn"),
                seen = from.conv(theirs + "crossattention.c_attn");
    to.put(ours + ".words.query", own.part(0, 3));
    to.put(ours + ".words.key", own.part(1, 3));
    to.put(ours + ".words.value", own.part(2, 3));
    to.put(ours + ".words.output", from.conv(theirs + "attn.c_proj"));
    to.put(ours + ".words_norm", from.norm(theirs + "ln_1"));
    to.put_cross(ours, from.conv(theirs + "crossattention.q_attn"), behind_entry(seen.part(0, 2)),
                 behind_entry(seen.part(1, 2)), from.conv(theirs + "crossattention.c_proj"));
    to.put(ours + ".cross_norm", from.norm(theirs + "ln_cross_attn"));
    to.put(ours + ".widen", from.conv(theirs + "mlp.c_fc"));
    to.put(ours + ".narrow", from.conv(theirs + "mlp.c_proj"));
    to.put(ours + ".dense_norm", from.norm(theirs + "ln_2"));
  }
  to.put("norm", from.norm(gpt + "ln_f"));
  to.put_word_bias(Numbers(static_cast<std::size_t>(words.in), 0));
  from.refuse_unread({"encoder.", "decoder.lm_head.weight"});  // the tied output again
}

}  // namespace

void load_published(const std::filesystem::path& folder, const PublishedCaptioner& captioner,
                    CaptionModel& model) {
  load_encoder_weights(captioner.config.encoder, *model.encoder(), model.parameters());
  Tensors tensors(folder);
  DecoderWriter writer(tensors, captioner, model);
  const DecoderConfig& decoder = captioner.config.decoder;
  if (captioner.what == "BLIP")
    load_blip(tensors, decoder, writer);
  else if (captioner.what == "GIT")
    load_git(tensors, decoder, writer);
  else
    load_gpt2(tensors, decoder, writer);
  writer.check_all();
}

}  // namespace saccade
