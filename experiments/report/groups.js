'use strict';
// The section of scores by what makes an image hard: the length of its references, its objects, and
// rare words. One line per model, and the same numbers as a table.

const GROUPINGS = {length: 'words per caption of the references', objects: 'objects of the image',
  rare_words: 'share of rare words in the references'};

const groupsBy = (groupings, by) =>
  (groupings || []).find((grouping) => grouping.by === by)?.groups || [];
// The groupings that some model has, and the metrics that a grouping has.
const groupingsOf = (models) => Object.keys(GROUPINGS).filter((by) =>
  models.some((groupings) => groupsBy(groupings, by).length));
const groupMetrics = (models, by) => inTableOrder(new Set(models.flatMap((groupings) =>
  groupsBy(groupings, by).flatMap((group) => Object.keys(group.scores)))));

const groupCell = (score) => (score ? spreadCell({mean: score.score, low: score.low,
  high: score.high}, false) : null);

const groupTable = (report, by) => {
  const metrics = groupMetrics(report.groups, by);
  const rows = report.models.flatMap((model, m) => groupsBy(report.groups[m], by).map((group) =>
    [model.name, group.name, {value: group.images, text: String(group.images)},
      ...metrics.map((name) => groupCell(group.scores[name]))]));
  return numberTable(`Scores by ${GROUPINGS[by]}`,
    ['model', GROUPINGS[by], 'images', ...metrics.map(metricName)], rows);
};

const groupChart = (report, by, metric) => new LineChart({name: metricName(metric),
  x: GROUPINGS[by], lines: report.models.map((model, m) => ({name: model.name, m,
    points: groupsBy(report.groups[m], by)
      .map((group) => [group.mean, group.scores[metric]?.score])
      .filter(([, y]) => typeof y === 'number')}))}).node;

const groupsSection = (report) => {
  const all = report.groups || [], choices = groupingsOf(all);
  if (!choices.length) return null;
  const tools = el('div'), place = el('div');
  const show = (by, metric) => place.replaceChildren(groupChart(report, by, metric),
    groupTable(report, by));
  const choose = (by) => {
    const metrics = groupMetrics(all, by);
    const first = metrics.includes('CIDEr') ? 'CIDEr' : metrics[0];
    tools.replaceChildren(selectBox('Score', metrics.map((name) => [name, metricName(name)]), first,
      (name) => show(by, name)));
    show(by, first);
  };
  choose(choices[0]);
  return section('groups', 'Scores of easy and hard images',
    el('p', {class: 'muted'}, `The ${report.images.length} images that this page shows, in groups. ` +
      'In brackets: 95\u00a0% intervals over the images of a group. saccade evaluate has the same ' +
      'for the whole split.'),
    selectBox('By', choices.map((by) => [by, GROUPINGS[by]]), choices[0], choose), tools, place);
};
