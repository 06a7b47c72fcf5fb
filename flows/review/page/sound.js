// Playing takes, and drawing them: peaks come from the server, the take's flaws are bands behind them.

const audio = document.getElementById("sound");
const canvas = document.getElementById("wave");
const time = document.getElementById("time");
const drawn = new Map();
let key = "";
let queue = [];
let shown = { key: "", peaks: [], seconds: 0, flaws: [] };
let told = () => {};

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}.${Math.floor((seconds * 10) % 10)}`;

export const onChange = (listener) => { told = listener; };
export const playing = () => (audio.paused || audio.ended ? "" : key);

export function stop() {
  queue = [];
  audio.pause();
}

export function play(next, after = []) {
  queue = after;
  if (key !== next) {
    key = next;
    audio.src = `/sound/${key}.flac`;
  } else if (audio.ended) {
    audio.currentTime = 0;
  }
  audio.play().catch(() => told());
}

export function toggle(next) {
  if (playing() === next) stop();
  else play(next);
}

export async function show(next, flaws) {
  shown = { key: next, peaks: [], seconds: 0, flaws };
  draw();
  if (!next) return;
  if (!drawn.has(next)) {
    const answer = await fetch(`/api/peaks/${next}`);
    if (!answer.ok) return;
    if (drawn.size > 300) drawn.clear();
    drawn.set(next, await answer.json());
  }
  if (shown.key === next) {
    Object.assign(shown, drawn.get(next));
    draw();
  }
}

function at() {
  return key === shown.key ? audio.currentTime : 0;
}

function seek(seconds) {
  if (!shown.key) return;
  const place = Math.min(Math.max(seconds, 0), shown.seconds);
  if (key !== shown.key) {
    key = shown.key;
    audio.src = `/sound/${key}.flac`;
    audio.addEventListener("loadedmetadata", () => { audio.currentTime = place; }, { once: true });
  } else {
    audio.currentTime = place;
  }
  draw();
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (!width || !height) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  pen.clearRect(0, 0, width, height);
  const { peaks, seconds, flaws } = shown;
  for (const flaw of flaws) {
    if (flaw.start === undefined || !seconds) continue;
    const left = (flaw.start / seconds) * width;
    pen.fillStyle = colour("--warn-paper");
    pen.fillRect(left, 0, Math.max(((flaw.end - flaw.start) / seconds) * width, 3 * ratio), height);
  }
  const done = seconds ? at() / seconds : 0;
  const step = width / Math.max(peaks.length, 1);
  const loudest = Math.max(0.1, ...peaks);
  peaks.forEach((peak, place) => {
    const tall = Math.max((peak / loudest) * height * 0.92, ratio);
    pen.fillStyle = (place + 0.5) / peaks.length <= done ? colour("--bar") : colour("--soft");
    pen.globalAlpha = (place + 0.5) / peaks.length <= done ? 1 : 0.55;
    pen.fillRect(place * step, (height - tall) / 2, Math.max(step * 0.7, 1), tall);
  });
  pen.globalAlpha = 1;
  if (seconds) {
    pen.fillStyle = colour("--ink");
    pen.fillRect(Math.min(done * width, width - 2 * ratio), 0, 2 * ratio, height);
  }
  time.textContent = seconds ? `${clock(at())} / ${clock(seconds)}` : "";
  canvas.setAttribute("aria-valuemax", seconds.toFixed(1));
  canvas.setAttribute("aria-valuenow", at().toFixed(1));
  canvas.setAttribute("aria-valuetext", seconds ? `${at().toFixed(1)} of ${seconds.toFixed(1)} seconds` : "not recorded");
}

function follow() {
  draw();
  if (playing()) requestAnimationFrame(follow);
}

audio.addEventListener("play", () => { told(); follow(); });
audio.addEventListener("pause", () => { told(); draw(); });
audio.addEventListener("seeked", draw);
audio.addEventListener("ended", () => {
  const [next, ...rest] = queue;
  if (next) play(next, rest);
  told();
  draw();
});

const placeOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return ((event.clientX - box.left) / box.width) * shown.seconds;
};
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  seek(placeOf(event));
});
canvas.addEventListener("pointermove", (event) => {
  if (canvas.hasPointerCapture(event.pointerId)) seek(placeOf(event));
});
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -0.5, ArrowRight: 0.5, Home: -1e9, End: 1e9 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  seek(at() + step);
});
new ResizeObserver(draw).observe(canvas);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
