// What the rest of the program needs to know of a kind of encoder before there is one. Every
// encoder is a row of encoder_traits.cpp; nothing else asks which one it is.
#pragma once

#include <memory>
#include <string>

#include "core/base/real.h"
#include "core/base/registry.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

class Encoder;
inline namespace SACCADE_NUMERIC {
class ParamScope;
}

struct EncoderTraits {
  // Whether it is a transformer: its regions are tokens, which attend to each other and have
  // positions inside of the network. Those of pictures may stand beside a class token and
  // registers.
  bool has_tokens = false;
  // Whether network and weights come from the file of encoder.model; otherwise weights may come
  // from that of encoder.weights.
  bool reads_onnx_file = false;
  // Whether it reads the tokens of a text instead of a picture: its grid is one row, with a cell
  // for each token.
  bool reads_text = false;
  // Whether it has no network: the features of photos come from files that another program wrote.
  bool reads_features = false;
  // Whether it is recurrent: its last states can stand for the whole text.
  bool has_last_state = false;
  // Whether it is a transformer of pictures that was published without a class token.
  bool lacks_class_token = false;
  // The heads of each of its blocks, where it is a transformer; 0 else.
  std::int64_t heads = 0;

  bool can_have_class_token() const {
    return reads_features || (has_tokens && !reads_text && !lacks_class_token);
  }
};
EncoderTraits encoder_traits(const EncoderConfig& config);

// The choices of encoder.type. `features` has no network to make. The traits of hub are those that
// do not depend on its network.
struct EncoderChoice {
  std::unique_ptr<Encoder> (*make)(const EncoderConfig&, const ParamScope&);
  EncoderTraits traits{};
};
const Registry<EncoderChoice>& encoder_registry();

// The kinds of encoder whose traits fit a predicate, as words: `vit or hybrid`.
std::string encoders_with(bool (*fits)(const EncoderTraits&));

}  // namespace saccade
