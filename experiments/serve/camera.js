'use strict';
// Photos from the visitor's camera: a live picture in the page where the browser allows it, else the
// camera of a phone through a file input.

const CAMERA_ERRORS = {
  NotAllowedError: 'The camera was not allowed. Allow it in the browser\u2019s settings of this page.',
  NotFoundError: 'No camera was found.',
  NotReadableError: 'The camera is in use by another program.',
};

// A browser does not list devices to a window that is not in front. After so many milliseconds the page
// offers the camera that may be there.
const CAMERA_WAIT = 500;

// {way: 'video'}, {way: 'file'}, or {reason: why there is no camera}. Browsers give a live picture only
// to secure pages: those of this machine (localhost), and those over https.
const cameraWay = async () => {
  const {mediaDevices} = navigator;
  if (mediaDevices?.getUserMedia) {
    const found = await Promise.race([mediaDevices.enumerateDevices().catch(() => null),
      new Promise((done) => { setTimeout(done, CAMERA_WAIT, null); })]);
    if (!found || found.some(({kind}) => kind === 'videoinput')) return {way: 'video'};
    return {reason: 'This device has no camera.'};
  }
  if ('capture' in HTMLInputElement.prototype) return {way: 'file'};
  return {reason: window.isSecureContext ? 'This browser gives no camera to pages.'
    : 'Browsers give the camera only to pages of the same machine or over https. Choose a photo ' +
      'instead, or open the page as http://localhost on the machine that runs the server.'};
};

class Camera {
  constructor(uploads) {
    this.uploads = uploads;
    this.taken = 0;
    const find = (id) => document.querySelector(id);
    [this.button, this.absent, this.dialog, this.video, this.state, this.shutter, this.file] =
      ['#camera', '#no-camera', '#camera-dialog', '#camera-dialog video', '#camera-state',
        '#shutter', '#camera-file'].map(find);
    this.button.addEventListener('click', () => this.open());
    this.shutter.addEventListener('click', () => this.take());
    this.dialog.addEventListener('close', () => this.stop());
    this.file.addEventListener('change', () => {
      uploads.add(this.file.files);
      this.file.value = '';
    });
    navigator.mediaDevices?.addEventListener?.('devicechange', () => this.look());
    window.addEventListener('focus', () => this.look());
    this.look();
  }

  // Shows the button, or why there is none.
  async look() {
    const {way, reason} = await cameraWay();
    this.way = way;
    this.button.hidden = !way;
    this.absent.hidden = Boolean(way);
    this.absent.title = reason || '';
    this.absent.querySelector('.hidden').textContent = reason ? `: ${reason}` : '';
  }

  async open() {
    if (this.way === 'file') {
      this.file.click();
      return;
    }
    this.shutter.disabled = true;
    this.state.textContent = 'Waiting for the camera \u2026';
    this.dialog.showModal();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({audio: false,
        video: {facingMode: 'environment', width: {ideal: 1920}, height: {ideal: 1080}}});
      this.stop();
      this.stream = stream;
      if (!this.dialog.open) {  // it was closed while the browser asked
        this.stop();
        return;
      }
      this.video.srcObject = stream;
      await this.video.play();
      this.state.textContent = 'The picture goes to the server when you take it, not before.';
      this.shutter.disabled = false;
      this.shutter.focus();
    } catch (error) {
      if (this.dialog.open)
        this.state.textContent = CAMERA_ERRORS[error.name] || `The camera failed: ${error.message}`;
    }
  }

  stop() {
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = this.video.srcObject = null;
  }

  take() {
    const {videoWidth: width, videoHeight: height} = this.video;
    if (!width) return;
    const canvas = el('canvas', {width, height});
    canvas.getContext('2d').drawImage(this.video, 0, 0);
    const name = `photo ${++this.taken}.jpg`;
    canvas.toBlob((blob) => {
      if (blob) this.uploads.add([new File([blob], name, {type: 'image/jpeg'})]);
    }, 'image/jpeg', 0.92);
    this.dialog.close();
  }
}
