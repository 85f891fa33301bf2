'use strict';
// One model's view of one image: the photo with the heat, the caption whose words choose the map, and
// the numbers of the caption.

const UNIFORM_HEAT = 0.25;    // the most heat that a uniform map may show
const SMALLEST_CANVAS = 448;  // pixels of the longest side; smaller pictures are enlarged

const barWidth = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}%`;

class Panel {
  // What the visitor points at is reported to `card`: point(m, word), choose(m, word), place({x, y}).
  constructor(card, m) {
    this.card = card;
    this.m = m;
    this.model = card.report.models[m];
    this.maps = null;
    this.words = [];
    this.build();
  }

  build() {
    const name = this.model.name, {width, height} = this.card.image;
    this.canvas = el('canvas', {class: 'photo', tabindex: this.model.attention ? 0 : -1,
      role: 'img', style: `--ratio:${width / height};--pixels:${width}px`,
      onpointermove: (event) => this.pointerPlace(event),
      onpointerdown: (event) => this.pointerPlace(event),
      onpointerleave: (event) => {
        if (event.pointerType === 'mouse' && !this.selfView()) this.card.place(null);
      },
      onkeydown: (event) => this.moveCell(event),
      onblur: () => { if (!this.selfView()) this.card.place(null); }});
    // The words run in the direction of their script.
    this.caption = el('div', {class: 'caption', role: 'group', dir: 'auto',
      'aria-label': `caption of ${name}`});
    this.bar = new ColourBar(this.card.explorer.ramp);
    this.bar.node.hidden = !this.model.attention;
    this.readout = el('p', {class: 'readout'});
    this.effect = el('p', {class: 'readout effect', hidden: true});
    this.scores = el('p', {class: 'scores'});
    this.regime = el('span', {class: 'muted'});
    this.mapName = el('span', {class: 'muted map-name'});
    this.more = el('div', {class: 'more'});
    this.node = el('section', {class: 'panel', 'aria-label': name, 'data-model': this.m},
      el('h4', {}, swatch(this.m), el('span', {class: 'model-name'}, name), deadBadge(this.model),
        ' ', this.regime, this.mapName),
      this.caption, this.canvas,
      el('div', {class: 'below'}, this.bar.node, this.readout, this.effect, this.scores, this.more));
  }

  // Loads the caption of the chosen regime, and everything that depends on it.
  load() {
    const {image, report, view} = this.card;
    this.decoded = captionOf(image, this.model, this.m, view.regime);
    this.maps = this.model.attention && this.decoded.words.length ? new Maps(this.decoded) : null;
    this.self = selfMapsOf(image.models[this.m], this.maps);
    this.noEffects = image.models[this.m].no_occlusion;
    this.regime.textContent = this.model.attention ? this.decoded.regime : 'no attention';
    const numbers = Object.entries(this.decoded.scores || {})
      .map(([key, score]) => `${metricName(key)} ${score.toFixed(2)}`);
    if (!this.decoded.finished) numbers.push('cut off at the largest length');
    this.scores.replaceChildren(numbers.join(' \u00b7 '));
    if (this.decoded.verdict) {
      const verdict = {true: 'true of the scene', false: 'false of the scene',
        not_parsed: 'not understood'};
      this.scores.append(' ', tip(verdict[this.decoded.verdict], TIPS[this.decoded.verdict],
        {class: `verdict tip ${this.decoded.verdict}`}));
    }
    this.measured = null;
    this.words = this.decoded.words.map((word, i) => this.wordButton(word, i));
    this.caption.replaceChildren(...(this.words.length ? this.words
      : [el('em', {class: 'muted'}, 'empty caption')]));
    this.wordMaps = this.maps ? new WordMaps(this) : null;
    this.selfViews = this.self ? new SelfViews(this) : null;
    this.more.replaceChildren(...[this.wordMaps?.strip, panelTools(this), this.alternatives(),
      this.wordMaps?.matrix, this.selfViews?.node].filter(Boolean));
    return this;
  }

  wordButton(word, i) {
    const bar = (kind, value) => (typeof value === 'number'
      ? el('span', {class: `bar ${kind}`}, el('span', {style: `width:${barWidth(value)}`})) : null);
    return el('button', {type: 'button', class: 'word', tabindex: i === 0 ? 0 : -1,
      'data-index': i, 'aria-pressed': 'false', 'aria-label': `${word}, ${this.numbersOf(i)}`,
      title: this.numbersOf(i),
      onpointerenter: (event) => { if (event.pointerType === 'mouse') this.card.point(this.m, i); },
      onpointerleave: () => this.card.point(null),
      onclick: () => this.card.choose(this.m, i),
      onfocus: () => this.card.choose(this.m, i)},
    el('span', {class: 'text'}, word),
    el('span', {class: 'bars', 'aria-hidden': 'true'}, bar('p', this.decoded.p[i]),
      bar('gate', this.decoded.gate?.[i]),
      bar('entropy', this.maps ? this.measures().entropy[i] : null)));
  }

  // [['p', 0.62], ['entropy', 0.4]]
  numberPairs(i) {
    const {p, gate, sentinel, elsewhere} = this.decoded;
    return [['p', p[i]], ...(gate ? [['gate', gate[i]]] : []),
      ...(sentinel ? [['sentinel', sentinel[i]]] : []),
      ...(elsewhere ? [['elsewhere', elsewhere[i]]] : []),
      ...(this.maps ? [['entropy', this.measures().entropy[i]]] : [])];
  }

  numbersOf(i) {
    return this.numberPairs(i).map(([name, value]) => `${name} ${shown(value, 2)}`).join(', ');
  }

  // For each word's map in the chosen layer and head: the largest weight, the entropy, and whether the
  // map is uniform.
  measures() {
    const {layer, head, drawn, measure} = this.card.view;
    const key = `${layer}/${head}/${drawn}/${measure}`;
    if (this.measured?.key !== key) {
      const maps = this.decoded.words.map((_, i) => this.mapOf(i));
      const shown = maps.map((map) => this.maps.shown(map));
      const spreads = maps.map((_, i) => this.maps.spread(i, layer, head));
      this.measured = {key, largest: shown.map(this.effectsDrawn() ? largestSize
        : (map) => Math.max(...map)),
        entropy: spreads.map(({entropy}) => entropy),
        uniform: spreads.map(({uniform}) => uniform)};
    }
    return this.measured;
  }

  // Updates the numbers and bars of the words after another layer or head was chosen.
  follow() {
    if (!this.maps || this.followed === this.measures()) return;
    this.followed = this.measures();
    this.words.forEach((button, i) => {
      const bar = button.querySelector('.bar.entropy span'), value = this.followed.entropy[i];
      if (bar) bar.style.width = barWidth(value ?? 0);
      button.setAttribute('aria-label', `${this.decoded.words[i]}, ${this.numbersOf(i)}`);
      button.title = this.numbersOf(i);
    });
  }

  // Whether the maps shown are those that hits and scores are about.
  showsDefault() {
    return !this.maps || this.maps.isDefault(this.card.view.layer, this.card.view.head);
  }

  nounAt(i) { return (this.decoded.nouns || []).find((noun) => noun.word === i); }

  readoutOf(i, link) {
    const parts = [el('b', {}, this.decoded.words[i]),
      link === 'place' ? ' \u00b7 word in the same place' : '',
      ' \u00b7 ', ...this.numberPairs(i).flatMap(([name, value], at) =>
        [at ? ', ' : '', tip(name, TIPS[name]), ` ${shown(value, 2)}`])];
    if (this.maps && this.measures().uniform[i])
      parts.push(' \u00b7 ', tip('uniform', TIPS.uniform, {class: 'tip miss'}));
    const noun = this.nounAt(i);
    if (noun && 'hit' in noun && this.showsDefault()) {
      const where = noun.centre ? '\u2713 on its object'
        : noun.hit ? '\u2713 touches its object' : '\u2717 beside its object';
      parts.push(' \u00b7 ', tip(where, TIPS.hit, {class: `tip ${noun.hit ? 'hit' : 'miss'}`}));
    } else if (noun && !('hit' in noun) && noun.boxes.length === 0) {
      parts.push(' \u00b7 ', el('span', {class: 'miss'}, '\u2717 the picture has no such object'));
    }
    return parts;
  }

  alternatives() {
    if (!this.decoded.others?.length) return null;
    const lines = [[this.decoded.words.join(' '), this.decoded.logprob], ...this.decoded.others];
    return el('details', {}, el('summary', {}, `Beam: the best ${lines.length} captions`),
      el('ol', {class: 'beam'}, ...lines.map(([text, logprob]) => el('li', {dir: 'auto'}, text, ' ',
        el('span', {class: 'muted number'}, `log p ${shown(logprob, 2)}`)))));
  }

  weightsOf(word) { return this.maps.of(word, this.card.view.layer, this.card.view.head); }

  // The view of SELF_VIEWS that is drawn; null where it is another or the model lacks it.
  selfView() {
    const {drawn} = this.card.view;
    return this.self && SELF_VIEWS[drawn] && this.self.has(drawn) ? drawn : null;
  }

  // Whether the effects of regions are drawn instead of the weights.
  effectsDrawn() { return this.card.view.drawn === 'effects' && this.decoded.effects !== null; }

  // What is drawn for a word: its weights, in the chosen measure, or the effects on it.
  mapOf(word) {
    if (this.effectsDrawn()) return this.decoded.effects[word];
    const factor = this.factorOf(word), weights = this.weightsOf(word);
    return factor === 1 ? weights : weights.map((weight) => weight * factor);
  }

  // By what the measure multiplies the weights of a word: the number of cells (the weight over that of a
  // uniform map), or the gate, as far as the model has one.
  factorOf(word) {
    const {measure, layer, head} = this.card.view;
    if (measure === 'relative') return this.maps.shownCells;
    if (measure !== 'gated' || !this.decoded.gate) return 1;
    return this.maps.recorded(word, layer, head)?.gate ?? this.decoded.gate[word] ?? 1;
  }

  // What a word's map is drawn with, for paintHeat().
  heatOf(word) {
    const {style, cover} = this.card.view;
    return {map: this.mapOf(word), maps: this.maps, seen: this.decoded.seen, style,
      blend: cover === 'blend', full: this.heatFull(word), heat: this.card.report.heat,
      signed: this.effectsDrawn()};
  }

  // What all drawings depend on, besides the scale.
  viewKey() {
    const {layer, head, drawn, measure, style, cover} = this.card.view;
    return [layer, head, drawn, measure, style, cover];
  }

  // The weight that is drawn as full heat; uniform maps and effects of nearly nothing stay faint on
  // every scale.
  heatFull(word) {
    const {largest, uniform} = this.measures();
    if (this.effectsDrawn()) return Math.max(this.scaleOf(word), EFFECT_HEAT);
    return uniform[word] ? Math.max(this.scaleOf(word), largest[word] / UNIFORM_HEAT)
      : this.scaleOf(word);
  }

  scaleOf(word) {
    const {scale, fixed} = this.card.view, {largest} = this.measures();
    if (scale === 'word') return largest[word];
    if (scale === 'fixed') return fixed;
    return scale === 'image' ? this.card.largest() : Math.max(...largest);
  }

  // Shows ", layer 0, head max" or ", effects of regions", where the map that is drawn is not the default one.
  nameMap() {
    const {layer, head, measure} = this.card.view, parts = [], kind = this.selfView();
    if (this.effectsDrawn()) {
      parts.push('effects of regions');
    } else if (kind && kind !== 'read') {
      parts.push(SELF_VIEWS[kind]);
    } else {
      if (this.maps?.layers > 1 && layer !== 'last') parts.push(`layer ${layer}`);
      if (this.maps?.heads > 1 && head !== 'mean') parts.push(`head ${head}`);
      if (this.maps && measure === 'relative') parts.push('over a uniform map');
      if (this.maps && measure === 'gated') parts.push(this.decoded.gate ? 'times the gate' : 'no gate');
    }
    this.mapName.textContent = parts.map((part) => `, ${part}`).join('');
  }

  // Draws the photo with the map of `word` (-1: without a map), or with the cell at `place` marked.
  draw({word, place}) {
    this.nameMap();
    const {image, view} = this.card;
    const photo = this.card.photoPixels(SMALLEST_CANVAS);
    if (!photo) return;
    if (this.canvas.width !== photo.width || this.canvas.height !== photo.height) {
      this.canvas.width = photo.width;
      this.canvas.height = photo.height;
    }
    // Whole pictures are written to the canvas, so it is best kept in memory that scripts can reach.
    const context = this.canvas.getContext('2d', {willReadFrequently: true});
    const cell = place && this.maps
      ? cellAt(place.x, place.y, this.maps, this.decoded.seen) : -1;
    const own = this.regionRow(word, cell);  // in a view of what regions attend to
    const heat = this.maps && ((word >= 0 && !place) || own);
    if (heat) {
      const out = context.createImageData(photo.width, photo.height);
      const heatNow = own ? {...this.heatOf(Math.max(word, 0)), map: own.weights,
        full: Math.max(...own.weights), signed: own.weights.some((weight) => weight < 0)}
        : this.heatOf(word);
      paintHeat(out, photo, heatNow);
      this.bar.show(heatNow.full, own ? 1 / this.maps.shownCells : this.evenOf(word));
      context.putImageData(out, 0, 0);
      if (!own) this.drawChosen(context, word);
    } else {
      context.putImageData(photo, 0, 0);
      this.bar.show(null);
    }
    this.shownWord = heat ? word : -1;
    this.wordMaps?.draw();
    this.wordMaps?.mark(word);
    this.selfViews?.draw();
    if (view.boxes) this.drawBoxes(context, word, image);
    const marked = own ? own.cell : cell;
    if (marked >= 0)
      frame(context, cellBox(marked, this.maps, this.decoded.seen));
    if (!own) this.showEffect(context, heat ? word : -1, cell);
    this.canvas.dataset.word = heat ? word : '';
    if (own) {
      this.effect.hidden = true;
      this.canvas.setAttribute('aria-label', `${image.id}: ${own.text}`);
      this.light(-1);
      this.readout.textContent = own.text;
      return;
    }
    this.canvas.setAttribute('aria-label', heat
      ? `${image.id}: ${this.effectsDrawn() ? 'effects of regions in' : 'attention of'} ` +
        `${this.model.name} for ${this.decoded.words[word]}`
      : `${image.id}${place ? ', one region marked' : ''}`);
    this.light(cell);
    if (this.selfView() === 'read' && word >= 0) this.lightRead(word);
  }

  // The weight of a cell in a uniform map, in the measure that is drawn; none for effects.
  evenOf(word) { return this.effectsDrawn() ? null : this.factorOf(word) / this.maps.shownCells; }

  // What is drawn in a view of what regions attend to: of the region at which the visitor points or,
  // until he does, of the one with the largest weight of the word that is shown.
  regionRow(word, cell) {
    const kind = this.selfView();
    if (!kind || kind === 'read') return null;
    const {regions} = this.card.view;
    if (kind === 'token' || (kind === 'rolled' && cell < 0)) {
      if (kind === 'rolled' && word < 0) return null;
      const row = kind === 'token' ? this.self.token(regions) : this.self.rolled(this.mapOf(word));
      const subject = kind === 'token' ? 'the class token' : this.decoded.words[word];
      return {...row, cell: -1, text: selfLine(kind, row, -1, subject, this.maps)};
    }
    const from = cell >= 0 ? cell : word >= 0 ? peakOf(this.mapOf(word)) : this.regionBefore ?? 0;
    this.regionBefore = from;
    const row = kind === 'taken' ? this.self.taken(regions, from)
      : this.self.given(kind === 'rolled' ? 'rollout' : regions, from);
    return {...row, cell: from, text: selfLine(kind, row, from, '', this.maps)};
  }

  // Lights the words before a word by how much it attends to them.
  lightRead(word) {
    const {name, weights} = this.self.read(this.card.view.words, word), most = Math.max(...weights);
    this.words.forEach((button, i) => {
      const lit = i < word && most > 0 ? Math.max(weights[i + 1], 0) / most : 0;
      button.style.setProperty('--lit', lit.toFixed(3));
      button.classList.toggle('lit', lit > 0.5);
    });
    const read = this.decoded.words.slice(0, word)
      .map((text, i) => `${text} ${shown(weights[i + 1], 2)}`);
    this.readout.replaceChildren(el('b', {}, this.decoded.words[word]), ` \u00b7 ${name} attends to ` +
      [`the start ${shown(weights[0], 2)}`, ...read].join(', '));
  }

  // Says what p of a word is without one region: without that of the largest weight or effect of the
  // word that is shown, which is marked, or without the cell at which the visitor points, for the word
  // on which it has the largest effect.
  showEffect(context, word, cell) {
    const {effects, p, words} = this.decoded;
    this.effect.hidden = !this.maps || (!effects && !this.noEffects);
    if (!effects && this.noEffects) {
      this.effect.textContent = `Without effects of regions: ${this.noEffects}`;
      return;
    }
    if (this.effect.hidden || (word < 0 && cell < 0)) {
      this.effect.textContent = '\u00a0';
      return;
    }
    if (cell >= 0) {
      const sizes = effects.map((map) => Math.abs(map[cell])), most = peakOf(sizes);
      this.effect.replaceChildren(...effectLine(words[most], p[most], effects[most][cell]));
      return;
    }
    const map = this.mapOf(word), cells = this.maps.shown(map.map((_, i) => i));
    const peak = cells[peakOf(this.maps.shown(map))];
    if (peak !== this.maps.chosen(word, this.card.view.layer))
      frame(context, cellBox(peak, this.maps, this.decoded.seen), {dash: [4, 3]});
    const ownEffects = this.maps.shown(effects[word]), best = cells[peakOf(ownEffects)];
    const depends = best !== peak && effects[word][best] > effects[word][peak];
    if (depends)
      frame(context, cellBox(best, this.maps, this.decoded.seen), {dash: [1, 2]});
    this.effect.replaceChildren(...effectLine(words[word], p[word], effects[word][peak], {
      weights: this.maps.shown(this.weightsOf(word)), effects: ownEffects,
      most: depends ? effects[word][best] : undefined}));
  }

  // Outlines what hard attention took; of boxes, which overlap, otherwise the heaviest.
  drawChosen(context, word) {
    let at = this.maps.chosen(word, this.card.view.layer);
    if (at < 0 && this.maps.boxes?.length) {
      const map = this.maps.shown(this.mapOf(word));
      at = Math.max(...map) > 0 ? peakOf(map) : -1;
    }
    if (at >= 0) frame(context, cellBox(at, this.maps, this.decoded.seen));
  }

  drawBoxes(context, word, image) {
    for (const thing of image.objects || [])
      frame(context, thing.box, {line: 1, dash: [4, 3]});
    const noun = word >= 0 ? this.nounAt(word) : null;
    for (const box of noun?.boxes || [])
      frame(context, box, {line: 2,
        light: !this.showsDefault() ? '#fff' : noun.hit === false ? '#ff9d92' : '#8ff0b0'});
  }

  // Lights each word up by its weight on a cell; the word with the largest weight is fully lit.
  light(cell) {
    const weights = cell < 0 ? [] : this.decoded.words.map((_, i) => this.mapOf(i)[cell]);
    const most = Math.max(...weights, 0);
    this.words.forEach((button, i) => {
      const lit = cell >= 0 && most > 0 ? Math.max(weights[i], 0) / most : 0;
      button.style.setProperty('--lit', lit.toFixed(3));
      button.classList.toggle('lit', lit > 0.5);
    });
    if (cell >= 0) {
      const fed = peakOf(weights);
      const place = placeName(cell, this.maps);
      const name = this.maps.boxes ? place : `the cell in ${place}`;
      this.readout.replaceChildren(`${name[0].toUpperCase()}${name.slice(1)} has its largest ` +
        `${this.effectsDrawn() ? 'effect on' : 'weight for'} `,
      el('b', {}, this.decoded.words[fed]), `: ${shown(weights[fed])}`);
    }
  }

  // Marks the word that is shown. link: 'own' where the word is pointed at or chosen in this panel;
  // 'word' where it is the same word as in another panel, 'place' where it only has the same place.
  mark(word, link) {
    this.follow();
    this.words.forEach((button, i) => {
      button.classList.toggle('on', i === word);
      button.classList.toggle('linked', i === word && link !== 'own');
      button.classList.toggle('placed', i === word && link === 'place');
      button.setAttribute('aria-pressed', String(i === word));
      if (i === word && link === 'place')
        button.setAttribute('aria-description', 'word in the same place');
      else button.removeAttribute('aria-description');
      button.tabIndex = i === Math.max(word, 0) ? 0 : -1;
    });
    this.readout.replaceChildren(...(word >= 0 ? this.readoutOf(word, link)
      : [el('span', {class: 'muted'}, this.card.released ? '\u00a0' : 'no word in the same place')]));
  }

  pointerPlace(event) {
    if (!this.maps) return;
    const box = this.canvas.getBoundingClientRect();
    this.card.place({x: (event.clientX - box.left) / box.width,
      y: (event.clientY - box.top) / box.height});
  }

  moveCell(event) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1]}[event.key];
    if (!step || !this.maps) return;
    event.preventDefault();
    event.stopPropagation();
    const {cols, cells: [left, top, right, bottom]} = this.maps, seen = this.decoded.seen;
    const now = this.card.placed
      ? cellAt(this.card.placed.x, this.card.placed.y, this.maps, seen) : -1;
    const clamp = (value, first, end) => Math.min(Math.max(value, first), end - 1);
    const column = now < 0 ? Math.floor((left + right) / 2)
      : clamp(now % cols + step[0], left, right);
    const row = now < 0 ? Math.floor((top + bottom) / 2)
      : clamp(Math.floor(now / cols) + step[1], top, bottom);
    this.card.place(this.centreOf(row * cols + column));
  }

  // The centre of a cell, in shares of the photo.
  centreOf(cell) {
    const [x, y, w, h] = cellBox(cell, this.maps, this.decoded.seen);
    return {x: x + w / 2, y: y + h / 2};
  }
}
