'use strict';
// How words are searched: the controls of the live page, and the captions that follow them. The page
// keeps its pictures and sends them again, so that the server need not keep any.

const PAUSE = 0.3;  // seconds without a change after which captions are renewed
const SEARCHES = {beam: 'beam search', greedy: 'the most probable word at every step',
  sample: 'words sampled at random'};

// "beam of 3", "sample, temperature 0.7"
const searchText = ({mode, beam, temperature}) => (mode === 'beam' ? `beam of ${beam}`
  : mode === 'sample' ? `sample, temperature ${shown(temperature, 2)}` : mode);

const fits = ({value, step, validity}) => value !== '' && !validity.badInput &&
  !validity.rangeUnderflow && !validity.rangeOverflow && (step !== '1' || !validity.stepMismatch);

class SearchControls {
  // changed() is called after a change, when the visitor pauses.
  constructor(report, changed) {
    const {search_limits: limits, models} = report;
    const own = models.map((model) => model.search);
    const texts = new Set(own.map(searchText));
    this.mode = '';
    this.seed = null;  // the models' own
    this.draws = models.some((model) => model.regimes.includes('sample'));
    this.changed = changed;
    this.boxes = {
      beam: this.number('Beam', own.find(({beam}) => beam)?.beam ?? 3, limits.beam, 1),
      temperature: this.number('Temperature', 1, [Math.max(0.1, limits.temperature[0]),
        limits.temperature[1]], 0.1, Math.min(3, limits.temperature[1])),
    };
    // What regions do for words is computed where it is asked for; 0 steps: the server does not.
    this.occlusion = report.occlusion_steps > 0
      ? checkBox('Why this word', false, () => this.change()) : null;
    if (this.occlusion) {
      this.occlusion.title = 'Removes one region after the other and shows how the probability of each ' +
        'word changes. Each photo takes longer.';
      this.occlusion.querySelector('input').name = 'occlusion';
    }
    const select = selectBox('Search', [['', `each model\u2019s own${
      texts.size === 1 ? ` (${[...texts][0]})` : ''}`],
    ...limits.mode.map((mode) => [mode, SEARCHES[mode] ?? mode])], '', (mode) => {
      this.mode = mode;
      this.show();
      this.change();
    });
    this.again = el('button', {type: 'button', id: 'draw-again', onclick: () => {
      this.seed = (this.seed ?? own[0].seed ?? 0) % limits.seed[1] + 1;
      this.change();
    }}, 'Draw again');
    this.node = el('fieldset', {class: 'controls', id: 'search'}, el('legend', {}, 'Captions'),
      el('div', {class: 'fields'}, select, ...Object.values(this.boxes), this.occlusion, this.again));
    this.show();
  }

  // A number with a slider, each of which follows the other. The slider of a wide range goes to `reach`;
  // larger numbers can be typed.
  number(name, value, [least, most], step, reach = most) {
    const slider = el('input', {type: 'range', min: least, max: reach, step, value,
      'aria-label': `${name}, slider`, oninput: () => {
        input.value = slider.value;
        this.change();
      }});
    const field = numberBox(`${name} (${least} to ${most})`, value, {min: least, max: most, step,
      name: name.toLowerCase(), inputmode: step < 1 ? 'decimal' : 'numeric'}, (number) => {
      if (number !== null) slider.value = number;
      this.change();
    });
    const input = field.querySelector('input');
    return el('div', {class: 'slid'}, field, slider);
  }

  // Shows the controls that have an effect.
  show() {
    this.boxes.beam.hidden = this.mode !== 'beam';
    this.boxes.temperature.hidden = this.mode !== 'sample';
    this.again.hidden = this.mode !== 'sample' && !this.draws;
  }

  // A number outside its range is marked and not sent.
  change() {
    const input = this.shown?.querySelector('input');  // the number, which stands before its slider
    const wrong = input && !fits(input);
    if (input) input.setAttribute('aria-invalid', String(wrong));
    clearTimeout(this.timer);
    if (!wrong) this.timer = setTimeout(() => this.changed(), 1000 * PAUSE);
  }

  // Asks for what regions do for words.
  explain() {
    const box = this.occlusion?.querySelector('input');
    if (!box || box.checked) return;
    box.checked = true;
    this.change();
  }

  get shown() { return this.boxes[{beam: 'beam', sample: 'temperature'}[this.mode]]; }

  // The parameters of the request: "" or "?mode=beam&beam=5".
  get query() {
    const input = this.shown?.querySelector('input');
    const parts = this.mode ? [`mode=${this.mode}`] : [];
    if (input && fits(input)) parts.push(`${input.name}=${Number(input.value)}`);
    if (this.seed !== null && !this.again.hidden) parts.push(`seed=${this.seed}`);
    if (this.occlusion?.querySelector('input').checked) parts.push('occlusion=true');
    return parts.length ? `?${parts.join('&')}` : '';
  }
}

// Captions the pictures of the page again until all show the search that is chosen: one at a time, the
// newest first.
class Renewal {
  constructor(explorer, controls, uploads, news) {
    this.explorer = explorer;
    this.controls = controls;
    this.uploads = uploads;
    this.news = news;
    this.running = false;
  }

  // To be called when the search has changed: what is being captioned is out of date.
  restart() {
    this.abort?.abort();
    this.run();
  }

  next() {
    const {query} = this.controls;
    return this.explorer.cards.findLast(({image}) =>
      !image.removed && image.query !== query && image.failed !== query);
  }

  async run() {
    if (this.running) return;
    this.running = true;
    let count = 0;
    for (let card; (card = this.next());) count += await this.renew(card) ? 1 : 0;
    this.running = false;
    if (count) this.news.textContent = 'the captions are those of the chosen search';
  }

  // Whether the card has got its captions.
  async renew(card) {
    const {query} = this.controls, {image} = card;
    this.abort = new AbortController();
    card.node.setAttribute('aria-busy', 'true');
    try {
      const answer = await askServer(image, query, this.abort.signal, (state) => {
        if (card.summary) card.summary.textContent = state;
      });
      image.query = query;
      card.renew(answer);
      return true;
    } catch (error) {
      if (error.name === 'AbortError') return false;
      image.failed = query;
      this.explorer.summarize(card);
      this.uploads.refuse(`${image.id} keeps its captions: ${refusalText(error)}`);
      return false;
    } finally {
      card.node.removeAttribute('aria-busy');
    }
  }
}
