'use strict';
// Sends pictures to the server, one at a time, each with a line that shows its state.

const RETRIES = 20;  // how often a picture is sent again while the server is busy with others

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

// A refusal, with a reason that is shown to the visitor.
class Refused extends Error {}

class Uploads {
  // `limit`: the most bytes of a picture. done(name, answer) gets the answer of the server.
  constructor(list, news, limit, done) {
    this.list = list;
    this.news = news;
    this.limit = limit;
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
        const answer = await this.send(upload);
        upload.node.remove();
        this.news.textContent = `${upload.name}: ${Object.values(answer.captions).join('; ')}`;
        this.done(upload.name, answer);
      } catch (error) {
        if (!upload.dropped)
          this.fail(upload, error instanceof Refused ? error.message
            : 'the server does not answer; check that saccade serve is still running');
      }
    }
    this.sending = false;
  }

  async send(upload) {
    if (upload.file.size > this.limit)
      throw new Refused(`is larger than ${Math.floor(this.limit / 2 ** 20)} MiB, the most that the ` +
        'server takes');
    upload.abort = new AbortController();
    for (let i = 0; ; ++i) {
      upload.state.textContent = 'being captioned \u2026';
      const answer = await fetch('/caption', {method: 'POST', body: upload.file,
        signal: upload.abort.signal, headers: {'Content-Type': 'application/octet-stream'}});
      if (answer.ok) return answer.json();
      const seconds = Number(answer.headers.get('Retry-After'));
      if (answer.status !== 503 || !seconds || i === RETRIES)
        throw new Refused((await answer.json()).error.replace(/^the picture:? /, ''));
      upload.state.textContent = 'waiting: the server is busy with other pictures';
      await pause(seconds);
      if (upload.dropped) throw new Refused('dropped');
    }
  }
}
