#include "captioning/study/grounding/coco_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace saccade {

namespace {

struct Names {
  std::string_view category, names;  // with ", " between
};

constexpr std::array kNames = {
    Names{"person",
          "man, men, woman, women, boy, girl, child, children, kid, baby, toddler, infant, guy, "
          "lady, ladies, gentleman, gentlemen, people, human, adult, teenager, teen, player, "
          "batter, catcher, pitcher, umpire, skier, surfer, skater, skateboarder, snowboarder, "
          "rider, cyclist, biker, swimmer, athlete, worker, officer, policeman, policemen, cop, "
          "soldier, fireman, firefighter, chef, cook, waiter, waitress, bride, groom, mother, "
          "father, mom, dad, son, daughter, brother, sister, husband, wife, couple, crowd, "
          "pedestrian, passenger, spectator, customer, student, teacher, friend, male, female"},
    Names{"bicycle", "bike, cycle"},
    Names{"car", "automobile, auto, taxi, cab, sedan, suv, jeep, van, minivan, vehicle"},
    Names{"motorcycle", "motorbike, bike, motor bike, scooter, moped"},
    Names{"airplane", "plane, aeroplane, jet, aircraft, airliner, jetliner, biplane"},
    Names{"bus", "minibus, coach"},
    Names{"train", "locomotive, train engine, train car, tram, trolley"},
    Names{"truck", "lorry, pickup, pick up truck, fire engine, fire truck, van, vehicle"},
    Names{"boat", "ship, sailboat, canoe, kayak, ferry, yacht, raft, rowboat, gondola"},
    Names{"traffic light", "stoplight, stop light, traffic signal, street light signal"},
    Names{"fire hydrant", "hydrant, fireplug"},
    Names{"stop sign", "sign"},
    Names{"parking meter", "meter"},
    Names{"bench", "park bench"},
    Names{"bird",
          "duck, goose, geese, seagull, gull, pigeon, parrot, swan, owl, eagle, hawk, chicken, "
          "rooster, hen, peacock, ostrich, flamingo, penguin, crow, sparrow, pelican, heron, "
          "baby bird"},
    Names{"cat", "kitten, kitty, kitties, baby cat"},
    Names{"dog", "puppy, puppies, pup, doggy, hound, poodle, terrier, bulldog, retriever"},
    Names{"horse", "pony, ponies, foal, colt, mare, stallion, baby horse"},
    Names{"sheep", "lamb, ram, ewe, baby sheep"},
    Names{"cow", "cattle, bull, calf, calves, ox, oxen, steer, baby cow"},
    Names{"elephant", "baby elephant"},
    Names{"bear", "polar bear, grizzly, panda, bear cub, cub, baby bear"},
    Names{"zebra", "baby zebra"},
    Names{"giraffe", "baby giraffe"},
    Names{"backpack", "knapsack, rucksack, bag"},
    Names{"umbrella", "parasol"},
    Names{"handbag", "purse, bag, tote"},
    Names{"tie", "necktie, bow tie, bowtie"},
    Names{"suitcase", "luggage, baggage, briefcase, bag"},
    Names{"frisbee", "disc, disk"},
    Names{"skis", "ski"},
    Names{"snowboard", "board"},
    Names{"sports ball", "ball, baseball, basketball, soccer ball, football, tennis ball"},
    Names{"kite", ""},
    Names{"baseball bat", "bat"},
    Names{"baseball glove", "glove, mitt"},
    Names{"skateboard", "skate board, board"},
    Names{"surfboard", "surf board, board"},
    Names{"tennis racket", "racket, racquet, tennis racquet"},
    Names{"bottle", "beer bottle, water bottle"},
    Names{"wine glass", "wineglass, glass, goblet"},
    Names{"cup", "mug, glass, teacup, coffee cup"},
    Names{"fork", ""},
    Names{"knife", "knives"},
    Names{"spoon", ""},
    Names{"bowl", "dish"},
    Names{"banana", ""},
    Names{"apple", ""},
    Names{"sandwich", "burger, hamburger, cheeseburger, sub"},
    Names{"orange", "tangerine, clementine"},
    Names{"broccoli", ""},
    Names{"carrot", ""},
    Names{"hot dog", "hotdog"},
    Names{"pizza", ""},
    Names{"donut", "doughnut"},
    Names{"cake", "cupcake"},
    Names{"chair", "armchair, stool, recliner, seat"},
    Names{"couch", "sofa, loveseat, love seat"},
    Names{"potted plant", "plant, houseplant, house plant"},
    Names{"bed", ""},
    Names{"dining table", "table, desk"},
    Names{"toilet", "urinal, commode"},
    Names{"tv", "television, monitor, screen"},
    Names{"laptop", "computer, notebook computer, laptop computer"},
    Names{"mouse", "mice, computer mouse"},
    Names{"remote", "remote control, controller, wii remote, wiimote"},
    Names{"keyboard", "computer keyboard"},
    Names{"cell phone", "cellphone, phone, smartphone, mobile phone, smart phone, telephone"},
    Names{"microwave", "microwave oven"},
    Names{"oven", "stove"},
    Names{"toaster", ""},
    Names{"sink", "washbasin, wash basin"},
    Names{"refrigerator", "fridge, freezer"},
    Names{"book", "novel, textbook"},
    Names{"clock", "clock tower, clock face"},
    Names{"vase", ""},
    Names{"scissors", "shears"},
    Names{"teddy bear", "teddy, stuffed bear, stuffed animal, stuffed toy, teddybear"},
    Names{"hair drier", "hair dryer, hairdryer, blow dryer, blow drier"},
    Names{"toothbrush", "tooth brush"},
};

constexpr std::string_view kOthers =
    "train station, train track, train platform, bus stop, bus station, boat dock, car park, "
    "bird house, dog house, toilet paper, bed room, bath room, couple of, street sign, road sign, "
    "computer desk, computer screen, laptop screen, phone booth, horse drawn, book shelf, "
    "book case, sun glass, eye glass, baby carriage, baby stroller, bike rack, snow board shop, "
    "ball game, ball park, apple tree, orange tree, banana tree, chair lift, ski lift, ski slope, "
    "ski pole, ski resort, surf shop, skate park, cake pan, pizza box, table cloth, cat food, "
    "dog food, bird cage, dog bed, cat bed, tv show, truck stop, bottle opener";

std::vector<std::string> split(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kBetween), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + kBetween.size(), list.size()));
  }
  return out;
}

}  // namespace

std::vector<std::string> coco_names(const std::string& category) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const Names& one) { return one.category == category; });
  return found == kNames.end() ? std::vector<std::string>{} : split(found->names);
}

std::vector<std::string> coco_single_words() {
  std::set<std::string> words;
  for (const Names& one : kNames) {
    std::vector<std::string> names = split(one.names);
    names.emplace_back(one.category);
    for (std::string& name : names)
      if (name.find(' ') == std::string::npos) words.insert(std::move(name));
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> names_of_no_category() { return split(kOthers); }

}  // namespace saccade
