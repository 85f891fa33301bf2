'use strict';
// Starts the page: reads the data, shows the report's name, and builds the sections.

// By what `saccade report --worst` chose the images.
const worstName = (measure) => ({pointing: 'where its maps point', entropy: 'how spread out its maps are'}[
  measure] || metricName(measure));

// A page inside of another one, such as a notebook: the cards alone, and as high as they are.
const embed = () => {
  document.body.classList.add('embedded');
  const frame = window.frameElement;
  if (frame)
    new ResizeObserver(() => { frame.style.height = `${document.body.scrollHeight}px`; })
      .observe(document.body);
};

const start = () => {
  const report = JSON.parse(document.querySelector('#data').textContent);
  report.heat.colours = bytesOf(report.heat.colours);
  const name = report.comparison?.name || report.title;
  const photos = !report.dataset;  // a page of `saccade caption`
  document.title = `${name} \u00b7 saccade ${photos ? 'caption' : 'report'}`;
  document.body.classList.toggle('photos', photos);
  if (report.embedded) embed();
  document.querySelector('#title').textContent = name;
  const count = report.images.length;
  if (photos) document.querySelector('.kicker').textContent = 'saccade caption';
  document.querySelector('#subtitle').textContent = photos
    ? `${count === 1 ? 'one' : count} ${report.texts ? itemWord(report, count)
      : count === 1 ? 'picture' : 'pictures'}, captioned by ${report.models[0].name}`
    : `${report.dataset}, ${report.split}: ` +
    (report.training && !count ? 'captions and maps come with the first validation'
      : count < report.split_images
      ? `${count} of ${countedItems(report, report.split_images)}, ${report.worst
        ? `those on which ${report.models[0].name} is worst by ${worstName(report.worst)}`
        : 'spread evenly over the split'}`
      : countedItems(report, count)) +
    `; ${report.models.length === 1 ? 'one model' : `${report.models.length} models`}`;
  document.querySelector('#remarks').append(...report.remarks.map((text) =>
    el('p', {class: 'remark'}, text)));
  startTheme();
  startHelp();
  const sections = [curvesSection, scoresSection, groupsSection, healthSection, headsSection,
    gradientsSection, wordsSection, configSection, againSection]
    .map((make) => make(report)).filter(Boolean);
  document.querySelector('#sections').append(...sections);
  const explorer = new Explorer(report, document.querySelector('#explorer'));
  document.querySelector('#nav').append(
    ...[explorer.root, ...sections].map((part) => el('li', {},
      el('a', {href: `#${part.id}`, onclick: (event) => {
        event.preventDefault();
        showLink(`#${part.id}`);
        goTo(part);
      }}, part.querySelector('h2').textContent))));
  if (!restorePlace(explorer)) followLink(explorer, location.hash);
  followRun(report.training, explorer);
  window.addEventListener('hashchange', () => followLink(explorer, location.hash));
};

start();
