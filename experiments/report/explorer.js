'use strict';
// The attention explorer: the cards of images, the controls of what all cards show, and the keys.

class Explorer {
  // With `live`, images are added by add() and shown newest first, and there are no controls to find
  // images.
  constructor(report, root, {live = false} = {}) {
    this.report = report;
    this.root = root;
    this.live = live;
    this.view = {regime: '', layer: 'last', head: 'mean', drawn: 'weights', scale: 'caption',
      fixed: 0.2, style: 'smooth', boxes: Boolean(report.boxes), hidden: new Set()};
    this.seeds = [...new Set(report.models.map((model) => model.seed))]
      .filter((seed) => seed !== undefined);
    this.hideSeeds(this.seeds.length ? String(this.seeds[0]) : '');
    this.regimes = [...new Set(report.models.flatMap((model) => model.regimes))];
    this.finder = new Finder(report, this.view);
    if (live) this.finder.filter.order = 'newest';
    this.cards = [];
    this.order = [];
    this.current = -1;
    this.found = root.querySelector('#found');
    this.list = root.querySelector('#cards');
    this.watch = new IntersectionObserver((entries) => entries.forEach((entry) => {
      if (!entry.isIntersecting) return;
      this.watch.unobserve(entry.target);
      this.cards[Number(entry.target.dataset.number)].build();
    }), {rootMargin: '600px 0px'});
    report.images.forEach((image) => this.makeCard(image));
    root.querySelector('#controls').append(this.viewControls(),
      ...(live || (!report.dataset && report.images.length < 2) ? [] : [this.findControls()]));
    root.addEventListener('keydown', (event) => this.onWordKey(event));
    document.addEventListener('keydown', (event) => this.onKey(event));
    this.filter();
  }

  makeCard(image) {
    const card = new Card(this, image, this.cards.length);
    card.node.dataset.number = card.number;
    this.cards.push(card);
    this.watch.observe(card.node);
    return card;
  }

  add(image) {
    this.report.images.push(image);
    const card = this.makeCard(image);
    this.filter();
    this.setCurrent(card.number);
    return card;
  }

  remove(card) {
    card.image.removed = true;
    this.filter();
  }

  most(key) { return Math.max(1, ...this.report.models.map((model) => model[key])); }

  viewControls() {
    const {report, view} = this;
    const set = (key, reload) => (value) => {
      view[key] = value;
      this.fixedField.hidden = view.scale !== 'fixed';
      this.hideSelf();
      this.update(reload);
    };
    const numbers = (count) => [...Array(count).keys()].map((i) => [String(i), String(i)]);
    this.boxes = {};
    const keep = (name, label) => {
      this.boxes[name] = label.querySelector('select, input');
      return label;
    };
    const parts = [];
    if (this.seeds.length > 1)
      parts.push(keep('seed', selectBox('Seed', [...this.seeds.map((seed) => [String(seed),
        String(seed)]), ['', 'all']], String(this.seeds[0]), (seed) => this.chooseSeed(seed))));
    if (this.regimes.length > 1)
      parts.push(keep('regime', selectBox('Regime', [['', 'each model\u2019s own'],
        ...this.regimes.map((name) => [name, name])], '', set('regime', true))));
    if (this.most('layers') > 1)
      parts.push(keep('layer', selectBox('Layer', [['last', 'last'], ...numbers(this.most('layers')),
        ['mean', 'mean']], 'last', set('layer'))));
    if (this.most('heads') > 1)
      parts.push(keep('head', selectBox('Head', [['mean', 'mean'], ...numbers(this.most('heads')),
        ['max', 'max']], 'mean', set('head'))));
    const drawn = [['weights', 'weights'],
      ...(report.occlusion ? [['effects', 'effects of removing a region']] : []),
      ...(report.self_attention ? selfViews(report).map((key) => [key, SELF_VIEWS[key]]) : [])];
    if (drawn.length > 1) parts.push(keep('drawn', selectBox('Drawn', drawn, view.drawn, set('drawn'))));
    for (const part of report.self_attention ? ['regions', 'words'] : []) {
      const names = selfNames(report, part);
      if (!names.length) continue;
      view[part] = names[0];
      parts.push(keep(part, selectBox(`Among ${part}`, names.map((name) => [name, name]), names[0],
        set(part))));
    }
    parts.push(keep('scale', selectBox('Full heat is', [
      ['word', 'the word\u2019s largest weight'], ['caption', 'the caption\u2019s largest'],
      ['image', 'the largest of all models'], ['fixed', 'a fixed weight']], view.scale,
    set('scale'))));
    this.fixedField = numberBox('Weight', view.fixed, {min: 0.01, max: 1, step: 0.01},
      (value) => { if (value > 0) set('fixed')(value); });
    this.fixedField.hidden = true;
    parts.push(this.fixedField, keep('style', selectBox('Map', [['smooth', 'smooth'],
      ['cells', 'cells']], view.style, set('style'))));
    this.hideSelf();
    if (report.boxes)
      parts.push(keep('boxes', checkBox('Boxes', view.boxes, set('boxes'))));
    return el('fieldset', {class: 'controls'}, el('legend', {}, 'View'),
      ...(report.models.length > 1 ? [this.modelChips()] : []),
      el('div', {class: 'fields'}, ...parts), this.legend());
  }

  // Hides the choice of a map among regions or words where it is not drawn.
  hideSelf() {
    const {drawn} = this.view, hide = (part, is) => {
      if (this.boxes[part]) this.boxes[part].closest('.field').hidden = is;
    };
    hide('regions', !SELF_VIEWS[drawn] || drawn === 'read' || drawn === 'rolled');
    hide('words', drawn !== 'read');
  }

  modelChips() {
    this.chips = this.report.models.map((model, m) => el('button', {type: 'button', class: 'chip',
      'aria-pressed': String(!this.view.hidden.has(m)), onclick: () => this.toggleModel(m)},
    swatch(m), model.name, deadBadge(model)));
    return el('div', {class: 'chips', role: 'group', 'aria-label': 'Models that are shown'},
      ...this.chips);
  }

  legend() {
    const kinds = [['p', 'probability', true],
      ['gate', 'gate', this.report.models.some((model) => model.gate)],
      ['entropy', 'entropy', this.report.models.some((model) => model.attention)]];
    const stops = [0, 51, 102, 153, 204, 255].map((i) =>
      `rgb(${[...this.report.colours.slice(3 * i, 3 * i + 3)].join(' ')})`);
    return el('p', {class: 'legend muted'}, 'Under a word: ',
      ...kinds.filter(([, , has]) => has).map(([kind, text]) => el('span', {class: 'key'},
        el('span', {class: `bar ${kind}`, 'aria-hidden': 'true'}, el('span', {style: 'width:100%'})),
        text)),
      el('span', {class: 'key'}, 'weight 0 ', el('span', {class: 'ramp', 'aria-hidden': 'true',
        style: `background:linear-gradient(90deg, ${stops.join(', ')})`}), ' full heat'),
      this.report.occlusion ? 'Effects of removing a region: the warmer, the less probable the word ' +
        'is without it; blue, where it is more probable' : null);
  }

  findControls() {
    return el('fieldset', {class: 'controls'}, el('legend', {}, 'Find and sort'),
      el('div', {class: 'fields'}, ...this.finder.controls(() => this.filter())));
  }

  // Hides the models of other seeds; '' hides none.
  hideSeeds(chosen) {
    this.report.models.forEach(({seed}, m) => {
      if (seed === undefined) return;
      if (chosen === '' || String(seed) === chosen) this.view.hidden.delete(m);
      else this.view.hidden.add(m);
    });
  }

  chooseSeed(chosen) {
    this.hideSeeds(chosen);
    this.pressChips();
    this.update(true);
  }

  pressChips() {
    this.chips?.forEach((chip, m) =>
      chip.setAttribute('aria-pressed', String(!this.view.hidden.has(m))));
  }

  toggleModel(m) {
    const {hidden} = this.view;
    if (hidden.has(m)) hidden.delete(m);
    else if (hidden.size + 1 < this.report.models.length) hidden.add(m);
    this.pressChips();
    this.update(true);
  }

  // With `reload`, other captions or other models are shown; else the same captions are drawn anew.
  update(reload) {
    this.cards.forEach((card) => (reload ? card.reload() : card.refresh()));
    if (reload) this.filter();
  }

  filter() {
    this.order = this.finder.found();
    this.list.replaceChildren(...this.order.map((i) => this.cards[i].node));
    const all = this.report.images.filter((image) => !image.removed).length;
    const images = all === 1 ? 'image' : 'images';
    this.found.textContent = this.order.length === all ? `${all} ${images}`
      : `${this.order.length} of ${all} ${images}`;
    this.cards.forEach((card) => {
      if (card.built) card.summary.textContent = this.summaryOf(card.image);
    });
  }

  summaryOf(image) {
    const parts = this.live ? [`${image.width} \u00d7 ${image.height} pixels`,
      `${shown(image.seconds, 2)} s`] : [];
    if (this.report.models.length < 2) return parts.join(' \u00b7 ');
    const {a, b, number} = this.finder.filter, {models} = this.report;
    const difference = this.finder.difference(image);
    if (a !== b && !Number.isNaN(difference))
      parts.push(`${CAPTION_NUMBERS[number][0]}: ${models[a].name} minus ${models[b].name} is ` +
        `${difference < 0 ? '\u2212' : '+'}${shown(Math.abs(difference), 2)}`);
    parts.push(`share of different words: ${shown(this.finder.disagreement(image), 2)}`);
    return parts.join(' \u00b7 ');
  }

  setCurrent(number) {
    if (this.current === number) return;
    this.cards[this.current]?.node.classList.remove('current');
    this.current = number;
    this.cards[number]?.node.classList.add('current');
  }

  // Goes to the next image (by = 1) or to the previous one (by = -1).
  step(by) {
    if (!this.order.length) return;
    const at = this.order.indexOf(this.current);
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), this.order.length - 1);
    const card = this.cards[this.order[next]];
    card.build();
    this.setCurrent(card.number);
    card.node.scrollIntoView({block: 'start'});
    card.move(0, 0);
  }

  // Handles the arrow keys where a word has the focus.
  onWordKey(event) {
    if (!event.target.classList?.contains('word') || event.altKey || event.ctrlKey || event.metaKey)
      return;
    const card = this.cards[Number(event.target.closest('.card').dataset.number)];
    const move = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1]}[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    card.move(...move);
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.('input, select, textarea, dialog')) return;
    const cycle = (name) => () => {
      const box = this.boxes[name];
      if (!box) return;
      if (box.type === 'checkbox') box.checked = !box.checked;
      else box.selectedIndex = (box.selectedIndex + 1) % box.options.length;
      box.dispatchEvent(new Event('change'));
    };
    const arrow = (by) => () => {
      if (document.activeElement === document.body && this.current >= 0)
        this.cards[this.current].move(by, 0);
    };
    const keys = {
      j: () => this.step(1), k: () => this.step(-1),
      r: cycle('regime'), l: cycle('layer'), h: cycle('head'), s: cycle('scale'),
      e: cycle('drawn'),
      c: cycle('style'), b: cycle('boxes'),
      '/': () => this.finder.search?.focus(),
      ArrowLeft: arrow(-1), ArrowRight: arrow(1),
      Escape: () => this.cards[this.current]?.built && this.cards[this.current].release(),
    };
    const digit = Number(event.key);
    if (digit >= 1 && digit <= this.report.models.length && this.chips) {
      this.toggleModel(digit - 1);
      event.preventDefault();
    } else if (keys[event.key]) {
      keys[event.key]();
      if (event.key === '/') event.preventDefault();
    }
  }
}
