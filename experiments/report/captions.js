'use strict';
// The captions of models: their maps as numbers, links between the words of two captions, and the
// numbers of a caption.

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// A caption of the JSON (experiments/README.md, "A caption in JSON") with a list for each number of its
// words. What is null for all words is undefined.
const readCaption = (json) => {
  const column = (key) => (json.words.some((word) => typeof word[key] === 'number')
    ? json.words.map((word) => word[key] ?? null) : undefined);
  const {seen, original: [height, width]} = json.geometry;
  return {
    ...json,
    json,
    words: json.words.map((word) => word.text),
    p: json.words.map((word) => Math.exp(word.logprob)),
    gate: column('gate'),
    sentinel: column('sentinel'),
    elsewhere: column('elsewhere'),
    entropy: json.words.map((word) => word.entropy ?? null),
    effects: effectsOf(json),
    // The part of the photo that the grid covers, in shares of the photo.
    seen: [seen.x / width, seen.y / height, seen.width / width, seen.height / height],
    others: (json.alternatives || []).map((other) => [other.caption, other.logprob]),
  };
};

// A model's caption of an image in the chosen regime, or in the model's own where it lacks that one.
const captionOf = (image, model, m, regime) => {
  const regimes = image.models[m].regimes;
  const caption = readCaption(regimes[regime] || regimes[model.regimes[0]]);
  return model.attention ? caption : {...caption, entropy: undefined};
};

// The maps of one caption: those of its words and, where the page has them, those of all layers and
// heads.
class Maps {
  constructor({json}) {
    const {grid: {rows, cols, cells, boxes = null, times = null}, packed: {low, high}, words, maps: views = []} = json;
    const unpack = (text) => Float32Array.from(bytesOf(text),
      (byte) => low + (high - low) / 255 * byte);
    this.rows = rows;
    this.cols = cols;
    this.cells = cells;
    this.boxes = boxes;  // of regions that are no cells, in shares of the photo
    this.times = times;  // of frames, in seconds, perhaps unknown; null where regions are no frames
    this.words = words.length;
    this.layers = Math.max(0, ...views.map((view) => view.layer)) + 1;
    this.heads = Math.max(0, ...views.map((view) => view.head)) + 1;
    this.defaults = words.map(({attention, sampled, entropy, uniform, gate}) =>
      ({map: unpack(attention), sampled, entropy, uniform, gate}));
    this.single = [...Array(this.layers)].map(() => []);  // [layer][head][word]
    for (const view of views)
      this.single[view.layer][view.head] = view.attention.map((text, word) =>
        ({map: unpack(text), sampled: view.sampled?.[word], entropy: view.entropy?.[word],
          uniform: view.uniform?.[word], gate: view.gate?.[word]}));
  }

  get regions() { return this.rows * this.cols; }

  // How many cells show some of the picture.
  get shownCells() {
    const [left, top, right, bottom] = this.cells;
    return (right - left) * (bottom - top);
  }

  fused(maps, how) {
    if (maps.length === 1) return maps[0];
    const out = new Float32Array(this.regions);
    for (let i = 0; i < out.length; ++i) {
      out[i] = how === 'max' ? -Infinity : 0;
      for (const map of maps)
        out[i] = how === 'max' ? Math.max(out[i], map[i]) : out[i] + map[i] / maps.length;
    }
    return out;
  }

  // layer: 'last', 'mean' or a number; head: 'mean', 'max' or a number. A number that a model lacks
  // stands for its last layer or for the mean of its heads. Heads are fused before layers.
  of(word, layer, head) {
    const recorded = this.recorded(word, layer, head);
    if (recorded) return recorded.map;
    const {layers, heads} = this.parts(layer, head);
    return this.fused(layers.map((l) =>
      this.fused(heads.map((h) => this.single[l][h][word].map), head)), 'mean');
  }

  // The numbers of the layers and heads that a choice stands for.
  parts(layer, head) {
    const every = (count) => [...Array(count).keys()];
    const has = (choice, count) => Number(choice) < count;
    const last = this.layers - 1;
    return {
      layers: layer === 'mean' ? every(this.layers) : [has(layer, last) ? Number(layer) : last],
      heads: has(head, this.heads) ? [Number(head)] : every(this.heads),
    };
  }

  // What the JSON has of a word's map; null for a map that only this page makes, by fusing others.
  recorded(word, layer, head) {
    if (this.isDefault(layer, head)) return this.defaults[word];
    const {layers, heads} = this.parts(layer, head);
    return layers.length === 1 && heads.length === 1 ? this.single[layers[0]][heads[0]][word] : null;
  }

  // The entropy of a word's map, and whether it is uniform, as the program wrote them. They are
  // computed here, by the same formula, for a map that only this page makes and for a JSON that lacks
  // them; a byte per weight rounds small weights, so that these may be off a little.
  spread(word, layer, head) {
    const recorded = this.recorded(word, layer, head);
    if (typeof recorded?.uniform === 'boolean')
      return {entropy: recorded.entropy ?? null, uniform: recorded.uniform};
    const entropy = recorded?.entropy ?? mapEntropy(this.shown(this.of(word, layer, head)));
    return {entropy, uniform: entropy > UNIFORM_ENTROPY};
  }

  // The cell that hard attention took for a word in a layer; -1 for the expectation and for the mean
  // of the layers.
  chosen(word, layer) {
    if (layer === 'mean' && this.layers > 1) return -1;
    const {sampled} = Number(layer) < this.layers - 1 ? this.single[layer][0][word]
      : this.defaults[word];
    return sampled ? sampled[0] * this.cols + sampled[1] : -1;
  }

  // The weights of the cells that show some of the picture; the others are padding.
  shown(map) {
    const [left, top, right, bottom] = this.cells;
    return map.filter((_, i) => {
      const row = Math.floor(i / this.cols), column = i % this.cols;
      return row >= top && row < bottom && column >= left && column < right;
    });
  }

  // Whether of(word, layer, head) is the map that the report's scores are about: the mean over the
  // heads of the last layer.
  isDefault(layer, head) {
    const last = layer !== 'mean' && !(Number(layer) < this.layers - 1);
    const mean = head !== 'max' && !(Number(head) < this.heads);
    return (this.layers === 1 || last) && (this.heads === 1 || mean);
  }
}

// The formula of core/attention/map.h: -sum p log p / log L of the shares p of `weights`;
// null where they sum to less than 1e-6.
const mapEntropy = (weights) => {
  const sum = weights.reduce((total, weight) => total + Math.abs(weight), 0);
  if (sum < 1e-6) return null;
  let entropy = 0;
  for (const weight of weights) {
    const share = Math.abs(weight) / sum;
    if (share > 0) entropy -= share * Math.log(share);
  }
  return weights.length > 1 ? entropy / Math.log(weights.length) : 0;
};

// The word of another caption that corresponds to word `index` of this one: the nearest with the same
// spelling, else the word in the same place, else none (-1).
const linkedWord = (words, index, others) => {
  let best = -1;
  others.forEach((word, i) => {
    if (word === words[index] && (best < 0 || Math.abs(i - index) < Math.abs(best - index)))
      best = i;
  });
  if (best >= 0) return best;
  return index < others.length ? index : -1;
};

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const numbersIn = (values) => (values || []).filter((value) => typeof value === 'number');

// The numbers by which captions are found and sorted. captionNumber() gives NaN where a caption lacks
// one.
const CAPTION_NUMBERS = {
  ...Object.fromEntries(Object.keys(METRICS).filter((name) => METRICS[name].each_image)
    .map((name) => [name, [metricName(name), (caption) => caption.scores?.[name]]])),
  true: ['true caption (1 or 0)',
    (caption) => (caption.verdict ? Number(caption.verdict === 'true') : NaN)],
  pointing: ['share of nouns whose map is on the object', (caption) => {
    const judged = (caption.nouns || []).filter((noun) => 'hit' in noun);
    return judged.length ? mean(judged.map((noun) => Number(noun.hit))) : NaN;
  }],
  p: ['mean word probability', (caption) => mean(caption.p)],
  gate: ['mean gate', (caption) => mean(numbersIn(caption.gate))],
  entropy: ['mean entropy', (caption) => mean(numbersIn(caption.entropy))],
  words: ['number of words', (caption) => caption.words.length],
};
const captionNumber = (caption, name) => {
  const value = CAPTION_NUMBERS[name][1](caption);
  return typeof value === 'number' ? value : NaN;
};
