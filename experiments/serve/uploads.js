'use strict';
// Sends pictures to the server, one at a time, each with a line that shows its state.

const RETRIES = 20;  // how often a picture is sent again while the server is busy with others

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// A refusal, with a reason that is shown to the visitor.
class Refused extends Error {}

const refusalText = (error) => (error instanceof Refused ? error.message
  : 'the server does not answer; check that saccade serve is still running');

// Asks the server for the captions of a file; again, while it is busy with other pictures. `query`:
// the parameters of the search. onState(state) gets what is going on. Throws Refused, and AbortError when
// the signal says so.
const askServer = async (file, query, signal, onState) => {
  for (let i = 0; ; ++i) {
    onState('being captioned \u2026');
    const answer = await fetch(`/caption${query}`, {method: 'POST', body: file, signal,
      headers: {'Content-Type': 'application/octet-stream'}});
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
  // `limit`: the most bytes of a picture. query() gives the parameters of the search. done(image) gets
  // the server's answer with the name of the picture as `id`, its `file` and its `query`.
  constructor(list, news, {limit, query, done}) {
    this.list = list;
    this.news = news;
    this.limit = limit;
    this.query = query;
    this.done = done;
    this.waiting = [];
    this.sending = false;
  }

  add(files) {
    for (const file of files) {
      const upload = {file, name: file.name || 'picture'};
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
        const {file, name: id} = upload, query = this.query();
        const answer = await this.send(upload, query);
        upload.node.remove();
        this.news.textContent = `${id}: ${Object.values(answer.captions).join('; ')}`;
        this.done({id, file, query, ...answer});
      } catch (error) {
        if (!upload.dropped) this.fail(upload, refusalText(error));
      }
    }
    this.sending = false;
  }

  send(upload, query) {
    if (upload.file.size > this.limit)
      throw new Refused(`is larger than ${Math.floor(this.limit / 2 ** 20)} MiB, the most that the ` +
        'server takes');
    upload.abort = new AbortController();
    return askServer(upload.file, query, upload.abort.signal,
      (state) => { upload.state.textContent = state; });
  }
}
