// Scenes that move: in some of their frames an object moves left, right, up or down, one after the
// other, and captions say which and where to. Language: event {"then" event}, with
// event = "a" attributes shape "moves" direction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/data/scenes/caption_checker.h"
#include "captioning/data/scenes/caption_grammar.h"
#include "captioning/data/scenes/scenes_config.h"
#include "core/base/random.h"
#include "vision/images/image.h"

namespace saccade {

inline constexpr Index kMinFrames = 3, kMaxFrames = 64;  // of a scene that moves
inline constexpr double kSceneFrameRate = 4;             // frames of a scene in a second

// Lets one or two objects of a scene move, each in some of `frames` frames. Objects never meet; one
// that leaves no other space to move is taken away, and those that only test scenes show last.
void add_motion(Scene& scene, Index frames, UnseenKind unseen, Random& random);

// The scene as it stands in a frame: objects in their places then, and no motion.
Scene frame_of(const Scene& scene, Index frame);
// The picture of all frames, side by side [size, frames * size].
Image render_frames(const Scene& scene);

// Up to `count` different captions, which tell all events in order. The phrases are of the words
// "moves left", whose noun is the direction and whose objects are indices into Scene::events.
std::vector<SceneCaption> describe_motion(const Scene& scene, std::size_t count, Random& random);
// The frames of a phrase's events, in pixels of the picture of all frames.
std::vector<Rect> frames_of(const Scene& scene, const Phrase& phrase);
// Judges a caption. It is true if what it tells happens in that order.
CaptionCheck check_motion(const Scene& scene, std::span<const std::string> words);

}  // namespace saccade
