// The Python module saccade._saccade: open models, their captions, training. The classes that
// people use are Python (saccade/saccade), and check what they are given.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <utility>

#include "captioning/python/errors.h"
#include "captioning/python/saccade/arrays.h"
#include "captioning/python/saccade/opened.h"
#include "captioning/python/saccade/training.h"
#include "core/attention/plugin.h"
#include "core/base/choice.h"
#include "vision/encoders/features/feature_source.h"

namespace saccade::python {
namespace {

namespace py = pybind11;

using OpenedModels = std::shared_ptr<Opened>;
using Unlocked = py::call_guard<py::gil_scoped_release>;

std::vector<Given> all_given(const py::list& photos) {
  std::vector<Given> out;
  for (const py::handle photo : photos) out.push_back(given(photo));
  return out;
}

void use_features(const OpenedModels& models, const std::string& file, std::span<Given> photos) {
  const std::shared_ptr<const FeatureSource> features = models->features_of(file);
  if (features && features->ids().size() == 1 && photos.size() > 1)
    throw UsageError(str("features: ", file, " has the features of one photo, and ", photos.size(),
                         " are given; name a file or folder that has those of all"));
  for (Given& photo : photos) photo.features = features;
}

py::array array_of(Image image) {
  const std::vector<py::ssize_t> shape{image.height, image.width, 3};
  return owned(std::move(image.rgb), shape);
}

std::vector<Spoken> captions(const OpenedModels& models, const py::list& photos, const Asked& asked,
                             const std::string& say) {
  std::vector<Given> all = all_given(photos);
  const py::gil_scoped_release unlocked;
  use_features(models, asked.features, all);
  std::vector<Spoken> out;
  const SearchOptions search = models->search(asked);
  for (Photo& photo : models->captions(all, search, say))
    out.emplace_back(models, std::move(photo.caption), photo.geometry, search.regime, asked.layers);
  return out;
}

std::vector<Spoken> samples(const OpenedModels& models, const py::object& photo, const Asked& asked,
                            Index count) {
  Given one = given(photo);
  const py::gil_scoped_release unlocked;
  use_features(models, asked.features, {&one, 1});
  std::vector<DecodedCaption> drawn;
  const SearchOptions search = models->search(asked);
  const Photo read = models->samples(one, search, count, drawn);
  std::vector<Spoken> out;
  for (DecodedCaption& caption : drawn)
    out.emplace_back(models, std::move(caption), read.geometry, search.regime, asked.layers);
  return out;
}

py::array features(const OpenedModels& models, const py::object& photo, const std::string& file) {
  Given one = given(photo);
  std::shared_ptr<const Opened::Encoded> encoded;
  {
    const py::gil_scoped_release unlocked;
    use_features(models, file, {&one, 1});
    encoded = models->encode(one);
  }
  return Opened::features(encoded);
}

py::dict encoder_maps(const OpenedModels& models, const py::object& photo) {
  const Given one = given(photo);
  EncoderMaps maps;
  {
    const py::gil_scoped_release unlocked;
    maps = models->encoder_maps(one);
  }
  py::dict out;
  out["tokens"] = stacked(maps.tokens);
  out["regions"] = stacked(maps.regions);
  out["placeless"] = maps.placeless;
  out["class_token"] = maps.class_token;
  return out;
}

py::array picture(const Spoken& caption, const py::object& photo) {
  const Given one = given(photo);
  Image image;
  {
    const py::gil_scoped_release unlocked;
    image = std::move(caption.source(one).picture);
  }
  return array_of(std::move(image));
}

py::array draw(const Spoken& caption, const py::object& photo, std::optional<Index> word,
               const std::string& style, const std::string& scale, const std::string& colours,
               const std::string& measure, Index columns, Index panel_width,
               const std::filesystem::path& font) {
  const OverlayOptions options{.style = choice<OverlayStyle>(style, "style"),
                               .scale = choice<HeatScale>(scale, "scale"),
                               .colours = choice<ColourMap>(colours, "colours"),
                               .columns = columns,
                               .panel_width = panel_width,
                               .font = font};
  const auto shown = choice<MapMeasure>(measure, "measure");
  const Given one = given(photo);
  Image image;
  {
    const py::gil_scoped_release unlocked;
    image = caption.draw(one, options, shown, word);
  }
  return array_of(std::move(image));
}

py::array map_on_photo(const Spoken& caption, Index word) {
  std::vector<float> map;
  {
    const py::gil_scoped_release unlocked;
    map = caption.map_on_photo(word);
  }
  return owned(std::move(map), {caption.height(), caption.width()});
}

py::bytes png(const py::object& pixels) {
  const Given one = given(pixels);
  std::vector<std::uint8_t> file;
  {
    const py::gil_scoped_release unlocked;
    Image image(one.height, one.width);
    std::copy_n(one.pixels, image.rgb.size(), image.rgb.begin());
    file = encode_png(image);
  }
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

// Our errors as the exceptions of saccade/errors.py.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    set_exception(error, "saccade.errors");
  }
}

void bind_models(py::module_& module) {
  py::class_<Asked>(module, "Asked")
      .def(py::init([](std::vector<std::string> set, std::string regime, Index alternatives,
                       bool layers, std::string features) {
             return Asked{std::move(set), std::move(regime), alternatives, layers,
                          std::move(features)};
           }),
           py::arg("set"), py::arg("regime"), py::arg("alternatives"), py::arg("layers"),
           py::arg("features"))
      .def_readonly("features", &Asked::features);
  py::class_<Unseen>(module, "Unseen").def_readonly("id", &Unseen::id);
  py::class_<Opened, OpenedModels>(module, "Opened")
      .def(py::init([](const std::vector<std::string>& checkpoints,
                       const std::vector<std::string>& set,
                       const std::vector<std::filesystem::path>& folders, int threads,
                       const py::function& tell) {
             const MessageListener listener = listener_of(tell);
             const py::gil_scoped_release unlocked;
             return std::make_shared<Opened>(checkpoints, set, folders, threads, listener);
           }),
           py::arg("checkpoints"), py::arg("set"), py::arg("folders"), py::arg("threads"),
           py::arg("tell"))
      .def_property_readonly("name", &Opened::name)
      .def_property_readonly("reads_text", &Opened::reads_text)
      .def_property_readonly("has_attention",
                             [](const Opened& self) { return self.models().has_maps(); })
      .def_property_readonly("grid",
                             [](const Opened& self) {
                               const GridShape& grid = self.models().grid();
                               return std::make_pair(grid.rows, grid.cols);
                             })
      .def_property_readonly("vocabulary",
                             [](const Opened& self) { return self.models().vocabulary().words(); })
      .def_property_readonly("config",
                             [](const Opened& self) { return print_config(self.first().config); })
      .def("captions", captions, py::arg("photos"), py::arg("asked"), py::arg("say"))
      .def("samples", samples, py::arg("photo"), py::arg("asked"), py::arg("count"))
      .def("features", features, py::arg("photo"), py::arg("features"))
      .def("encoder_maps", encoder_maps, py::arg("photo"))
      .def("unseen", &Opened::unseen, py::arg("features"), Unlocked());
}

void bind(py::module_& module) {
  py::register_local_exception_translator(translate);
  py::class_<Spoken>(module, "Spoken")
      .def_property_readonly("text", &Spoken::text)
      .def_property_readonly("log_probability", &Spoken::log_probability)
      .def_property_readonly("finished", &Spoken::finished)
      .def_property_readonly("height", &Spoken::height)
      .def_property_readonly("width", &Spoken::width)
      .def("words", &Spoken::words)
      .def("maps", &Spoken::maps)
      .def("layer_maps", &Spoken::layer_maps)
      .def("boxes", &Spoken::boxes)
      .def("word_maps", &Spoken::word_maps)
      .def("alternatives", &Spoken::alternatives)
      .def("map_on_photo", map_on_photo, py::arg("word"))
      .def("picture", picture, py::arg("photo"))
      .def(
          "page_json",
          [](const Spoken& caption, const py::object& photo) {
            const Given one = given(photo);
            const py::gil_scoped_release unlocked;
            return caption.page_json(one);
          },
          py::arg("photo"))
      .def("draw", draw, py::arg("photo"), py::arg("word"), py::arg("style"), py::arg("scale"),
           py::arg("colours"), py::arg("measure"), py::arg("columns"), py::arg("panel_width"),
           py::arg("font"));
  bind_models(module);
  module.def("png", png, py::arg("pixels"));
  module.def(
      "train",
      [](std::filesystem::path config, std::string yaml, std::vector<std::string> set,
         std::filesystem::path directory, bool resume, int threads,
         std::vector<std::filesystem::path> models, std::filesystem::path paraphrases,
         std::filesystem::path cache, const py::object& on_update, const py::object& on_validation,
         const py::object& reward, const py::object& data, const py::function& tell) {
        return train({.config = std::move(config),
                      .yaml = std::move(yaml),
                      .set = std::move(set),
                      .directory = std::move(directory),
                      .resume = resume,
                      .threads = threads,
                      .models = std::move(models),
                      .paraphrases = std::move(paraphrases),
                      .cache = std::move(cache)},
                     {.on_update = on_update,
                      .on_validation = on_validation,
                      .reward = reward,
                      .data = data,
                      .tell = tell});
      },
      py::arg("config"), py::arg("yaml"), py::arg("set"), py::arg("directory"), py::arg("resume"),
      py::arg("threads"), py::arg("models"), py::arg("paraphrases"), py::arg("cache"),
      py::arg("on_update").none(true), py::arg("on_validation").none(true),
      py::arg("reward").none(true), py::arg("data").none(true), py::arg("tell"));
  module.def("load_plugin", load_plugin, py::arg("file"), Unlocked());
  module.def("plugin_files", [] {
    std::vector<std::string> files;
    for (const LoadedPlugin& plugin : loaded_plugins()) files.push_back(plugin.file.string());
    return files;
  });
}

}  // namespace
}  // namespace saccade::python

PYBIND11_MODULE(_saccade, module) { saccade::python::bind(module); }
