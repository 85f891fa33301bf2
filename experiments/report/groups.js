'use strict';
// The section of scores by what makes an image or a text hard, such as its length. One line per model,
// and the same numbers as a table.

const groupingBy = (groupings, by) => (groupings || []).find((grouping) => grouping.by === by);
const groupsBy = (groupings, by) => groupingBy(groupings, by)?.groups || [];
// [by, text] of the groupings that some model has, where `text` says what the values are.
const groupingsOf = (models) => [...new Map(models.flatMap((groupings) => (groupings || [])
  .filter(({groups}) => groups.length).map(({by, text}) => [by, text])))];
const groupMetrics = (models, by) => inTableOrder(new Set(models.flatMap((groupings) =>
  groupsBy(groupings, by).flatMap((group) => Object.keys(group.scores)))));

const groupCell = (score) => (score ? spreadCell({mean: score.score, low: score.low,
  high: score.high}, false) : null);

const groupTable = (report, [by, text]) => {
  const metrics = groupMetrics(report.groups, by);
  const rows = report.models.flatMap((model, m) => groupsBy(report.groups[m], by).map((group) =>
    [model.name, group.name, {value: group.images, text: String(group.images)},
      ...metrics.map((name) => groupCell(group.scores[name]))]));
  return numberTable(`Scores by ${text}`,
    ['model', text, itemWord(report), ...metrics.map(metricName)], rows);
};

const groupChart = (report, [by, text], metric) => new LineChart({name: metricName(metric), x: text,
  zero: true, lines: report.models.map((model, m) => ({name: model.name, m,
    points: groupsBy(report.groups[m], by).filter((group) => group.scores[metric])
      .map(({mean: x, scores: {[metric]: {score, low, high}}}) => [x, score, low, high])}))}).node;

// Where no grouping has two groups that are large enough: one line that says what is needed.
const withoutGroups = (report, items) => {
  const one = (report.groups || []).flatMap((groupings) => groupings || [])[0];
  return one ? section('groups', `Scores of easy and hard ${items}`, el('p', {class: 'muted'},
    `Two groups of at least ${one.least_images} ${items} each are needed, and this page scores ` +
      `${countedItems(report, report.grouped)}.` +
      (report.grouped > report.images.length ? '' : ' saccade evaluate scores the whole split.'))) : null;
};

const groupsSection = (report) => {
  const all = report.groups || [], choices = groupingsOf(all);
  if (!choices.length) return withoutGroups(report, itemWord(report));
  const tools = el('div'), place = el('div'), items = itemWord(report);
  const show = (grouping, metric) => place.replaceChildren(groupChart(report, grouping, metric),
    groupTable(report, grouping));
  const choose = (by) => {
    const grouping = choices.find(([name]) => name === by);
    const metrics = groupMetrics(all, by);
    const first = ['exact_match', 'CIDEr'].find((name) => metrics.includes(name)) || metrics[0];
    tools.replaceChildren(selectBox('Score', metrics.map((name) => [name, metricName(name)]), first,
      (name) => show(grouping, name)));
    show(grouping, first);
  };
  choose(choices[0][0]);
  const which = report.grouped > report.images.length
    ? `All ${countedItems(report, report.grouped)} of the split ${report.split}`
    : `The ${countedItems(report, report.images.length)} that this page shows`;
  return section('groups', `Scores of easy and hard ${items}`,
    el('p', {class: 'muted'}, `${which}, in groups. In brackets, and as lines in the chart: ` +
      `95\u00a0% intervals over the ${items} of a group, where it has at least 20; with fewer than ` +
      '100 it is a small sample.' +
      (report.grouped > report.images.length ? '' : ' saccade evaluate has the same for the whole split.')),
    selectBox('By', choices, choices[0][0], choose), tools, place);
};
