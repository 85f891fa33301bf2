'use strict';
// What the terms of the page mean, as texts that appear where the pointer rests on them.

const TIPS = {
  p: 'How probable the model finds this word in its place, from 0 to 1.',
  gate: 'How much of the image the decoder takes for this word: 0 is nothing, 1 is all of it. Where the ' +
    'gate is near 0, the map has hardly any influence.',
  sentinel: 'The weight of what the decoder knows without the image, beside that of the regions.',
  elsewhere: 'The weight of tokens without a place in the picture, such as the class token, which the ' +
    'map leaves out.',
  entropy: 'How spread out the map is: 0 is all weight on one region, 1 is the same weight on all.',
  uniform: `The entropy of this map is above ${UNIFORM_ENTROPY}, so it shows no place; it is drawn faint.`,
  even: 'The line marks the weight that a region has in a uniform map.',
  true: 'Everything that the caption says holds for the scene.',
  false: 'Something that the caption says does not hold for the scene.',
  not_parsed: 'The caption is no sentence of the scenes\u2019 grammar, so it cannot be checked.',
  hit: 'Whether the region with the largest weight overlaps a box of what the word names. On: the centre ' +
    'of the region lies inside.',
  differ: 'The share of words that are not in both captions, in any order: 0 is the same words, 1 is no ' +
    'word in common. Of several models, the two that differ most.',
  apart: 'The total variation distance of the maps of the words that both captions have, on average: the ' +
    'share of the weight that would have to be moved. 0 is the same maps, 1 is no place in common. Of ' +
    'several models, the two that differ most.',
};
