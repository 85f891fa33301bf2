// Photos, and texts, as models read them: in blocks that bound memory, or one at a time, which is
// then encoded once for any number of searches.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoding/ensemble.h"
#include "core/base/messages.h"

namespace saccade {

// What a model describes: a picture, or the tokens of a text and the picture of them.
struct Source {
  Image picture;  // empty: there is none, only the features
  std::vector<std::string> tokens{};
  // For a model of features that another program computed: what the photo is called there (its id,
  // its path), and where they are, if not in the files of the model's config.
  std::vector<std::string> names{};
  std::shared_ptr<const FeatureSource> features{};

  Source(Image p) : picture(std::move(p)) {}  // NOLINT(google-explicit-constructor)
  explicit Source(std::vector<std::string> text);
  // The same picture, called by a name or by several.
  Source called(std::vector<std::string> by) &&;
};

// A photo that was read, and later its caption.
struct Photo {
  Index number = 0;                   // the key of random draws
  Image picture{};                    // empty unless Photos keeps it
  std::vector<std::string> tokens{};  // of a text; empty for a picture
  Geometry geometry{};                // of the grid of the attention maps
  std::vector<InputBatch> inputs{};   // [members]: what each member of the ensemble sees
  std::vector<SeenClass> seen{};      // by the classifier, where it was asked
  std::vector<std::string> warnings{};
  std::exception_ptr error{};  // DataError or IoError, where it cannot be read
  DecodedCaption caption{};

  std::vector<InputView> views() const;  // of the inputs
};

// Reads many photos, some at once.
class Photos {
 public:
  // Reads the source of a number in [first, first + count). It is called from many threads; what it
  // says to the listener becomes a warning of the photo.
  using Read = std::function<Source(Index number, const MessageListener& listener)>;

  // The ensemble must outlive it. `classify` is for searches that name objects.
  Photos(const Ensemble& models, Index first, Index count, Read read, bool classify,
         bool keep_pictures = false)
      : models_(models),
        classify_(classify),
        next_(first),
        end_(first + count),
        read_(std::move(read)),
        keep_pictures_(keep_pictures) {}
  // The next photos, at most 32; none after the last. One that cannot be read keeps its place, so
  // that the random draws of the others do not change.
  std::vector<Photo> next();

 private:
  const Ensemble& models_;
  bool classify_;
  Index next_, end_;
  Read read_;
  bool keep_pictures_;
};

// Gives consecutive photos their captions: one that is searched or, where its ids are given, that
// one (EncodedPictures::force_decode).
void add_captions(const Ensemble& models, std::span<Photo> photos, const SearchOptions& search,
                  std::span<const int> given = {});

// A photo as models encode it, which is the larger part of the work. Its captions have the bits of
// add_captions().
class EncodedPhoto {
 public:
  // Throws what the functions of InputPipeline throw.
  EncodedPhoto(Ensemble models, const Source& source, bool classify);

  const Geometry& geometry() const { return photo_.geometry; }
  DecodedCaption caption(const SearchOptions& search) const;
  // What a search reads of each member's encoding.
  std::span<const SearchMember> members() const { return pictures_.members(); }

 private:
  Ensemble models_;
  Photo photo_;
  EncodedPictures pictures_;
};

}  // namespace saccade
