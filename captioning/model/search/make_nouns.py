#!/usr/bin/env python3
"""make_nouns.py WORDNET LABELS OUT CAPTIONS.json...

Writes nouns.txt, the common nouns of ImageNet's 1,000 classes (ILSVRC 2012), from the database files of WordNet 3.0
(WORDNET is a folder with data.noun, index.noun and noun.exc, as Debian's wordnet-base has them; its licence is
captioning/scoring/metrics/meteor/wordnet/LICENSE.wordnet). LABELS has the words
of each class in a line, in the order of the classes; a first line `background` is left out. CAPTIONS are data sets in
Karpathy's form, of which the training captions are counted.

A class gets the first noun of BASIC on its way up the hypernyms of WordNet; a class without one gets none. BASIC was
chosen by hand: what people call things, and what a classifier of whole photos can tell. Words that say the same are the
other words of that synset, those of the synsets below it, and plurals, where the word has its first meaning there. Words
that are like the noun are those that captions have often of its neighbours in WordNet: hypernyms, and what is below
them. A line of nouns.txt has, between tabs:

    noun    words that say the same    classes    words that are like it, the nearest first
"""
import collections
import json
import os
import sys

BASIC = set('''
fish shark goldfish rooster hen ostrich bird eagle vulture owl salamander frog turtle lizard crocodile alligator dinosaur
snake spider scorpion centipede peacock parrot hummingbird toucan duck goose swan kangaroo koala jellyfish coral snail slug
crab lobster stork flamingo heron crane pelican penguin whale seal dog wolf hyena fox cat cougar lynx leopard jaguar lion
tiger cheetah bear mongoose meerkat beetle ladybug fly bee ant grasshopper cricket cockroach mantis dragonfly butterfly
starfish rabbit hare hamster porcupine squirrel beaver horse zebra pig boar hippopotamus ox bison sheep goat antelope camel
llama weasel ferret otter skunk badger armadillo sloth monkey gorilla chimpanzee orangutan lemur panda elephant
airplane ambulance balloon bicycle boat bus canoe truck motorcycle sailboat ship snowmobile submarine tank tractor train
tricycle unicycle van forklift scooter accordion guitar banjo cello drum flute harp harmonica piano saxophone trombone
violin pizza cheeseburger hotdog broccoli banana strawberry orange lemon pineapple mushroom corn bagel pretzel burrito
cauliflower cucumber artichoke cabbage laptop keyboard mouse television umbrella toilet refrigerator stove toaster
microwave vase clock bathtub bench bridge castle church fountain lighthouse parachute teapot typewriter carousel
cannon volcano daisy scoreboard bottle couch racket
'''.split())
PHRASES = {'guinea pig', 'ice cream', 'traffic light', 'parking meter', 'teddy bear'}
# Of a class that WordNet has elsewhere: the noun that people say. Captions have "flies" as a verb, so that 308 has none.
BY_HAND = {7: 'rooster', 8: 'hen', 80: 'bird', 81: 'bird', 82: 'bird', 83: 'bird', 85: 'bird', 86: 'bird', 101: 'elephant',
           150: 'seal', 308: None, 408: None, 440: 'bottle', 444: 'bicycle', 466: 'train', 547: 'train', 720: None, 737: 'bottle',
           756: None, 899: None, 900: None, 901: None,
           565: 'train', 820: 'train', 555: 'truck', 517: 'crane', 508: 'keyboard', 878: 'keyboard', 673: 'mouse',
           861: 'toilet', 999: None, 703: 'bench', 760: 'refrigerator', 403: 'ship', 895: 'airplane', 812: None,
           829: 'trolley', 705: 'train', 148: 'whale', 346: 'buffalo', 437: 'lighthouse', 670: 'scooter', 665: 'motorcycle',
           850: 'teddy bear', 810: None, 664: 'monitor', 782: 'monitor', 537: 'dog', 248: 'dog', 983: None, 385: 'elephant'}
SAME = {'rooster': ['roosters', 'cock'], 'hen': ['hens', 'chicken', 'chickens'], 'airplane': ['plane', 'planes', 'jet', 'airliner'],
        'bicycle': ['bike', 'bikes'], 'motorcycle': ['motorbike', 'motorcycles', 'bike'], 'television': ['tv', 'tvs', 'televisions'],
        'hotdog': ['hot dog', 'hot dogs', 'hotdogs'], 'cheeseburger': ['burger', 'hamburger', 'sandwich', 'burgers'],
        'trolley': ['tram', 'streetcar', 'train', 'bus'], 'hippopotamus': ['hippo', 'hippos'], 'refrigerator': ['fridge', 'freezer'],
        'microwave': ['microwaves'], 'stove': ['oven', 'stovetop'], 'train': ['trains', 'engine', 'locomotive'],
        'ship': ['boat', 'boats', 'ships'], 'boat': ['boats', 'canoe', 'gondola'], 'sailboat': ['boat', 'boats', 'sailboats'],
        'canoe': ['boat', 'kayak', 'canoes'], 'bison': ['buffalo'], 'buffalo': ['bison', 'buffalos', 'cow', 'cows', 'bull'],
        'ox': ['oxen', 'cow', 'cows', 'cattle', 'bull'], 'orange': ['oranges', 'fruit'], 'cat': ['kitten', 'kittens', 'kitty'],
        'dog': ['puppy', 'puppies', 'dogs'], 'sheep': ['lamb', 'lambs', 'ram'], 'monitor': ['computer', 'screen', 'monitors'],
        'laptop': ['computer', 'laptops', 'computers'], 'teddy bear': ['teddy bears', 'bear', 'bears'], 'goose': ['geese'],
        'scooter': ['moped', 'scooters', 'motorcycle'], 'van': ['vans', 'truck', 'bus'], 'mouse': ['mice'], 'bench': ['benches'],
        'racket': ['rackets', 'racquet', 'racquets'], 'ice cream': ['dessert'], 'bird': ['birds'], 'truck': ['trucks'], 'toilet': ['toilets'], 'bathtub': ['tub', 'bath'],
        'boar': ['pig', 'pigs'], 'clock': ['clocks'], 'umbrella': ['umbrellas', 'parasol'], 'keyboard': ['keyboards'],
        'tractor': ['tractors', 'truck'], 'ambulance': ['ambulances', 'truck', 'van'], 'duck': ['ducks', 'duckling', 'ducklings']}
IRREGULAR = {'goose': 'geese', 'mouse': 'mice', 'wolf': 'wolves', 'sheep': 'sheep', 'fish': 'fish', 'ox': 'oxen', 'bison': 'bison'}
# What these words mean first in WordNet is not what people say of a picture.
NOT_SAME = set('scooter scooters launch launches hind hinds dolphin dolphins mount mounts cooler coolers '
               'lounge lounges'.split())
NOT_LIKE = set('bat young male female device space group background arms equipment clothing signal beam breaking action '
               'sitting container surface structure cooler round hind electric fly cricket watch posing taking being past '
               'showing'.split())
# Words of captions, and the nouns that people use most like them: these come first.
LIKE = {noun: word for word, nouns in {
    'bird': 'rooster hen peacock goose duck swan heron crane stork flamingo pelican penguin ostrich toucan vulture',
    'animal': 'ant bee beetle butterfly cockroach cricket dragonfly grasshopper ladybug mantis centipede scorpion spider snail slug starfish crab lobster jellyfish coral snake lizard turtle frog crocodile '
              'alligator salamander dinosaur armadillo sloth porcupine hamster hare rabbit squirrel beaver',
    'bear': 'panda koala', 'deer': 'kangaroo antelope', 'cow': 'ox bison buffalo boar pig hippopotamus',
    'horse': 'camel llama', 'fish': 'goldfish whale', 'dog': 'seal wolf fox hyena', 'monkey': 'lemur',
    'boat': 'ship submarine sailboat', 'truck': 'forklift tank', 'motorcycle': 'scooter', 'train': 'trolley',
    'guitar': 'accordion banjo cello drum flute harmonica harp piano saxophone trombone violin',
    'oven': 'microwave stove toaster refrigerator', 'computer': 'laptop monitor television', 'vegetable': 'corn mushroom',
    'orange': 'lemon', 'kite': 'umbrella parachute', 'sign': 'traffic_light parking_meter scoreboard', 'gun': 'cannon',
    'ride': 'carousel', 'chair': 'couch', 'glass': 'bottle', 'bat': 'racket', 'tub': 'bathtub',
    'mountain': 'volcano', 'flower': 'daisy', 'pot': 'teapot', 'bowl': 'vase'}.items() for noun in nouns.split()}
FEWEST = 20  # times that captions have a word that others are made of


def plural(noun):
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun.endswith(('s', 'x', 'ch', 'sh')):
        return noun + 'es'
    if noun.endswith('y') and noun[-2] not in 'aeiou':
        return noun[:-1] + 'ies'
    return noun + 's'


class WordNet:
    def __init__(self, folder):
        self.words, self.up, self.down, self.animal, first = {}, {}, collections.defaultdict(list), set(), {}
        for line in open(os.path.join(folder, 'data.noun')):
            if line.startswith('  '):
                continue
            fields = line.split(' | ')[0].split()
            count = int(fields[3], 16)
            self.words[fields[0]] = [word.replace('_', ' ') for word in fields[4:4 + 2 * count:2]]
            if fields[1] == '05':
                self.animal.add(fields[0])
            pointers = fields[5 + 2 * count:]
            self.up[fields[0]] = [to for sign, to, pos, _ in zip(*[iter(pointers)] * 4)
                                  if sign in ('@', '@i') and pos == 'n']
        for synset, above in self.up.items():
            for one in above:
                self.down[one].append(synset)
        for line in open(os.path.join(folder, 'index.noun')):
            if not line.startswith('  '):
                fields = line.split()
                first[fields[0].replace('_', ' ')] = fields[-int(fields[2])]
        self.first = first

    def path(self, synset):
        """The synset and its first hypernyms."""
        out = [synset]
        while self.up[out[-1]]:
            out.append(self.up[out[-1]][0])
        return out

    def below(self, synset):
        out = [synset]
        for one in out:
            out += self.down[one]
        return out

    def first_words(self, synset):
        """Its words in lower case that mean it before all."""
        return [word for word in self.words[synset] if word.islower() and self.first.get(word) == synset]


def class_synsets(net, labels):
    by_words = collections.defaultdict(list)
    for synset, words in net.words.items():
        by_words[frozenset(word.lower() for word in words)].append(synset)
    out = []
    for number, label in enumerate(labels):
        words = frozenset(word.strip().lower() for word in label.split(','))
        found = by_words.get(words) or [s for key, all in by_words.items() if words <= key for s in all]
        found.sort(key=lambda synset: (synset in net.animal) != (number < 398))
        out.append(found[0])
    return out


def ranges(numbers):
    out = []
    for number in sorted(numbers):
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return ' '.join(str(a) if a == b else f'{a}-{b}' for a, b in out)


def relatives(net, synset, counts, own):
    """Words that captions have, by the number of steps to them; the more frequent first."""
    found = {}
    for steps, above in enumerate(net.path(synset)[:6]):
        for depth, group in enumerate([[above], net.down[above], [s for d in net.down[above] for s in net.down[d]]]):
            for one in group:
                for word in net.first_words(one):
                    if ' ' not in word and counts[word] >= FEWEST and word not in own | NOT_LIKE:
                        found.setdefault(word, steps + depth)
    return sorted(found, key=lambda word: (found[word], -counts[word]))[:3]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__.strip())
    net = WordNet(sys.argv[1])
    labels = [line.strip() for line in open(sys.argv[2])]
    labels = labels[1:] if labels[0] == 'background' else labels
    counts = collections.Counter()
    for file in sys.argv[4:]:
        for image in json.load(open(file))['images']:
            if image['split'] in ('train', 'restval'):
                for sentence in image['sentences']:
                    counts.update(sentence['tokens'])
    classes, place = collections.defaultdict(list), {}
    for number, synset in enumerate(class_synsets(net, labels)):
        noun, at = None, synset
        if number in BY_HAND:
            noun = BY_HAND[number]
        else:
            for one in net.path(synset):
                named = [word for word in net.words[one] if word in BASIC or word in PHRASES]
                if named:
                    noun, at = max(named, key=lambda word: counts[word]), one
                    break
        if noun:
            classes[noun].append(number)
            if number not in BY_HAND or noun not in place:
                place.setdefault(noun, at)
    with open(sys.argv[3], 'w') as out:
        for noun in sorted(classes):
            at = place[noun]
            same = [plural(noun)] + SAME.get(noun, [])
            for one in net.below(at):
                for word in net.first_words(one) if noun in net.words[at] else []:
                    if ' ' not in word and counts[word] >= 3 and word not in NOT_SAME:
                        same += [word, plural(word)]
            same = [word for word in dict.fromkeys(same) if word != noun]
            like = [LIKE[noun.replace(' ', '_')]] if noun.replace(' ', '_') in LIKE else []
            like += [word for word in relatives(net, at, counts, {noun, *same}) if word not in like]
            out.write('\t'.join([noun, ','.join(same), ranges(classes[noun]), ' '.join(like[:3])]) + '\n')


if __name__ == '__main__':
    main()
