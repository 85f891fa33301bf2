'use strict';
// What the regions of a picture attend to among each other, in the encoder and its refinement, and
// what the words of a caption attend to in a decoder of transformers, as far as the page has it
// (experiments/report/self_attention.h).

// What can be drawn in place of the weights of words.
const SELF_VIEWS = {
  given: 'what a region attends to',
  taken: 'which regions attend to it',
  token: 'what the class token attends to',
  rolled: 'the word\u2019s map, rolled out',
  read: 'which words a word attends to',
};

// A row of weights [L], and how much goes to tokens that have no place on the picture.
class SelfMaps {
  constructor(json, regions) {
    this.regions = regions;
    this.classToken = json.class_token;
    this.maps = new Map(json.regions.map((map) => [SelfMaps.nameOf(map), SelfMaps.unpack(map)]));
    this.words = new Map(json.words.map((map) => [SelfMaps.nameOf(map), SelfMaps.unpack(map)]));
  }

  // "encoder, layer 0, head 1", "rollout"
  static nameOf({of, layer, head}) {
    return [of, layer === null ? null : `layer ${layer}`, head === null ? null : `head ${head}`]
      .filter((part) => part !== null && part !== undefined).join(', ');
  }

  static unpack({rows, cols, low, high, weights}) {
    const bytes = bytesOf(weights), rowOf = [];
    for (let r = 0; r < rows; ++r)
      rowOf.push(Float32Array.from(bytes.subarray(r * cols, (r + 1) * cols),
        (byte) => low[r] + (high[r] - low[r]) * byte / 255));
    return rowOf;
  }

  // The map of this name, or the first where the model lacks it.
  static pick(maps, name) {
    const found = maps.has(name) ? name : maps.keys().next().value;
    return {name: found, rows: maps.get(found)};
  }

  has(view) {
    if (view === 'read') return this.words.size > 0;
    if (view === 'rolled') return this.maps.has('rollout');
    return view === 'token' ? this.classToken && this.maps.size > 0 : this.maps.size > 0;
  }

  // The map of a word, carried back through the encoder's attention to what it gets of the picture.
  rolled(weights) {
    const rows = this.maps.get('rollout'), first = rows.length - this.regions;
    const sum = new Float32Array(rows[0].length);
    weights.forEach((weight, cell) => rows[first + cell].forEach((share, i) => {
      sum[i] += weight * share;
    }));
    return {name: 'rollout', ...this.split(sum)};
  }

  // What a region gives to all regions in the map of this name, and to tokens without a place.
  given(name, cell) {
    const {name: found, rows} = SelfMaps.pick(this.maps, name);
    return {name: found, ...this.split(rows[rows.length - this.regions + cell])};
  }

  split(row) {
    const placeless = row.length - this.regions;
    return {weights: row.subarray(placeless),
      elsewhere: placeless ? row.subarray(0, placeless).reduce((sum, weight) => sum + weight, 0)
        : null};
  }

  // What all regions give to one.
  taken(name, cell) {
    const {name: found, rows} = SelfMaps.pick(this.maps, name);
    const own = rows.slice(rows.length - this.regions);
    return {name: found, elsewhere: null,
      weights: Float32Array.from(own, (row) => row[row.length - this.regions + cell])};
  }

  // What the class token gives; in a map without it, of the first that has it.
  token(name) {
    const has = (rows) => rows.length > this.regions;
    const found = this.maps.has(name) && has(this.maps.get(name)) ? name
      : [...this.maps.keys()].find((key) => has(this.maps.get(key)));
    return {name: found, ...this.split(this.maps.get(found)[0])};
  }

  // What word number `word` gives to <bos> and to the words before it.
  read(name, word) {
    const {name: found, rows} = SelfMaps.pick(this.words, name);
    return {name: found, weights: rows[word].subarray(0, word + 1)};
  }
}

// The maps of a model's picture; null where the page has none.
const selfMapsOf = (model, maps) => (model.self_attention && maps
  ? new SelfMaps(model.self_attention, maps.regions) : null);

// The names of all maps of regions or of words that the page has, in order.
const selfNames = (report, part) => [...new Set(report.images.flatMap((image) =>
  image.models.flatMap((model) => (model.self_attention?.[part] || []).map(SelfMaps.nameOf))))];

// The views among SELF_VIEWS that a model of the page has.
const selfViews = (report) => {
  const all = report.images.flatMap((image) => image.models.map((model) => model.self_attention))
    .filter(Boolean);
  const has = {
    read: (self) => self.words.length > 0,
    token: (self) => self.class_token && self.regions.length > 0,
    rolled: (self) => self.regions.some(({of}) => of === 'rollout'),
  };
  return Object.keys(SELF_VIEWS).filter((view) => all.some(has[view] ||
    ((self) => self.regions.length > 0)));
};

// What describes the row of a map: "encoder, layer 0, head 1: the region in row 1, column 2 gives
// most to row 0, column 2: 0.31; 0.05 to itself; 0.10 to tokens without a place". `subject` is who
// attends, if it is no region.
const selfLine = (view, {name, weights, elsewhere}, cell, subject, maps) => {
  const peak = peakOf(weights), most = `${placeName(peak, maps)}: ${shown(weights[peak])}`;
  const who = subject || regionName(cell, maps);
  const parts = [`${name}: ${who} ${view === 'taken' ? 'gets most from' : 'gives most to'} ${most}`];
  if (cell >= 0) parts.push(`${shown(weights[cell])} to itself`);
  if (elsewhere !== null) parts.push(`${shown(elsewhere)} to tokens without a place`);
  return parts.join('; ');
};
