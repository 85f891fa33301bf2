'use strict';
// Draws the heat on a photo, pixel by pixel by the formula of `saccade overlay`, so that both show the
// same (except for uniform maps, which a page draws faint: panel.js).

// Catmull-Rom weights between samples 1 and 2 of four, at t in [0, 1).
const cubic = (t) => {
  const t2 = t * t, t3 = t2 * t;
  return [(-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2,
    (t3 - t2) / 2];
};

// For each of `pixels` the cells between which it lies and their weights; null where the network did
// not see it. Cells outside [first, end) are padding; the outermost of the others take their place.
const makeTaps = (pixels, cells, [first, end], from, length, style) => {
  const taps = [];
  for (let i = 0; i < pixels; ++i) {
    const at = ((i + 0.5) / pixels - from) / length;
    if (!(at >= 0 && at < 1)) {
      taps.push(null);
      continue;
    }
    const position = at * cells;
    const clamp = (cell) => Math.min(Math.max(cell, first), end - 1);
    if (style === 'cells') {
      taps.push({cell: [clamp(Math.floor(position))], weight: [1]});
      continue;
    }
    const below = Math.floor(position - 0.5);
    taps.push({cell: [-1, 0, 1, 2].map((k) => clamp(below + k)),
      weight: cubic(position - 0.5 - below)});
  }
  return taps;
};

// Regions of unknown places are a row of bars in their order, as high as their heat. `at` is the height of
// a row of pixels, as a share of the highest bar.
const BAR_SHARE = 0.4;
// Frames without pictures are the area below a curve over the axis of vision/drawing/time_axis.cpp, of
// which these are the foot and the margins.
const TIME_FOOT = 0.175, TIME_MARGIN = 0.02;
const fillCurve = (line, at, map, {count, times}, full) => {
  const last = Math.max(count - 1, 1), begin = times[0] ?? 0;
  const length = times.length > 1 ? times[times.length - 1] - begin : last;
  let frame = 0;
  for (let x = 0; x < line.length; ++x) {
    const share = ((x + 0.5) / line.length - TIME_MARGIN) / (1 - 2 * TIME_MARGIN);
    if (share < 0 || share > 1) continue;
    const place = (i) => (times.length > 1 ? (times[i] - begin) / length : i / last);
    while (frame + 2 < count && place(frame + 1) < share) ++frame;
    const next = Math.min(frame + 1, count - 1), gap = place(next) - place(frame);
    const part = gap > 0 ? (share - place(frame)) / gap : 0;
    const weight = map[frame] + part * (map[next] - map[frame]);
    if (at >= 0 && at <= weight / full) line[x] = 0.55 * full;
  }
};
const fillBars = (line, at, map, {cells, times}, full) => {
  const count = cells[2];
  if (times) return fillCurve(line, at, map, {count, times}, full);
  for (let x = 0; x < line.length; ++x) {
    const weight = map[Math.floor(x * count / line.length)];
    if (at <= weight / full) line[x] = weight;
  }
};

// The weights of a row of pixels where regions are boxes, in shares of the photo: of boxes that overlap,
// the largest weight is on top; 0 outside of all. `order` has the boxes by the size of their weights.
const fillBoxes = (line, y, height, {map, maps, full}, order) => {
  const {boxes} = maps;
  line.fill(0);
  if (!boxes.length) {
    const at = maps.times ? 1 - (y + 0.5) / ((1 - TIME_FOOT) * height)
      : (height - y) / (BAR_SHARE * height);
    fillBars(line, at, map, maps, full);
  }
  const pixel = (share, count) => Math.min(Math.max(Math.ceil(share * count - 0.5), 0), count);
  for (const region of order) {
    const [left, top, width, tall] = boxes[region];
    if (y < pixel(top, height) || y >= pixel(top + tall, height)) continue;
    line.fill(map[region], pixel(left, line.length), pixel(left + width, line.length));
  }
};

// Writes `photo` under the heat of a map to `out`; both are ImageData of the same size. With `blend`, the
// photo keeps its colours where there is no weight. With `signed`, numbers below 0 are drawn, too, with
// red and blue exchanged. `heat` has the colours and shares of vision/drawing/heat_field.h.
const paintHeat = (out, photo,
  {map, maps, seen, style, blend, full, heat: table, signed}) => {
  const {rows, cols, cells, boxes} = maps;
  const plain = blend || (maps.times && !boxes.length);  // a curve stands on paper
  const {colours} = table, greyShare = plain ? 0 : table.grey, cold = plain ? 0 : table.cold;
  const hot = blend ? table.blend : table.hot;
  const [left, top, right, bottom] = cells;
  const across = makeTaps(photo.width, cols, [left, right], seen[0], seen[2], style);
  const down = makeTaps(photo.height, rows, [top, bottom], seen[1], seen[3], style);
  const line = new Float32Array(boxes ? photo.width : cols);
  const order = boxes && [...boxes.keys()].sort((a, b) => Math.abs(map[a]) - Math.abs(map[b]));
  const from = photo.data, to = out.data;
  let at = 0;
  for (let y = 0; y < photo.height; ++y) {
    const row = down[y];
    if (boxes) {
      fillBoxes(line, y, photo.height, {map, maps, full}, order);
    } else if (row) {
      line.fill(0);
      row.cell.forEach((cell, k) => {
        for (let j = 0; j < cols; ++j) line[j] += row.weight[k] * map[cell * cols + j];
      });
    }
    for (let x = 0; x < photo.width; ++x, at += 4) {
      const column = across[x];
      to[at + 3] = 255;
      if (!row || !column) {
        for (let c = 0; c < 3; ++c) to[at + c] = (1 - table.unseen) * from[at + c];
        continue;
      }
      let weight = boxes ? line[x] : 0;
      for (let k = 0; k < column.cell.length && !boxes; ++k)
        weight += column.weight[k] * line[column.cell[k]];
      const below = signed && weight < 0;
      const heat = full > 0 ? Math.min(Math.max((below ? -weight : weight) / full, 0), 1) : 0;
      const colour = 3 * Math.round(heat * 255);
      const grey = 0.299 * from[at] + 0.587 * from[at + 1] + 0.114 * from[at + 2];
      const cover = cold + (hot - cold) * heat;
      for (let c = 0; c < 3; ++c) {
        const base = from[at + c] + greyShare * (grey - from[at + c]);
        to[at + c] = base + cover * (colours[colour + (below ? 2 - c : c)] - base);
      }
    }
  }
};

// The colours of the heat from 0 to full, as a CSS value.
const rampOf = (colours) => `linear-gradient(90deg, ${[0, 51, 102, 153, 204, 255].map((i) =>
  `rgb(${[...colours.slice(3 * i, 3 * i + 3)].join(' ')})`).join(', ')})`;

// Draws a light line inside a dark one, which is visible on any ground. The rectangle is in shares of
// the canvas.
const frame = (context, [x, y, width, height], {light = '#fff', line = 1.5, dash = []} = {}) => {
  const {width: w, height: h} = context.canvas;
  const bold = line * Math.max(1, Math.max(w, h) / 360);  // as wide on large pictures
  context.setLineDash([]);
  context.lineWidth = 2 * bold;
  context.strokeStyle = 'rgba(0, 0, 0, .8)';
  context.strokeRect(x * w, y * h, width * w, height * h);
  context.lineWidth = bold;
  context.strokeStyle = light;
  context.setLineDash(dash.map((part) => part * bold / line));
  context.strokeRect(x * w, y * h, width * w, height * h);
  context.setLineDash([]);
};

// The rectangle of a cell, or a region's box, in shares of the photo, and the cell at a point in shares
// of the photo (-1 where the network did not see it; of boxes the smallest).
const cellBox = (cell, {rows, cols, boxes}, seen) => boxes ? boxes[cell] || [0, 0, 0, 0] : [
  seen[0] + (cell % cols) * seen[2] / cols, seen[1] + Math.floor(cell / cols) * seen[3] / rows,
  seen[2] / cols, seen[3] / rows];
// "frame 4 (0.8 s)", "region 4" of boxes, "row 1, column 2" of a grid.
const placeName = (region, {cols, boxes, times}) => times
  ? `frame ${region}${region < times.length ? ` (${shown(times[region])} s)` : ''}`
  : boxes ? `region ${region}` : `row ${Math.floor(region / cols)}, column ${region % cols}`;
const regionName = (region, maps) => maps.boxes ? placeName(region, maps)
  : `the region in ${placeName(region, maps)}`;
const boxAt = (x, y, boxes) => {
  const area = ([, , width, height]) => width * height;
  return boxes.reduce((best, box, i) => {
    const inside = x >= box[0] && x < box[0] + box[2] && y >= box[1] && y < box[1] + box[3];
    return inside && (best < 0 || area(box) < area(boxes[best])) ? i : best;
  }, -1);
};
const cellAt = (x, y, {rows, cols, boxes}, seen) => {
  if (boxes) return boxAt(x, y, boxes);
  const across = (x - seen[0]) / seen[2], down = (y - seen[1]) / seen[3];
  if (!(across >= 0 && across < 1 && down >= 0 && down < 1)) return -1;
  return Math.floor(down * rows) * cols + Math.floor(across * cols);
};

// The colour bar below a photo: from 0 to full heat, with a line at the weight of a uniform map.
class ColourBar {
  constructor(ramp) {
    this.ramp = ramp;
    this.node = el('p', {class: 'scale muted'});
    this.text = '';  // the same in words
  }

  // full: the weight of full heat, null where no map is drawn; even: the weight of a uniform map, null
  // where there is no such weight.
  show(full, even = null) {
    const key = full === null ? '' : `${full}/${even}`;
    if (this.key === key) return;
    this.key = key;
    const known = full !== null && even !== null;
    this.text = full === null ? ''
      : `full heat ${shown(full)}${known ? `, uniform ${shown(even)}` : ''}`;
    if (full === null) {
      this.node.replaceChildren('\u00a0');
      return;
    }
    const line = known && even <= full ? el('span', {class: 'even',
      style: `left:${(100 * even / full).toFixed(2)}%`}) : null;
    this.node.replaceChildren('0 ', el('span', {class: 'ramp', style: `background:${this.ramp}`}, line),
      ` ${shown(full)}`, known ? tip(`uniform: ${shown(even)}`, TIPS.even, {class: 'tip even-text'})
        : '');
  }
}
