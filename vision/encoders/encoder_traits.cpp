#include "vision/encoders/encoder_traits.h"

#include "core/base/listing.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/encoder.h"

namespace saccade {

std::unique_ptr<Encoder> make_cnn_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_resnet18_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_resnet34_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_resnet50_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_resnet101_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_vgg16_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_vgg19_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_mobilenet_v2_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_onnx_native_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_vit_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_hybrid_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_hub_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_bigru_encoder(const EncoderConfig&, const ParamScope&);
std::unique_ptr<Encoder> make_text_transformer_encoder(const EncoderConfig&, const ParamScope&);

const Registry<EncoderChoice>& encoder_registry() {
  static const Registry<EncoderChoice> rows(
      "encoder.type",
      {
          {{"cnn", "a small convolutional network, trained with the decoder", "ours"},
           {make_cnn_encoder}},
          {{"resnet18", "a residual network of 18 layers", "He et al. 2016"},
           {make_resnet18_encoder}},
          {{"resnet34", "a residual network of 34 layers", "He et al. 2016"},
           {make_resnet34_encoder}},
          {{"resnet50", "a residual network of 50 layers", "He et al. 2016"},
           {make_resnet50_encoder}},
          {{"resnet101", "a residual network of 101 layers", "He et al. 2016"},
           {make_resnet101_encoder}},
          {{"vgg16", "a plain network of 16 layers", "Simonyan and Zisserman 2015"},
           {make_vgg16_encoder}},
          {{"vgg19", "a plain network of 19 layers, whose features Show, Attend and Tell uses",
            "Simonyan and Zisserman 2015"},
           {make_vgg19_encoder}},
          {{"mobilenet_v2", "inverted residuals around depthwise convolutions",
            "Sandler et al. 2018"},
           {make_mobilenet_v2_encoder}},
          {{"onnx_native",
            "the network of an ONNX file up to a layer, as saccade's own ops, which training can "
            "change",
            "the file"},
           {make_onnx_native_encoder, {.reads_onnx_file = true}}},
          {{"vit", "a vision transformer over patches of the image", "Dosovitskiy et al. 2021"},
           {make_vit_encoder, {.has_tokens = true}}},
          {{"hybrid", "a vision transformer over the grid of the small convolutional network",
            "Dosovitskiy et al. 2021, section 3.1"},
           {make_hybrid_encoder, {.has_tokens = true}}},
          {{"hub",
            "the network of encoder.weights, as a model hub publishes it: ViT, DeiT, DINOv2, CLIP, "
            "SigLIP, ResNet, ConvNeXt, EfficientNet, MobileNetV3 or Swin",
            "transformers, timm, OpenCLIP, torchvision"},
           {make_hub_encoder}},
          {{"bigru", "GRUs that read a text from both ends", "Bahdanau et al. 2015, section 3.2"},
           {make_bigru_encoder, {.reads_text = true, .has_last_state = true}}},
          {{"text_transformer", "a transformer over the tokens of a text",
            "Vaswani et al. 2017, section 3.1"},
           {make_text_transformer_encoder, {.has_tokens = true, .reads_text = true}}},
          {{"features",
            "features that another program computed, of grids or of regions with boxes, from files",
            "the files"},
           {nullptr, {.reads_features = true}}},
      },
      {{"onnx", "encoder.type onnx_native with encoder.frozen_stages -1"}});
  return rows;
}

EncoderTraits encoder_traits(const EncoderConfig& config) {
  EncoderTraits traits = encoder_registry().at(config.type).traits;
  if (traits.has_tokens)
    traits.heads = traits.reads_text ? config.text.heads : resolved(config.vit).heads;
  if (config.type == "hub") {
    const HubTokens tokens = hub_tokens(config);
    traits.has_tokens = tokens.any;
    traits.lacks_class_token = !tokens.of_class;
    traits.heads = tokens.heads;
  }
  return traits;
}

std::string encoders_with(bool (*fits)(const EncoderTraits&)) {
  return join_or(
      encoder_registry().names([&](const EncoderChoice& one) { return fits(one.traits); }));
}

}  // namespace saccade
