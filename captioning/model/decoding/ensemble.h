// Several captioners that decode a caption together: every next word has the mean of their
// probabilities. They share a vocabulary and nothing else: each has its own encoder, decoder and
// attention.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "captioning/model/open_model.h"
#include "core/kernels/constant_weights.h"
#include "core/memory/arena.h"
#include "vision/images/geometry.h"

namespace saccade {

struct Source;
class EncodedPhoto;

class Ensemble {
 public:
  // An ensemble of one model, which must outlive it and keep its weights meanwhile.
  Ensemble(const CaptionModel& model);
  // The list must not be empty. Throws UsageError that names two members whose vocabularies differ.
  explicit Ensemble(std::vector<OpenModel> members);

  std::size_t size() const { return members_.size(); }
  const OpenModel& member(std::size_t member) const { return members_[member]; }
  const CaptionModel& model(std::size_t member) const { return *members_[member].model; }
  // The names of all members, in order; empty for a model by itself.
  std::vector<std::string> names() const;
  const Vocabulary& vocabulary() const { return model(0).vocabulary(); }

  // The members whose mean attention captions have: all that have attention, if their grids lie
  // alike over a picture; otherwise the first of these.
  std::span<const std::size_t> shown() const { return shown_; }
  const GridShape& grid() const { return model(shown_[0]).grid(); }  // of that attention
  // The first member whose frozen network has a classifier; none where no network has.
  std::optional<std::size_t> classifying() const;
  bool has_attention() const { return model(shown_[0]).has_attention(); }
  bool has_maps() const { return model(shown_[0]).has_maps(); }

  // Reads a photo or a text and encodes it (photo.h): read(photo).caption(search) has the words of
  // its caption, each with its map. Throws as EncodedPhoto does.
  // With `classify`, for searches that name objects, its classes are known, too.
  EncodedPhoto read(const Source& source, bool classify = false) const;

 private:
  void hold_weights();

  std::vector<OpenModel> members_;
  std::vector<std::size_t> shown_;
  std::vector<std::shared_ptr<const ConstantWeights>> weights_;  // of the members
};

// Pictures as the members of an ensemble encode them, to be captioned any number of times: encoding
// costs more than a search, and does not depend on it. All runs on the calling thread, except where
// kernels are cut (kernel_parts.h).
class EncodedPictures {
 public:
  // One input per member. Ensemble and inputs must outlive the object, because a frozen grid
  // without positions is not copied.
  EncodedPictures(const Ensemble& models, std::span<const InputView> inputs);
  EncodedPictures(const EncodedPictures&) = delete;
  EncodedPictures& operator=(const EncodedPictures&) = delete;

  // `first_image` numbers the images for random draws (search.h). Pieces of words are put together
  // (whole_words.h).
  std::vector<DecodedCaption> caption(const SearchOptions& options,
                                      std::uint64_t first_image) const;
  // The same. Where options.name_objects says so, captions that do not name what the classifier saw
  // in their picture, seen[m], are searched again, and have to. One that cannot, or is much
  // less probable then (name_objects()), stays as it is.
  std::vector<DecodedCaption> caption(const SearchOptions& options, std::uint64_t first_image,
                                      std::span<const std::vector<SeenClass>> seen) const;
  // Decodes given captions, as ids of the vocabulary: captions[i] belong to picture i, and so do
  // the results (forced_decoding.h).
  std::vector<std::vector<DecodedCaption>> force_decode(
      std::span<const std::vector<std::vector<int>>> captions, const SearchOptions& options,
      std::uint64_t first_image) const;
  // What a search reads of each member's encoding, which lives as long as the object.
  std::span<const SearchMember> members() const { return members_; }

 private:
  struct Encoding {
    Arena arena{};
    Tape tape{arena};
  };

  // Gives the maps of a caption of a picture the places of its regions, where they are in no grid.
  void place(DecodedCaption& caption, std::size_t picture) const;

  const Ensemble& models_;
  std::deque<Encoding> encodings_;
  std::vector<SearchMember> members_;
  std::vector<RegionPlaces> places_;  // of each picture, for the maps that are shown
};

// A data set as every member of an ensemble sees it.
class EnsembleInputs {
 public:
  EnsembleInputs(const DatasetInputs& one) : members_{&one} {}
  explicit EnsembleInputs(std::vector<const DatasetInputs*> members)
      : members_(std::move(members)) {}
  std::size_t size() const { return members_.size(); }
  const DatasetInputs& of(std::size_t member) const { return *members_[member]; }

 private:
  std::vector<const DatasetInputs*> members_;
};

}  // namespace saccade
