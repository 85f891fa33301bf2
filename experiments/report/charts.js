'use strict';
// Line charts, drawn as SVG.

const niceStep = (span, count) => {
  const rough = span / count || 1, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((k) => k * power).find((step) => step >= rough);
};

const ticksOf = (low, high, count) => {
  const step = niceStep(high - low, count), ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step)
    ticks.push(Number(at.toPrecision(12)));
  return ticks;
};

const tickText = (value) => (Math.abs(value) >= 10000 ? `${shown(value / 1000)}k`.replace('.000', '')
  : String(Number(value.toPrecision(6))));

const intervalText = ([, , low, high]) =>
  (Number.isFinite(low) ? ` [${shown(low)}, ${shown(high)}]` : '');

// lines: [{name, m, points: [[x, y], ...]}], sorted by x; a point [x, y, low, high] has an interval, which
// is drawn as a line. With `zero`, the axis of y begins at 0. The pointer and the arrow keys read off
// values.
class LineChart {
  constructor({name, x, lines, zero = false}) {
    this.name = name;
    this.x = x;
    this.zero = zero;
    this.lines = lines.filter((line) => line.points.length);
    this.readout = el('p', {class: 'readout', role: 'status'}, '\u00a0');
    this.node = el('div', {class: 'chart'});
    // The chart is drawn as wide as its place on the page, so that its text keeps its size.
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  draw() {
    const room = this.node.clientWidth - 26;
    if (room === this.room || room <= 0) return;
    this.room = room;
    const width = Math.max(room, 240), height = Math.min(Math.max(width * 0.45, 220), 360);
    const left = 52, right = 20, top = 10, bottom = 38;
    const all = this.lines.flatMap((line) => line.points);
    if (!all.length) {
      this.node.replaceChildren(el('p', {class: 'muted'}, 'No run has these values.'));
      return;
    }
    const x0 = Math.min(...all.map(([x]) => x)), x1 = Math.max(...all.map(([x]) => x));
    const bounds = all.flatMap((point) => point.slice(1).filter(Number.isFinite));
    let y0 = Math.min(...bounds), y1 = Math.max(...bounds);
    if (y0 > 0 && (this.zero || y0 < 0.4 * y1)) y0 = 0;
    if (y0 === y1) [y0, y1] = [y0 - 0.5 * (Math.abs(y0) || 1), y1 + 0.5 * (Math.abs(y1) || 1)];
    const px = (x) => left + (x1 > x0 ? (x - x0) / (x1 - x0) : 0.5) * (width - left - right);
    const py = (y) => height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom);
    this.at = {px, x0, x1, left, right, width};
    const grid = svg('g', {class: 'grid'});
    for (const y of ticksOf(y0, y1, 5))
      grid.append(svg('line', {x1: left, x2: width - right, y1: py(y), y2: py(y)}),
        svg('text', {x: left - 8, y: py(y) + 4, 'text-anchor': 'end'}, tickText(y)));
    for (const x of ticksOf(x0, x1, Math.min(6, width / 80)))
      grid.append(svg('text', {x: px(x), y: height - bottom + 18, 'text-anchor': 'middle'},
        tickText(x)));
    grid.append(svg('text', {x: width - right, y: height - 2, 'text-anchor': 'end'}, this.x));
    const drawn = this.lines.map((line) => svg('g', {style: `color:${modelColour(line.m)}`},
      svg('path', {fill: 'none', stroke: 'currentColor', 'stroke-width': 1.75,
        'stroke-linejoin': 'round', 'stroke-dasharray': line.dash || modelDash(line.m),
        d: line.points.map(([x, y], i) => `${i ? 'L' : 'M'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`)
          .join('')}),
      ...this.intervals(line, px, py),
      ...(line.points.length > 40 ? [] : line.points.map(([x, y]) =>
        svg('circle', {cx: px(x), cy: py(y), r: 2.5, fill: 'currentColor'})))));
    this.rule = svg('line', {class: 'rule', y1: top, y2: height - bottom, visibility: 'hidden'});
    this.picture = svg('svg', {width, height, role: 'img', tabindex: 0,
      'aria-label': `${this.name} against ${this.x}, ${this.lines.length} lines; arrow keys read ` +
        'values',
      onpointermove: (event) => this.point(event), onpointerleave: () => this.read(null),
      onkeydown: (event) => this.onKey(event)}, grid, ...drawn, this.rule);
    const legend = el('ul', {class: 'chart-legend'}, ...this.lines.map((line) => el('li', {},
      swatch(line.m), line.name)));
    this.node.replaceChildren(legend, this.picture, this.readout);
  }

  // The intervals of a line's points. Those of lines at the same x stand side by side.
  intervals(line, px, py) {
    const aside = 5 * (this.lines.indexOf(line) - (this.lines.length - 1) / 2);
    return line.points.filter(([, , low, high]) => Number.isFinite(low) && Number.isFinite(high))
      .map(([x, , low, high]) => svg('line', {class: 'interval', x1: px(x) + aside, x2: px(x) + aside,
        y1: py(low), y2: py(high), stroke: 'currentColor', 'stroke-width': 1.25}));
  }

  point(event) {
    const box = this.picture.getBoundingClientRect(), {x0, x1, left, right, width} = this.at;
    const share = ((event.clientX - box.left) / box.width * width - left) / (width - left - right);
    this.read(x0 + Math.min(Math.max(share, 0), 1) * (x1 - x0));
  }

  onKey(event) {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const xs = [...new Set(this.lines.flatMap((line) => line.points.map((p) => p[0])))]
      .sort((a, b) => a - b);
    const now = this.reading === undefined ? -1 : xs.findIndex((x) => x >= this.reading);
    this.read(xs[Math.min(Math.max(now + by, 0), xs.length - 1)]);
  }

  // Shows the values of the lines at the point nearest to x; hides them where x is null.
  read(x) {
    this.rule.setAttribute('visibility', x === null ? 'hidden' : 'visible');
    this.reading = x ?? undefined;
    if (x === null) {
      this.readout.replaceChildren('\u00a0');
      return;
    }
    const nearest = (points) => points.reduce((best, point) =>
      (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best));
    const points = this.lines.map((line) => nearest(line.points));
    const at = nearest(points)[0];
    this.rule.setAttribute('x1', this.at.px(at));
    this.rule.setAttribute('x2', this.at.px(at));
    this.readout.textContent = `${this.x} ${at.toLocaleString('en-US')}: ` +
      this.lines.map((line, i) => `${line.name} ${shown(points[i][1])}${intervalText(points[i])}`)
        .join(' \u00b7 ');
  }
}
