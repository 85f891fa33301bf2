'use strict';
// The page of `saccade serve`: pictures are dropped, pasted or chosen, captioned by the server, and
// added to the explorer.

const NO_PICTURE = 'That was not a picture file. Save the picture to a file and choose it, or copy the ' +
  'picture itself and paste it.';

// Takes files that are dropped anywhere on the page, pasted, or chosen.
const takeFiles = (uploads) => {
  const place = document.querySelector('#bring'), input = document.querySelector('#files');
  const over = (is) => place.classList.toggle('over', is);
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    over(true);
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) over(false); });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    over(false);
    if (event.dataTransfer.files.length) uploads.add(event.dataTransfer.files);
    else uploads.refuse(NO_PICTURE);
  });
  document.addEventListener('paste', (event) => {
    if (event.clipboardData.files.length) uploads.add(event.clipboardData.files);
    else uploads.refuse(NO_PICTURE);
  });
  document.querySelector('#choose').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    uploads.add(input.files);
    input.value = '';  // the same file may be chosen again
  });
};

const showModels = (report) => {
  const selection = (model) => (model.attention ? model.selection : 'none');
  const count = (value) => ({value, text: String(value)});
  document.querySelector('#model-table').append(numberTable('Models',
    ['model', 'attention', 'regimes', 'grid', 'layers', 'heads', 'parameters', 'update',
      'checkpoint', 'search'],
    report.models.map((model) => [model.name, selection(model), model.regimes.join(', '),
      model.scattered ? `${model.cols} ${model.in_time ? 'frames' : 'boxes'}`
        : `${model.rows}\u00a0\u00d7\u00a0${model.cols}`, count(model.layers), count(model.heads),
      model.parameters, count(model.update), model.checkpoint, searchText(model.search)])));
  document.querySelector('#models').hidden = false;
};

// The command that asks for the captions that the page shows. `alone`: of features without a picture.
const showCommand = (query, alone) => {
  const address = `${location.origin}/caption${query}`, what = alone ? '-F features=@features.npy' :
    '--data-binary @photo.jpg';
  document.querySelector('#command').replaceChildren(
    commandLine(`curl ${what} ${query ? `'${address}'` : address}`));
};

const startLive = async () => {
  startTheme();
  startHelp();
  const subtitle = document.querySelector('#subtitle');
  let report;
  try {
    report = await (await fetch('/models')).json();
  } catch {
    subtitle.textContent = 'The server does not answer. Check that saccade serve is still running.';
    return;
  }
  report.heat.colours = bytesOf(report.heat.colours);
  report.images = [];
  report.occlusion = report.occlusion_steps > 0;
  const names = report.models.map((model) => model.name);
  const alone = report.models.every((model) => model.features_alone);
  document.title = `${names.join(', ')} \u00b7 saccade`;
  subtitle.textContent = names.length === 1 ? `${names[0]} captions your pictures`
    : `${names.length} models caption your pictures side by side`;
  document.querySelector('#limits').textContent = 'JPEG, PNG, WebP, BMP or TIFF of up to ' +
    `${Math.floor(report.max_upload / 2 ** 20)} MiB, with the file of its features where it has one${
      alone ? ', or such a file alone' : ''}. ` +
    'The server stores nothing.';
  const section = document.querySelector('#explorer');
  const explorer = new Explorer(report, section, {live: true});
  const controls = new SearchControls(report, () => {
    showCommand(controls.query, alone);
    renewal.restart();
  });
  document.querySelector('#controls').prepend(controls.node);
  explorer.boxes.drawn?.addEventListener('change', (event) => {
    if (event.target.value === 'effects') controls.explain();
  });
  const news = document.querySelector('#news');
  const uploads = new Uploads(document.querySelector('#uploads'), news, {limit: report.max_upload,
    featuresAlone: alone,
    query: () => controls.query, done: (image) => {
      section.hidden = false;
      document.body.classList.add('shows');
      const card = explorer.add({references: [], ...image});
      card.build();
      card.node.scrollIntoView({block: 'nearest'});
      renewal.run();  // the search may have changed meanwhile
    }});
  const renewal = new Renewal(explorer, controls, uploads, news);
  takeFiles(uploads);
  new Camera(uploads);
  showModels(report);
  showCommand('', alone);
};

startLive();
