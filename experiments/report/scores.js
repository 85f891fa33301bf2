'use strict';
// The section of scores: those of a comparison or, without one, the validation scores of each run.

// Marks numbers over the images of one seed, where a table also has numbers over several seeds.
const ONE_SEED = '\u2020';

const signed = (value) => `${value < 0 ? '\u2212' : '+'}${shown(Math.abs(value))}`;
const pText = (p) => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);

// A cell with a mean and its interval or, where there is none, its standard deviation; below it the
// difference from the reference. With `marked`, numbers of one seed get a mark.
const spreadCell = (spread, marked) => {
  if (!spread) return null;
  const mark = ({chance}) => (marked && chance === 'images' ? ONE_SEED : '');
  const cell = {value: spread.mean, text: shown(spread.mean), more: {}};
  if (Number.isFinite(spread.low)) {
    cell.text += ` [${shown(spread.low)}, ${shown(spread.high)}]${mark(spread)}`;
    Object.assign(cell.more, {low: spread.low, high: spread.high});
  } else if (spread.n > 1) {
    cell.text += ` \u00b1 ${shown(spread.std)}`;
    cell.more.sd = spread.std;
  }
  const {difference} = spread;
  if (Number.isFinite(difference?.p_holm)) {
    cell.note = `${signed(difference.value)}, ${pText(difference.p_holm)}${mark(difference)}`;
    Object.assign(cell.more, {difference: difference.value, 'difference low': difference.low,
      'difference high': difference.high, p: difference.p_holm});
  }
  return cell;
};

// The spreads of all rows in the metrics of `names`.
const spreadsOf = (comparison, names) => comparison.arms.flatMap((arm) =>
  arm.regimes.flatMap((regime) => names.map((name) => regime.corpus[name]).filter(Boolean)));

// Whether some numbers are over several seeds and others over one.
const mixesChances = (spreads) => new Set(spreads.flatMap((spread) =>
  [spread.chance, spread.difference?.chance]).filter(Boolean)).size > 1;

const isMarked = ({marks}, name) => (marks || []).some(({metrics}) => metrics.includes(name));

// The data sets that the names of scores tell of: '' for the scores over all images, and those of joined
// data sets, whose scores are named SET/METRIC.
const setsIn = (names) => [...new Set(names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))))];
const setLabel = (set) => set || 'all';
const ofSet = (set, name) => (set ? `${set}/${name}` : name);

// The names of all scores of the comparison.
const scoreNames = (comparison) => comparison.arms.flatMap((arm) =>
  arm.regimes.flatMap((regime) => Object.keys(regime.corpus)));

// The scores of the comparison, with one row for each arm, regime and data set.
const comparisonTable = (comparison, names) => {
  const sets = setsIn(scoreNames(comparison)), joined = sets.length > 1;
  const head = ['arm', 'regime', ...(joined ? ['images of'] : []), ...[...names, 'ms_per_update', 'parameters'].map((name) =>
    metricName(name) + (isMarked(comparison, name) ? ' *' : ''))];
  const marked = mixesChances(spreadsOf(comparison, names));
  const rows = comparison.arms.flatMap((arm) => arm.regimes.flatMap((regime) => sets.map((set) => [
    arm.name, regime.name, ...(joined ? [setLabel(set)] : []),
    ...names.map((name) => spreadCell(regime.corpus[ofSet(set, name)], marked)),
    spreadCell(arm.ms_per_update), arm.parameters])));
  return numberTable('Scores', head, rows);
};

// Explains the brackets and the lines below the scores.
const intervalNote = (report, names) => {
  const {comparison} = report, items = itemWord(report);
  const spreads = spreadsOf(comparison, names);
  const counts = spreads.filter(({chance}) => chance === 'seeds_and_images').map(({n}) => n);
  const least = Math.min(...counts), most = Math.max(...counts);
  const seeds = `over ${least === most ? most : `${least} to ${most}`} seeds and the ${items}`;
  const images = `over the ${items} of one seed, which tell nothing about other seeds`;
  let over = counts.length ? seeds : images;
  if (mixesChances(spreads)) over += `; ${ONE_SEED} ${images}`;
  const parts = [`${comparison.n_images} ${comparison.split} ${items} of ${comparison.dataset}`];
  if (spreads.some(({low}) => Number.isFinite(low)))
    parts.push(`; in brackets: ${100 * (comparison.level || 0.95)}\u00a0% intervals ${over}`);
  if (spreads.some(({difference}) => Number.isFinite(difference?.p_holm))) {
    const regime = comparison.arms.find(({name}) => name === comparison.against)?.regimes[0];
    parts.push(`. Below a score stand its difference from ${comparison.against}` +
      `${regime ? ` (${regime.name})` : ''} and the two-sided p-value, corrected after Holm for ` +
      'all arms in their own regimes times the headline metrics, and apart from these for the rest');
  }
  return el('p', {class: 'muted'}, `${parts.join('')}.`);
};

// The sentences of the comparison's verdict.
const verdictList = ({verdict}) => (verdict && verdict.length
  ? [el('ul', {class: 'findings'}, ...verdict.map((sentence) => el('li', {}, sentence)))] : []);

// Why some scores can say little.
const markList = ({marks}) => (marks && marks.length
  ? [el('ul', {class: 'muted'}, ...marks.map(({metrics, reason}) =>
    el('li', {}, `* ${metrics.map(metricName).join(', ')}: ${reason}.`)))] : []);

const comparisonScores = (report) => {
  const {comparison} = report, note = el('div'), place = el('div');
  const all = inTableOrder(new Set(scoreNames(comparison).filter((name) => !name.includes('/'))));
  const main = headlineMetrics(all);
  const show = (every) => {
    const names = every ? all : main;
    note.replaceChildren(intervalNote(report, names));
    place.replaceChildren(comparisonTable(comparison, names));
  };
  show(false);
  return [note, ...verdictList(comparison), checkBox('All metrics', false, show), place,
    ...markList(comparison)];
};

// For models without a comparison: the validation scores at the update of the checkpoint.
const validationScores = (report) => {
  const rows = report.models.map((model, m) => {
    const {validations} = report.curves.find((curve) => curve.model === m) || {validations: {}};
    const at = (validations.update || []).indexOf(model.update);
    return {name: model.name, update: model.update, at, validations};
  });
  const all = [...new Set(rows.flatMap((row) => (row.at < 0 ? [] : Object.keys(row.validations))))];
  const names = headlineMetrics(all), sets = setsIn(all), joined = sets.length > 1;
  if (!names.length) return null;
  return [el('p', {class: 'muted'}, 'Validation scores of each run at the update whose weights are ' +
    `shown here. Each row is one run, so there are no intervals. For scores on the test ${itemWord(report)}, ` +
    'run saccade evaluate.'),
  numberTable('Scores', ['model', 'update', ...(joined ? ['images of'] : []), ...names.map(metricName)],
    rows.flatMap((row) => sets.map((set) => [row.name, row.update, ...(joined ? [setLabel(set)] : []),
      ...names.map((name) => row.validations[ofSet(set, name)]?.[row.at] ?? null)])))];
};

const scoresSection = (report) => {
  const content = report.comparison ? comparisonScores(report) : validationScores(report);
  return content && section('scores', 'Scores', ...content);
};
