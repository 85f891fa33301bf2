'use strict';
// Sends pictures to the server, one at a time, each with a line that shows its state.

const RETRIES = 20;  // how often a picture is sent again while the server is busy with others

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// A refusal, with a reason that is shown to the visitor.
class Refused extends Error {}

const refusalText = (error) => (error instanceof Refused ? error.message
  : 'the server does not answer; check that saccade serve is still running');

const FEATURES = /\.(npy|npz|safetensors|pth|pt)$/i;
const stem = (file) => (file.name || '').replace(/\.[^.]*$/, '');

// Pairs pictures with the files of their features: those of equal names, and two files that come alone.
// Returns the pairs {file, features}, where features may be absent, and the features that nothing goes with.
// Of features alone, both are one file.
const pairs = (files) => {
  const features = files.filter((file) => FEATURES.test(file.name || ''));
  const pictures = files.filter((file) => !features.includes(file));
  if (pictures.length === 1 && features.length === 1)
    return {pictures: [{file: pictures[0], features: features[0]}], alone: []};
  const of = new Map(features.map((file) => [stem(file), file]));
  const names = new Set(pictures.map(stem));
  return {pictures: pictures.map((file) => ({file, features: of.get(stem(file))})),
    alone: features.filter((file) => !names.has(stem(file)))};
};

// The body of a request, and what its header says.
const bodyOf = ({file, features}) => {
  if (!features) return {body: file, headers: {'Content-Type': 'application/octet-stream'}};
  const body = new FormData();
  if (file !== features) body.append('photo', file);
  body.append('features', features);
  return {body};
};

// Asks the server for the captions of a picture {file, features}; again, while it is busy with other
// pictures. `query`: the parameters of the search. onState(state) gets what is going on. Throws Refused, and
// AbortError when the signal says so.
const askServer = async (picture, query, signal, onState) => {
  for (let i = 0; ; ++i) {
    onState('being captioned \u2026');
    const answer = await fetch(`/caption${query}`, {method: 'POST', signal, ...bodyOf(picture)});
    if (answer.ok) return answer.json();
    const seconds = Number(answer.headers.get('Retry-After'));
    if (answer.status !== 503 || !seconds || i === RETRIES)
      throw new Refused((await answer.json()).error.replace(/^the picture:? /, ''));
    onState('waiting: the server is busy with other pictures');
    await pause(seconds);
    signal.throwIfAborted();
  }
};

class Uploads {
  // `limit`: the most bytes of a picture. `featuresAlone`: whether features need no picture. query() gives the parameters of the search. done(image) gets
  // the server's answer with the name of the picture as `id`, its `file`, its `features` and its `query`.
  constructor(list, news, {limit, featuresAlone, query, done}) {
    this.list = list;
    this.news = news;
    this.limit = limit;
    this.featuresAlone = featuresAlone;
    this.query = query;
    this.done = done;
    this.waiting = [];
    this.sending = false;
  }

  add(files) {
    const {pictures, alone} = pairs([...files]);
    for (const file of alone) {
      if (this.featuresAlone) pictures.push({file, features: file});
      else this.refuse(`${file.name}: features of which picture? Drop both together, under one name.`);
    }
    for (const picture of pictures) {
      const upload = {...picture, name: picture.file.name || 'picture'};
      upload.state = el('span', {class: 'state muted'}, 'waiting');
      upload.button = el('button', {type: 'button', onclick: () => this.drop(upload)}, 'Cancel');
      upload.node = el('li', {}, el('span', {class: 'spinner', 'aria-hidden': 'true'}),
        el('p', {class: 'what'}, el('b', {}, upload.name), ' ', upload.state), upload.button);
      this.list.append(upload.node);
      this.waiting.push(upload);
    }
    this.sendNext();
  }

  // Shows a line for something that was dropped or pasted and is not a picture.
  refuse(reason) {
    const line = {name: '', state: el('span', {class: 'state'}),
      button: el('button', {type: 'button', onclick: () => line.node.remove()}, 'Dismiss')};
    line.node = el('li', {}, el('p', {class: 'what'}, line.state), line.button);
    this.list.append(line.node);
    this.fail(line, reason);
  }

  drop(upload) {
    upload.dropped = true;
    upload.abort?.abort();
    upload.node.remove();
  }

  fail(upload, reason) {
    upload.node.classList.add('failed');
    upload.state.textContent = reason;
    upload.button.textContent = 'Dismiss';
    this.news.textContent = `${upload.name}: ${reason}`;
  }

  async sendNext() {
    if (this.sending) return;
    this.sending = true;
    while (this.waiting.length) {
      const upload = this.waiting.shift();
      if (upload.dropped) continue;
      try {
        const {file, features, name: id} = upload, query = this.query();
        const answer = await this.send(upload, query);
        upload.node.remove();
        this.news.textContent = `${id}: ${Object.values(answer.captions).join('; ')}`;
        this.done({id, file, features, query, ...answer});
      } catch (error) {
        if (!upload.dropped) this.fail(upload, refusalText(error));
      }
    }
    this.sending = false;
  }

  send(upload, query) {
    const beside = upload.features === upload.file ? 0 : upload.features?.size ?? 0;
    if (upload.file.size + beside > this.limit)
      throw new Refused(`is larger than ${Math.floor(this.limit / 2 ** 20)} MiB, the most that the ` +
        'server takes');
    upload.abort = new AbortController();
    return askServer(upload, query, upload.abort.signal,
      (state) => { upload.state.textContent = state; });
  }
}
