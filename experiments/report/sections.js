'use strict';
// The sections below the explorer except the scores: learning curves, attention health, configs, and
// how to reproduce the report.

const section = (id, title, ...children) => el('section', {id, 'aria-labelledby': `${id}-title`},
  el('h2', {id: `${id}-title`}, title), ...children);

const NO_CURVES = new Set(['update', 'epoch']);

const curveChoice = (part, name) => {
  if (part === 'validations') return `${metricName(name)} (validation)`;
  return `${metricName(name)} (training${name === 'loss' ? ', with each model\u2019s own penalties'
    : ''})`;
};

const curveNames = (curves) => {
  const names = [];
  for (const part of ['updates', 'validations'])
    for (const curve of curves)
      for (const name of Object.keys(curve[part]))
        if (!NO_CURVES.has(name) && !names.some(([p, n]) => p === part && n === name))
          names.push([part, name]);
  const ordered = inTableOrder(new Set(names.map(([, name]) => name)));
  const wanted = [...headlineMetrics(ordered), ...ordered];  // headlines first
  return names.sort((a, b) => wanted.indexOf(a[1]) - wanted.indexOf(b[1]));
};

const linesOf = (curves, part, name) => curves.map((curve, i) => {
  const values = curve[part][name] || [], updates = curve[part].update || [];
  const before = curves.slice(0, i).filter((other) => other.model === curve.model).length;
  return {name: curve.name, m: curve.model, dash: ['', '6 3', '2 3', '8 3 2 3'][before % 4],
    points: values.map((y, k) => [updates[k], y]).filter(([, y]) => typeof y === 'number')};
});

const curvesSection = (report) => {
  const names = curveNames(report.curves);
  if (!names.length) return null;
  const place = el('div');
  const show = (key) => {
    const [part, name] = names[Number(key)];
    const lines = linesOf(report.curves, part, name);
    const title = curveChoice(part, name);
    const rows = lines.flatMap((line) => line.points.map(([x, y]) => [line.name, x, y]));
    place.replaceChildren(numberTools(title, () => [['run', 'update', name], ...rows]),
      new LineChart({name: title, x: 'update', lines}).node);
  };
  const choices = names.map(([part, name], i) => [String(i), curveChoice(part, name)]);
  show('0');
  return section('curves', 'Learning curves', selectBox('Number', choices, '0', show), place);
};

// The metric of a measure of attention health.
const healthMetric = (measure) => `attention_${measure}`;

const healthSection = (report) => {
  const rows = report.models.flatMap((model) => Object.entries(model.health || {}).map(
    ([regime, health]) => ({name: model.name, regime, health})));
  if (!rows.length) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.health)))];
  const most = Object.fromEntries(names.map((name) => [name, Math.max(...rows.map((row) =>
    row.health[name] || 0))]));
  const cells = (row) => names.map((name) => {
    const value = row.health[name];
    return value === undefined ? null
      : {value, share: most[name] > 0 ? Math.max(value, 0) / most[name] : 0};
  });
  return section('health', 'Attention health',
    el('p', {class: 'muted'}, `The numbers are means over the words of the ` +
      `${countedItems(report, report.images.length)} that this page shows. The bars compare the rows of a column.`),
    ...report.models.filter((model) => model.dead).map((model) =>
      el('p', {class: 'remark'}, el('b', {}, model.name), `: ${model.dead}`)),
    numberTable('Attention health',
      ['model', 'regime', ...names.map((name) => metricName(healthMetric(name)))],
      rows.map((row) => [row.name, row.regime, ...cells(row)])),
    el('dl', {class: 'notes'}, ...names.flatMap((name) => [
      el('dt', {}, metricName(healthMetric(name))),
      el('dd', {}, METRICS[healthMetric(name)].doc)])));
};

const configSection = (report) => {
  if (report.models.length < 2) return null;
  const content = report.config.length
    ? numberTable('Config differences', ['key', ...report.models.map((model) => model.name)],
      report.config.map((row) => [row.key, ...row.values.map((value) =>
        (value === 'null' ? 'not set' : value))]))
    : el('p', {}, 'The configs of the models are equal.');
  return section('config', 'What differs between the configs', content);
};

const facts = (pairs) => el('dl', {class: 'facts'}, ...pairs.filter(([, value]) => value)
  .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]));

const manifestParts = (model) => {
  const {manifest} = model;
  const starts = Array.isArray(manifest?.starts) ? manifest.starts : [];
  const program = starts.at(-1)?.program;
  const parts = [facts([['weights', model.checkpoint],
    ['update', model.update], ['seed', manifest?.seed],
    ['data', manifest && `${manifest.dataset?.name} ${manifest.dataset?.digest}`],
    ['vocabulary', manifest && `${manifest.vocabulary?.size} words, ${manifest.vocabulary?.digest}`],
    ['first weights', manifest?.init_from?.file],
    ['program', manifest && `saccade ${manifest.versions?.saccade}, ` +
      `${manifest.versions?.compiler}, ${manifest.versions?.simd}`],
    ['commit', program?.commit && program.commit + (program.changed ? ', with changes' : '')],
    ['libraries', manifest && Object.entries(manifest.versions?.libraries || {})
      .map((pair) => pair.join(' ')).join(', ')]])];
  const commands = [...new Set(starts.map((start) => start?.command_line))];
  return [...parts, ...commands.map(commandLine)];
};

const againSection = (report) => {
  const parts = report.models.map((model) => el('details', {open: report.models.length < 3},
    el('summary', {}, model.name), ...manifestParts(model)));
  return section('again', 'How to reproduce this',
    el('p', {}, 'This page was written by the command'), commandLine(report.command),
    facts([['program', `saccade ${report.version}`],
      ['data shown', report.dataset && `${report.dataset} ${report.digest}`]]),
    el('h3', {}, 'How the models were trained'), ...parts);
};
