#include "core/attention/attention_config.h"

#include "core/attention/attention_registry.h"
#include "core/attention/axes.h"
#include "core/config/fields.h"

namespace saccade {

bool AttentionConfig::contexts_are_regions() const {
  return heads == 1 && !value_projection && !output_projection && !sentinel &&
         scope != "monotonic" && scope != "local_p";
}

bool AttentionConfig::mixes_regions() const {
  return draws_regions(selection) && hard.likelihood == HardLikelihood::kMarginal;
}

void AttentionConfig::fields(Section& v) {
  v.choice("mechanism", mechanism, attention_registry(*this).mechanisms,
           "composed of the axes below, or a mechanism of its own", Section::Plugins::kAdd);
  v.choice("score", score, attention_registry(*this).scores,
           "how a region is scored against the decoder's state", Section::Plugins::kAdd);
  v.choice("scope", scope, attention_scopes(), "which regions a word may attend to");
  v.choice("normalizer", normalizer, attention_normalizers(), "how scores become weights");
  v.field("temperature", temperature, "divides the scores; may change in training",
          between(1e-6, 1000));
  v.field("learned_scale", learned_scale,
          "multiply the scores by a learned number exp(t), one per head, where t starts at 0: it "
          "sets how sharp the map is, independently of where it points");
  v.choice("selection", selection, attention_selections(), "how weights become a context");
  v.field("k", k, "number of regions that are kept", between(1, 65536))
      .only_with("attention.selection", "top_k");
  v.field("gumbel_temperature", gumbel_temperature,
          "temperature of the relaxation that gives the gradient", between(1e-6, 1000))
      .only_with("attention.selection", "gumbel_st");
  v.field("heads", heads,
          "maps per word, each over its own share of the widths; their contexts are concatenated",
          between(1, 256));
  v.field("value_projection", value_projection,
          "a single head, too, weighs a learned projection of the regions, as several heads do")
      .only_with("attention.heads", "1");
  v.field("value_width", value_width,
          "width of the projected regions, all heads together, and so of a context; 0: that of the "
          "regions",
          between(0, 65536))
      .unless("attention.score", "none");
  v.field("output_projection", output_projection,
          "the contexts of all heads, side by side, are multiplied by a learned matrix W_O, as in "
          "multi-head attention as published");
  v.choice("gate", gate, attention_gates(), "how much of the context the decoder takes");
  v.field(
      "sentinel", sentinel,
      "one more vector that a word may attend to, P sigmoid(W [x; h] + b) tanh(c) with a learned "
      "matrix P: what the decoder knows without the image (Lu et al. 2017)");
  v.field("hidden", hidden, "width of the attention space, all heads together", between(1, 65536))
      .unless("attention.score", "none", "dot", "general")
      .or_with("attention.scope", "local_p");
  v.field("radius", radius, "cells from the centre of the window to its edge", between(0, 1024))
      .only_with("attention.scope", "local_m", "local_p", "window");
  v.field("pace", pace, "regions, in reading order, that the centre moves per word",
          between(0, 65536))
      .only_with("attention.scope", "local_m", "window");
  v.field("globals", globals, "how many of the first regions every word sees", at_least(0))
      .only_with("attention.scope", "window");
  v.field("noise", noise, "standard deviation of the noise that is added to scores in training",
          between(0, 1000))
      .only_with("attention.scope", "monotonic");
  v.field("projected", projected, "number of learned mixtures of regions", between(1, 65536))
      .only_with("attention.mechanism", "linformer");
  v.section("hard", hard, "estimator of hard attention").only_with("attention.selection", "hard");
}

bool draws_regions(const std::string& selection) {
  return attention_selections().at(selection).draws_regions;
}

}  // namespace saccade
