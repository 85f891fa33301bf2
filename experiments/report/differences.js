'use strict';
// How far two captions of one image differ: in their words, and in the maps of the words that both
// have.

// The share of words in which two captions differ: 0 for the same words in any order, 1 for no word in
// common.
const disagreement = (a, b) => {
  const left = [...b];
  let common = 0;
  for (const word of a) {
    const at = left.indexOf(word);
    if (at < 0) continue;
    left.splice(at, 1);
    ++common;
  }
  return a.length + b.length === 0 ? 0 : 1 - 2 * common / (a.length + b.length);
};

// The places [in a, in b] of the words that both captions have: the first "dog" with the first "dog",
// the second with the second.
const sharedWords = (a, b) => {
  const taken = new Set(), pairs = [];
  a.forEach((word, i) => {
    const at = b.findIndex((other, j) => other === word && !taken.has(j));
    if (at < 0) return;
    taken.add(at);
    pairs.push([i, at]);
  });
  return pairs;
};

// A map as shares of its weight, cell by cell, with 0 for padding; null without weight.
const sharesOf = (maps, weights) => {
  const [left, top, right, bottom] = maps.cells;
  const shares = weights.map((weight, i) => {
    const row = Math.floor(i / maps.cols), column = i % maps.cols;
    return row >= top && row < bottom && column >= left && column < right ? Math.abs(weight) : 0;
  });
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum < 1e-6 ? null : shares.map((share) => share / sum);
};

// The total variation distance of two maps of one photo: half the sum of the differences of their
// shares, which is the share of the weight that would have to be moved to make one of the other. 0: the
// same map, 1: no place in common. A map is taken as even within each of its cells, and `seen` says
// where its grid lies on the photo, so that grids of any two sizes can be compared exactly: both are cut
// at the edges of the cells of both. NaN where a map has no weight.
const mapDistance = (a, b) => {
  if (!a.shares || !b.shares) return NaN;
  const cuts = (axis) => {
    const of = ({seen, rows, cols}) => {
      const count = axis === 0 ? cols : rows;
      return [...Array(count + 1).keys()].map((i) => seen[axis] + seen[axis + 2] * i / count);
    };
    const all = [...of(a), ...of(b)].sort((x, y) => x - y);
    return all.filter((at, i) => i === 0 || at - all[i - 1] > 1e-9);
  };
  // For each interval between cuts: the cell in which it lies (-1: none) and its share of that cell.
  const parts = ({seen, rows, cols}, edges, axis) => {
    const count = axis === 0 ? cols : rows;
    return edges.slice(1).map((end, i) => {
      const at = ((edges[i] + end) / 2 - seen[axis]) / seen[axis + 2] * count;
      return {cell: at >= 0 && at < count ? Math.floor(at) : -1,
        share: (end - edges[i]) / seen[axis + 2] * count};
    });
  };
  const across = cuts(0), down = cuts(1);
  const columns = [a, b].map((map) => parts(map, across, 0));
  const rows = [a, b].map((map) => parts(map, down, 1));
  const mass = (map, m, y, x) => {
    const row = rows[m][y], column = columns[m][x];
    return row.cell < 0 || column.cell < 0 ? 0
      : map.shares[row.cell * map.cols + column.cell] * row.share * column.share;
  };
  let sum = 0;
  for (let y = 0; y + 1 < down.length; ++y)
    for (let x = 0; x + 1 < across.length; ++x)
      sum += Math.abs(mass(a, 0, y, x) - mass(b, 1, y, x));
  return Math.min(sum / 2, 1);
};

// The shares of boxes on a fine grid over the photo: each box has its share spread evenly over it.
const RASTER = 32;
const rastered = (maps, weights) => {
  const shares = sharesOf(maps, weights);
  const out = {rows: RASTER, cols: RASTER, seen: [0, 0, 1, 1], shares: null};
  if (!shares) return out;
  out.shares = new Float32Array(RASTER * RASTER);
  maps.boxes.forEach(([x, y, width, height], region) => {
    const inside = (i, from, length) => {
      const at = (i + 0.5) / RASTER;
      return at >= from && at < from + length;
    };
    const covered = [...out.shares.keys()].filter((cell) =>
      inside(cell % RASTER, x, width) && inside(Math.floor(cell / RASTER), y, height));
    if (!covered.length) covered.push(Math.min(Math.floor((y + height / 2) * RASTER), RASTER - 1) *
      RASTER + Math.min(Math.floor((x + width / 2) * RASTER), RASTER - 1));
    for (const cell of covered) out.shares[cell] += shares[region] / covered.length;
  });
  return out;
};

const distances = new WeakMap();  // of captions, as the JSON has them: they are asked for at every sort

// The mean distance of the maps of the words that two captions have in common; NaN where there is no
// such word. The maps are those that the report's scores are about.
const mapDisagreement = (a, b) => {
  if (!distances.has(a.json)) distances.set(a.json, new Map());
  const known = distances.get(a.json);
  if (!known.has(b.json)) {
    const [one, other] = [a, b].map((caption) => {
      const maps = new Maps(caption), {rows, cols} = maps;
      return maps.defaults.map(({map}) => (maps.boxes ? rastered(maps, map)
        : {rows, cols, seen: caption.seen, shares: sharesOf(maps, map)}));
    });
    const values = sharedWords(a.words, b.words).map(([i, j]) => mapDistance(one[i], other[j]))
      .filter((value) => !Number.isNaN(value));
    known.set(b.json, values.length ? mean(values) : NaN);
  }
  return known.get(b.json);
};

// The largest value of distance(a, b) over all pairs; NaN without one.
const largestOfPairs = (captions, distance) => {
  const values = captions.flatMap((a, i) => captions.slice(i + 1).map((b) => distance(a, b)))
    .filter((value) => !Number.isNaN(value));
  return values.length ? Math.max(...values) : NaN;
};
