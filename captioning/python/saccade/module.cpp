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
#include "core/base/choice.h"

namespace saccade::python {
namespace {

namespace py = pybind11;

using Unlocked = py::call_guard<py::gil_scoped_release>;

// What a photo of Python is: its path or a text (str), the bytes of a file, or pixels, which
// saccade/model.py has made an array [height, width, 3] of bytes without gaps. It must outlive the
// result.
Given given(const py::handle& photo) {
  if (py::isinstance<py::str>(photo)) return {.name = photo.cast<std::string>()};
  if (py::isinstance<py::bytes>(photo)) {
    const auto bytes = photo.cast<std::string_view>();
    if (bytes.empty()) throw DataError("bytes: there are none; give those of an image file");
    return {.name = "bytes",
            .bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}};
  }
  const auto pixels = photo.cast<py::array_t<std::uint8_t, py::array::c_style>>();
  SACCADE_CHECK(pixels.ndim() == 3 && pixels.shape(2) == 3 && pixels.ptr() == photo.ptr(),
                "pixels are an array [height, width, 3] of bytes");
  return {.name = "array",
          .pixels = pixels.data(),
          .height = pixels.shape(0),
          .width = pixels.shape(1)};
}

std::vector<Given> all_given(const py::list& photos) {
  std::vector<Given> out;
  for (const py::handle photo : photos) out.push_back(given(photo));
  return out;
}

py::array array_of(Image image) {
  const std::vector<py::ssize_t> shape{image.height, image.width, 3};
  return owned(std::move(image.rgb), shape);
}

using OpenedModels = std::shared_ptr<Opened>;

std::vector<Spoken> captions(const OpenedModels& models, const py::list& photos, const Asked& asked,
                             const std::string& say) {
  const std::vector<Given> all = all_given(photos);
  const py::gil_scoped_release unlocked;
  std::vector<Spoken> out;
  for (Photo& photo : models->captions(all, models->search(asked), say))
    out.emplace_back(models, std::move(photo.caption), photo.geometry, asked.layers);
  return out;
}

std::vector<Spoken> samples(const OpenedModels& models, const py::object& photo, const Asked& asked,
                            Index count) {
  const Given one = given(photo);
  const py::gil_scoped_release unlocked;
  std::vector<DecodedCaption> drawn;
  const Photo read = models->samples(one, models->search(asked), count, drawn);
  std::vector<Spoken> out;
  for (DecodedCaption& caption : drawn)
    out.emplace_back(models, std::move(caption), read.geometry, asked.layers);
  return out;
}

py::array features(const OpenedModels& models, const py::object& photo) {
  const Given one = given(photo);
  std::shared_ptr<const Opened::Encoded> encoded;
  {
    const py::gil_scoped_release unlocked;
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

py::array picture(const OpenedModels& models, const py::object& photo) {
  const Given one = given(photo);
  Image image;
  {
    const py::gil_scoped_release unlocked;
    image = std::move(models->source(one).picture);
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
                       bool layers) {
             return Asked{std::move(set), std::move(regime), alternatives, layers};
           }),
           py::arg("set"), py::arg("regime"), py::arg("alternatives"), py::arg("layers"));
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
      .def("features", features, py::arg("photo"))
      .def("encoder_maps", encoder_maps, py::arg("photo"))
      .def("picture", picture, py::arg("photo"));
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
      .def("word_maps", &Spoken::word_maps)
      .def("alternatives", &Spoken::alternatives)
      .def("map_on_photo", map_on_photo, py::arg("word"))
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
         const py::function& tell) {
        return train({.config = std::move(config),
                      .yaml = std::move(yaml),
                      .set = std::move(set),
                      .directory = std::move(directory),
                      .resume = resume,
                      .threads = threads,
                      .models = std::move(models),
                      .paraphrases = std::move(paraphrases),
                      .cache = std::move(cache)},
                     on_update, on_validation, tell);
      },
      py::arg("config"), py::arg("yaml"), py::arg("set"), py::arg("directory"), py::arg("resume"),
      py::arg("threads"), py::arg("models"), py::arg("paraphrases"), py::arg("cache"),
      py::arg("on_update").none(true), py::arg("on_validation").none(true), py::arg("tell"));
}

}  // namespace
}  // namespace saccade::python

PYBIND11_MODULE(_saccade, module) { saccade::python::bind(module); }
