#include "vision/encoders/given_features.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

std::string extents_text(const std::vector<Index>& shape) {
  return "[" + join(shape, ", ", [](Index extent) { return str(extent); }) + "]";
}

// The side of a square of so many cells; 0 where there is none.
Index square_side(Index cells) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(cells))));
  return side * side == cells ? side : 0;
}

// Whether the channels of a grid stand before its rows and columns. `width`, where it is known, is
// their number.
bool channels_first(const std::vector<Index>& shape, bool torch, Index width) {
  const Index a = shape[0], b = shape[1], c = shape[2];
  if (width > 0 && (a == width) != (c == width)) return a == width;
  if (b == c && a != b) return true;
  if (a == b && c != b) return false;
  constexpr Index kManyChannels = 128;  // grids have fewer rows and columns
  if (std::max(a, c) >= kManyChannels) return a > c;
  return torch;
}

// How one photo's array may be read.
struct Reading {
  bool list = false;         // of vectors; else a grid
  bool class_token = false;  // before the regions
  Index rows = 0, cols = 0;  // of the grid; of a list without a grid 1 and its length
  Index width = 0;
};

Reading reading_of(const FeatureOutline& outline, const FeaturesConfig& config, Index width) {
  const std::vector<Index>& shape = outline.shape;
  if (shape.size() == 3) {
    const bool first = channels_first(shape, outline.torch, width);
    return {
        .rows = shape[first ? 1 : 0], .cols = shape[first ? 2 : 1], .width = shape[first ? 0 : 2]};
  }
  Reading out{.list = true, .rows = 1, .cols = shape[0], .width = shape[1]};
  const bool in_time = config.layout == FeatureLayout::kTime;
  if ((outline.boxes || in_time) && config.class_token != ClassTokenPlace::kFirst) return out;
  const Index whole = square_side(shape[0]), behind = square_side(shape[0] - 1);
  out.class_token =
      config.class_token == ClassTokenPlace::kFirst ||
      (config.class_token == ClassTokenPlace::kAuto && whole == 0 && shape[0] > 1 && behind > 0);
  if (out.class_token) --out.cols;
  const Index side = out.class_token ? behind : whole;
  const bool grid =
      side > 0 && config.layout != FeatureLayout::kRegions && !in_time && !outline.boxes;
  if (grid) {
    out.list = false;
    out.rows = out.cols = side;
  }
  return out;
}

// The outlines of photos, and of those that are damaged the first error. Where the number of
// regions is given, a few are enough.
struct Outlines {
  std::vector<std::pair<std::string, FeatureOutline>> good;
  std::string problem;
};
Outlines outlines_of(const FeatureSource& source, bool few) {
  constexpr std::size_t kFew = 64;
  Outlines out;
  const std::size_t count = few ? std::min(kFew, source.ids().size()) : source.ids().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& id = source.ids()[i];
    try {
      out.good.emplace_back(id, source.outline(id));
    } catch (const DataError& error) {
      if (out.problem.empty()) out.problem = error.what();
    }
  }
  if (out.good.empty()) throw DataError(out.problem);
  return out;
}

// Whether photos have frames in time: as the config says or, by itself, where all have times.
bool has_frames(const Outlines& all, const FeatureSource& source, const FeaturesConfig& config) {
  const bool wanted = config.layout == FeatureLayout::kTime;
  if (!wanted && config.layout != FeatureLayout::kAuto) return false;
  for (const auto& [id, outline] : all.good) {
    if (!wanted && (!outline.times || outline.boxes)) return false;
    if (outline.shape.size() != 2)
      throw DataError(str(source.path(), ": the features of ", id, " are ",
                          extents_text(outline.shape),
                          ", and those of frames in time are [frames, D]; set "
                          "encoder.features.layout to grid or regions"));
  }
  return true;
}

// The median of the seconds from one frame to the next; 1 where no frame has a time.
double usual_step(const Outlines& all, const FeatureSource& source) {
  constexpr std::size_t kFew = 64;
  std::vector<float> steps;
  for (std::size_t i = 0; i < std::min(kFew, all.good.size()); ++i) {
    if (!all.good[i].second.times) continue;
    const std::vector<float> times = source.read(all.good[i].first).times;
    for (std::size_t t = 1; t < times.size(); ++t) steps.push_back(times[t] - times[t - 1]);
  }
  if (steps.empty()) return 1;
  const auto middle = steps.begin() + std::ssize(steps) / 2;
  std::nth_element(steps.begin(), middle, steps.end());
  return static_cast<double>(*middle);
}

}  // namespace

GivenFeatures::GivenFeatures(const EncoderConfig& config)
    : config_(config.features), needs_boxes_(config.refine.goes_by_boxes()) {
  if (!config_.size.empty() && config_.size.size() != 2)
    throw UsageError(str("encoder.features.size has ", config_.size.size(),
                         " numbers; give width and height, as [640, 480]"));
  std::string known = config.graph;
  if (known.empty() && config.network) known = config.network->definition;
  std::error_code error;
  if (known.empty() && config_.path.empty())
    throw UsageError(
        "encoder.type features needs encoder.features.path; set it to the file or folder of the "
        "features");
  const bool there = !config_.path.empty() && std::filesystem::exists(config_.path, error);
  if (there || known.empty()) source_ = open(config_.path);
  if (std::filesystem::exists(config_.pooled, error)) pooled_ = open_features(config_.pooled);
  form_ = known.empty() ? learned_form(config) : FeatureForm::of_text(known);
}

std::shared_ptr<const FeatureSource> GivenFeatures::open(const std::filesystem::path& path) const {
  std::error_code error;
  const bool own = !config_.pooled.empty() && !std::filesystem::exists(config_.pooled, error);
  return open_features(path, {.array = config_.array, .pooled = own ? config_.pooled : ""});
}

FeatureForm GivenFeatures::learned_form(const EncoderConfig& config) const {
  const Outlines all = outlines_of(*source_, config_.regions > 0);
  FeaturesConfig features = config_;
  const bool in_time = has_frames(all, *source_, config_);
  if (in_time) features.layout = FeatureLayout::kTime;
  FeatureForm form{.pooled = !config_.pooled.empty() || config.pooled == PooledKind::kClassToken};
  // The width that most photos have tells the axis of channels where an array has none that stands
  // out.
  std::map<Index, Index> widths;
  for (const auto& [id, outline] : all.good) ++widths[reading_of(outline, features, 0).width];
  form.width = std::max_element(widths.begin(), widths.end(), [](const auto& a, const auto& b) {
                 return a.second < b.second;
               })->first;
  bool any_list = false, same = true;
  Index most = 0, tokens = 0;
  Reading first;
  for (const auto& [id, outline] : all.good) {
    const Reading one = reading_of(outline, features, form.width);
    if (one.width != form.width)
      throw DataError(str(source_->path(), ": the features of ", id, " are ",
                          extents_text(outline.shape), ", ", one.width, " numbers for each ",
                          in_time ? "frame" : "region", ", and those of others have ", form.width,
                          "; all need the same width"));
    if (most == 0) first = one;
    same = same && one.rows == first.rows && one.cols == first.cols;
    any_list = any_list || one.list;
    tokens += one.class_token ? 1 : 0;
    most = std::max(most, one.rows * one.cols);
  }
  form.scattered = any_list || !same || config_.layout == FeatureLayout::kRegions;
  if (form.scattered && config_.layout == FeatureLayout::kGrid)
    throw DataError(str(source_->path(), ": encoder.features.layout is grid, and ",
                        same ? str(first.cols, " vectors are no square grid")
                             : "photos have different numbers of rows and columns",
                        "; set it to regions"));
  // Of photos with different numbers of regions, one more than a square is chance.
  const bool chance = config_.class_token == ClassTokenPlace::kAuto && form.scattered;
  if (chance && tokens > 0) {
    most = 0;
    for (const auto& [id, outline] : all.good) {
      const std::vector<Index>& shape = outline.shape;
      const Reading one = reading_of(outline, features, form.width);
      most = std::max(most, shape.size() == 2 ? shape[0] : one.rows * one.cols);
    }
  }
  form.class_token = !chance && tokens > 0;
  if (config.pooled == PooledKind::kClassToken && !form.class_token)
    throw DataError(str(source_->path(),
                        ": encoder.pooled is class_token, and the features have none; set "
                        "encoder.features.class_token to first if one stands before the regions, "
                        "or leave encoder.pooled out"));
  form.rows = form.scattered ? 1 : first.rows;
  form.cols = form.scattered ? (config_.regions > 0 ? config_.regions : most) : first.cols;
  if (in_time) {
    form.in_time = true;
    form.step = usual_step(all, *source_);
    const PositionKind kind = config.positions;
    if (kind != PositionKind::kNone && kind != PositionKind::kSinusoidal &&
        kind != PositionKind::kLearned)
      throw UsageError(str("encoder.positions ", enum_name(kind),
                           " is of places in a picture, and ", source_->path(),
                           " has frames in time; set it to sinusoidal, learned or none"));
    return form;
  }
  form.places = form.scattered && config.positions == PositionKind::kCoordinates;
  if (form.scattered && config.positions != PositionKind::kNone && !form.places)
    throw UsageError(str("encoder.positions ", enum_name(config.positions),
                         " is for the cells of a grid, and the regions of ", source_->path(),
                         " lie anywhere; set it to coordinates, which tells centre, width, height "
                         "and area of their boxes, or to none"));
  return form;
}

namespace {

// The photo's box of a region in shares of its width and height.
RegionBox share_of(const std::array<float, 4>& box, const ImageSize& size) {
  const auto across = static_cast<float>(size.width), down = static_cast<float>(size.height);
  return {.left = box[0] / across,
          .top = box[1] / down,
          .right = box[2] / across,
          .bottom = box[3] / down};
}

// Boxes whose edges all lie within 0 and 1 are no pixels.
bool are_shares(const StoredFeatures& features) {
  constexpr float kMost = 1.001F;
  return features.relative ||
         std::all_of(features.boxes.begin(), features.boxes.end(), [](const auto& box) {
           return std::all_of(box.begin(), box.end(),
                              [](float edge) { return edge >= 0 && edge <= kMost; });
         });
}

// What files or config say of the picture; zeros: they do not.
ImageSize told_size(const StoredFeatures& features, const FeaturesConfig& config) {
  if (config.size.size() == 2) return {.height = config.size[1], .width = config.size[0]};
  return features.size.value_or(ImageSize());
}

// Empty where boxes are in pixels of a picture of no known size.
std::vector<RegionBox> relative_boxes(const StoredFeatures& features, const ImageSize& told,
                                      const std::function<ImageSize()>& photo) {
  ImageSize size{.height = 1, .width = 1};
  const bool shares = are_shares(features);
  if (!shares) size = told.width > 0 ? told : photo();
  if (size.width == 0) return {};
  constexpr float kBeyond = 0.02F;  // detectors round to whole pixels
  std::vector<RegionBox> out;
  for (const std::array<float, 4>& edges : features.boxes) {
    RegionBox box = share_of(edges, size);
    const bool fits = box.left >= -kBeyond && box.top >= -kBeyond && box.right <= 1 + kBeyond &&
                      box.bottom <= 1 + kBeyond && box.right > box.left && box.bottom > box.top;
    if (!fits)
      throw DataError(str(features.where, ": box ", out.size(), " is x1 ", edges[0], ", y1 ",
                          edges[1], ", x2 ", edges[2], ", y2 ", edges[3], ", and the picture has ",
                          size.width, " x ", size.height, shares ? " (shares)" : " pixels",
                          "; if boxes are of a picture of another size, name it as "
                          "encoder.features.size"));
    for (float* edge : {&box.left, &box.top, &box.right, &box.bottom})
      *edge = std::clamp(*edge, 0.0F, 1.0F);
    out.push_back(box);
  }
  return out;
}

std::vector<RegionBox> cell_boxes(Index rows, Index cols) {
  std::vector<RegionBox> out;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c)
      out.push_back({.left = static_cast<float>(c) / static_cast<float>(cols),
                     .top = static_cast<float>(r) / static_cast<float>(rows),
                     .right = static_cast<float>(c + 1) / static_cast<float>(cols),
                     .bottom = static_cast<float>(r + 1) / static_cast<float>(rows)});
  return out;
}

void write_place(const RegionBox& box, float* out) {
  out[0] = box.left + box.right - 1;
  out[1] = box.top + box.bottom - 1;
  out[2] = box.width();
  out[3] = box.height();
  out[4] = box.width() * box.height();
}

}  // namespace

const FeatureSource& GivenFeatures::source_of(std::span<const std::string> names,
                                              const FeatureSource* own) const {
  if (own != nullptr) return *own;
  if (source_) return *source_;
  throw DataError(str(names.empty() ? "the photo" : names.front(),
                      ": the model takes features that another program computed, and there are "
                      "none of the photo; give a file with them (--features FILE), or name their "
                      "place with encoder.features.path=PLACE"));
}

FoundFeatures GivenFeatures::read(std::span<const std::string> names, const FeatureSource* own,
                                  const std::function<ImageSize()>& size,
                                  std::span<float> out) const {
  const FeatureSource& source = source_of(names, own);
  const std::string name = names.empty() || names.front().empty() ? "a photo" : names.front();
  std::optional<std::string> id = source.find(names);
  if (!id && own != nullptr && own->ids().size() == 1) id = own->ids().front();
  if (!id)
    throw DataError(str(source.path(), ": there are no features of ", name, " among those of ",
                        counted(std::ssize(source.ids()), "photo"), " (", first_names(source.ids()),
                        ")"));
  const StoredFeatures features = source.read(*id);
  const FeatureOutline outline{
      .shape = features.shape, .torch = features.torch, .boxes = !features.boxes.empty()};
  FeaturesConfig config = config_;
  if (form_.scattered)
    config.layout = form_.in_time ? FeatureLayout::kTime : FeatureLayout::kRegions;
  if (form_.scattered && !form_.class_token && config.class_token == ClassTokenPlace::kAuto)
    config.class_token = ClassTokenPlace::kNone;
  const Reading reading = reading_of(outline, config, form_.width);
  const Index regions = reading.rows * reading.cols;
  const auto refuse = [&](const std::string& expected) {
    throw DataError(str(features.where, ": the features of ", name, " are ",
                        extents_text(features.shape), ", and the model takes ", expected));
  };
  if (form_.in_time && !reading.list) refuse("frames [T, D]");
  if (reading.width != form_.width)
    refuse(str(form_.width, " numbers for each ", form_.in_time ? "frame" : "region"));
  if (!form_.scattered && (reading.rows != form_.rows || reading.cols != form_.cols))
    refuse(str("a grid of ", form_.rows, " x ", form_.cols, " cells of ", form_.width, " numbers"));

  const GridShape shape = form_.grid();
  const Index kept = std::min(regions, shape.cells()), width = form_.width, to = shape.features;
  SACCADE_CHECK(static_cast<Index>(out.size()) == shape.size(), "[features] output needs ",
                shape.size(), " numbers; got ", out.size());
  std::fill(out.begin(), out.end(), 0.0F);
  const float* values = features.values.data() + (reading.class_token ? width : 0);
  const bool planes =
      features.shape.size() == 3 && channels_first(features.shape, features.torch, width);
  for (Index r = 0; r < kept; ++r)
    for (Index d = 0; d < width; ++d)
      out[static_cast<std::size_t>(r * to + d)] =
          planes ? values[d * regions + r] : values[r * width + d];

  FoundFeatures found{.left_out = regions - kept, .size = told_size(features, config_)};
  if (form_.scattered) {
    RegionBoxes boxes{.count = kept};
    if (form_.in_time) {
      boxes.in_time = true;
      boxes.step = static_cast<float>(form_.step);
      boxes.times = features.times;
      boxes.times.resize(std::min(boxes.times.size(), static_cast<std::size_t>(kept)));
      boxes.boxes = cell_boxes(1, regions);
    } else if (!features.boxes.empty()) {
      boxes.boxes = relative_boxes(features, found.size, size);
      found.unplaced = boxes.boxes.empty();
      if (reading.class_token && !found.unplaced) boxes.boxes.erase(boxes.boxes.begin());
    } else if (!reading.list) {
      boxes.boxes = cell_boxes(reading.rows, reading.cols);
    }
    const bool needed = !form_.in_time && (form_.places || needs_boxes_);
    if (needed && found.unplaced)
      throw DataError(str(features.where, ": boxes are in pixels of ", name,
                          ", which is not there, so that its size is not known; give the picture, "
                          "or set encoder.features.size to [width, height]"));
    if (needed && boxes.boxes.empty())
      throw DataError(str(features.where, ": the features have no boxes, and ",
                          form_.places ? "encoder.positions coordinates tells the model where they "
                                         "lie; give features with boxes, or train with none"
                                       : "encoder.refine.type geometry goes by them; give features "
                                         "with boxes, or train with self_attention"));
    boxes.boxes.resize(std::min(boxes.boxes.size(), static_cast<std::size_t>(kept)));
    for (Index r = 0; form_.places && r < kept; ++r)
      write_place(boxes.boxes[static_cast<std::size_t>(r)], out.data() + r * to + width);
    found.places = std::make_shared<const RegionBoxes>(std::move(boxes));
  }

  if (form_.pooled) {
    std::vector<float> pooled = features.pooled;
    if (pooled_) {
      const std::optional<std::string> known = pooled_->find(names);
      if (!known && own == nullptr)
        throw DataError(str(pooled_->path(), ": there is no vector of the photo ", name));
      if (known) pooled = pooled_->read(*known).values;
    }
    if (config_.pooled.empty() && reading.class_token)
      pooled.assign(features.values.begin(), features.values.begin() + width);
    // As the readers of published features do it where they have no vector of the photo.
    if (pooled.empty() && own != nullptr && !exact_) {
      pooled.assign(static_cast<std::size_t>(width), 0);
      for (Index r = 0; r < kept; ++r)
        for (Index d = 0; d < width; ++d)
          pooled[static_cast<std::size_t>(d)] +=
              out[static_cast<std::size_t>(r * to + d)] / static_cast<float>(kept);
    }
    if (pooled.empty() && !config_.pooled.empty())
      throw DataError(str(features.where, ": there is no vector of the photo ", name,
                          ": encoder.features.pooled is ", config_.pooled,
                          ", which is no file or folder, and no array beside the features"));
    if (static_cast<Index>(pooled.size()) != width)
      throw DataError(str(features.where, ": the vector of the photo ", name, " has ",
                          pooled.size(), " numbers, and a region ", width,
                          "; they have to be equally wide"));
    std::copy(pooled.begin(), pooled.end(), out.begin() + shape.cells() * to);
  }
  Digest digest;
  digest.add({reinterpret_cast<const char*>(out.data()), out.size_bytes()});
  if (found.places)
    digest.add({reinterpret_cast<const char*>(found.places->boxes.data()),
                found.places->boxes.size() * sizeof(RegionBox)});
  if (found.places && !found.places->times.empty())
    digest.add({reinterpret_cast<const char*>(found.places->times.data()),
                found.places->times.size() * sizeof(float)});
  found.digest = digest.hex();
  return found;
}

void GivenFeatures::encode(const Image&, const PictureArea&, std::span<float>) const {
  throw UsageError(
      "the model takes features that another program computed (encoder.type features) and reads no "
      "pixels, so that it cannot say what changed pixels would do");
}

ReceptiveField GivenFeatures::receptive_field() const {
  throw UsageError("its features come from another program, and what each region saw is not known");
}

std::string GivenFeatures::digest() const {
  Digest digest;
  digest.add("features");
  digest.add(form_.text());
  return digest.hex();
}

}  // namespace saccade
