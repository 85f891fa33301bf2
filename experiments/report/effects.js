'use strict';
// What regions do for words: by how much log p of a word falls when a region is removed, as the
// program computed it (captioning/study/inspection/occlusion.h), beside the weights of the maps.

const EFFECT_HEAT = 0.01;  // the least effect that is drawn as full heat: p changes by a hundredth

// The effects of all regions on each word of a caption of the JSON; null where it has none.
const effectsOf = (json) => (json.words.length && json.words.every((word) => word.occlusion)
  ? json.words.map((word) => Float32Array.from(word.occlusion.flat())) : null);

const largestSize = (map) => map.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

// The place of the largest number.
const peakOf = (map) => map.indexOf(Math.max(...map));

// The ranks of numbers from 0, where equal ones share the mean of their places.
const ranksOf = (values) => {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  for (let begin = 0, end; begin < order.length; begin = end) {
    for (end = begin + 1; end < order.length && values[order[end]] === values[order[begin]];) ++end;
    for (let i = begin; i < end; ++i) ranks[order[i]] = (begin + end - 1) / 2;
  }
  return ranks;
};

// Spearman's rank correlation; NaN where all numbers of a list are equal.
const rankCorrelation = (a, b) => {
  const x = ranksOf(a), y = ranksOf(b), middle = (x.length - 1) / 2;
  let both = 0, own = 0, other = 0;
  x.forEach((rank, i) => {
    both += (rank - middle) * (y[i] - middle);
    own += (rank - middle) ** 2;
    other += (y[i] - middle) ** 2;
  });
  return own > 0 && other > 0 ? both / Math.sqrt(own * other) : NaN;
};

// "p 0.62 → 0.11", with as many places as show the difference, up to four.
const change = (p, q) => {
  const places = [2, 3, 4].find((count) => p.toFixed(count) !== q.toFixed(count)) ?? 2;
  return `p ${p.toFixed(places)} \u2192 ${q.toFixed(places)}`;
};

// "Without the marked region, dog: p 0.62 → 0.11 · rank correlation of weights and effects 0.35".
// `weights` and `effects` are of the cells that show some of the picture; none: no correlation. `most`
// is the effect of another region on which the word depends more, which has a dotted frame.
const effectLine = (word, p, effect, {weights, effects, most} = {}) => {
  const parts = ['Without the marked region, ', el('b', {}, word),
    `: ${change(p, p * Math.exp(-effect))}`];
  if (most !== undefined)
    parts.push(` \u00b7 without the dotted one, on which it depends most: ${
      change(p, p * Math.exp(-most))}`);
  const rank = weights ? rankCorrelation(weights, effects) : NaN;
  if (!Number.isNaN(rank))
    parts.push(` \u00b7 rank correlation of weights and effects ${shown(rank, 2)}`);
  return parts;
};
