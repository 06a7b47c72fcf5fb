// The page's state, its keys, and what it asks of the server.

import * as sound from "./sound.js";
import * as views from "./views.js";
import { byId } from "./views.js";

const FILTERS = ["state", "reason", "chapter", "speaker", "order"];
const wanted = { state: "", reason: "", chapter: "", speaker: "", order: "suspicion", text: "" };
const WIDE = window.matchMedia("(min-width: 60rem)");
let book = null;
let list = { rows: [], offset: 0, total: 0, limit: 50 };
let line = null;
let take = 0;
let asked = 0;

class Trouble extends Error {}

async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json", "X-Voicepress": "review" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Trouble("voicepress does not answer; is it still running?");
  }
  if (answer.ok) return answer.json();
  const error = (await answer.json().catch(() => null))?.error;
  throw new Trouble(error ? [error.what, error.where, error.hint].filter(Boolean).join(" · ") : `the server refuses (${answer.status}); open the address that voicepress printed`);
}

// ---------------------------------------------------------------- what is said to the person

let silence = 0;
function say(text, kind = "") {
  clearTimeout(silence);
  byId("status").className = kind;
  byId("status").textContent = text;
  if (kind !== "busy" && text) silence = setTimeout(() => say(""), kind === "bad" ? 15000 : 4000);
}

async function trying(run) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    say(error.message, "bad");
    return null;
  }
}

// ---------------------------------------------------------------- lists

const placeOf = (one) => `${one.chapter}/${one.id}`;
const pathOf = (place) => `/api/line/${place.split("/")[0]}/${encodeURIComponent(place.slice(place.indexOf("/") + 1))}`;

async function loadBook() {
  book = await ask("/api/book");
  views.header(book);
  views.filters(book, wanted);
  views.options(byId("f-voice"), [["", "as cast"], ...book.voices.map(({ id, name }) => [id, name && name !== id ? `${id} (${name})` : id])], "");
  byId("names").replaceChildren(...book.names.map((value) => views.make("option", { value })));
  byId("styles").replaceChildren(...book.styles.map((value) => views.make("option", { value })));
}

async function loadList({ offset = 0, fresh = false, around = "" } = {}) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
  query.set("offset", offset);
  if (fresh) query.set("fresh", "1");
  if (around) query.set("around", around);
  list = await ask(`/api/lines?${query}`);
  drawList();
}

function drawList() {
  const here = line ? placeOf(line) : "";
  byId("rows").replaceChildren(...list.rows.map((one) => views.row(one, placeOf(one) === here)));
  const last = list.offset + list.rows.length;
  byId("page-place").textContent = list.total ? `${list.offset + 1}–${last} of ${list.total}` : "no line";
  byId("page-before").disabled = list.offset === 0;
  byId("page-after").disabled = last >= list.total;
  const row = byId("rows").querySelector("[aria-current]");
  if (row && WIDE.matches) row.scrollIntoView({ block: "nearest" }); // elsewhere the line itself is what to look at
}

async function choosePage(step) {
  await loadList({ offset: list.offset + step * list.limit });
}

// ---------------------------------------------------------------- one line

async function open(place, { play = false } = {}) {
  const mine = ++asked;
  const found = await ask(pathOf(place));
  if (mine !== asked) return;
  show(found);
  history.replaceState(null, "", `/#${place}`);
  if (byId("stage").getBoundingClientRect().top < 0) byId("stage").scrollIntoView();
  if (play && byId("autoplay").checked && current()) sound.play(current().key);
  else sound.stop();
}

function show(found, number) {
  line = found;
  take = number ?? found.take;
  if (!found.tries.some((one) => one.take === take)) take = found.tries.at(-1)?.take ?? 0;
  draw();
  const at = list.rows.findIndex((one) => placeOf(one) === placeOf(found));
  if (at >= 0) list.rows[at] = { ...found };
  drawList();
}

function draw() {
  views.line(line, take, book);
  sound.show(current()?.key ?? "", current()?.flaws ?? []);
  drawPlay();
}

const current = () => line?.tries.find((one) => one.take === take) ?? null;

function drawPlay() {
  const on = Boolean(sound.playing());
  byId("play").lastElementChild.textContent = on ? "Pause" : "Play";
  byId("play").disabled = !current() && !on;
}

function listenTo(number) {
  take = number;
  draw();
  if (current()) sound.play(current().key);
}

async function move(step) {
  if (!line) return;
  const at = list.rows.findIndex((one) => placeOf(one) === placeOf(line));
  let next = at + step;
  if (at < 0) next = step > 0 ? 0 : list.rows.length - 1;
  if (next < 0 && list.offset > 0) {
    await choosePage(-1);
    next = list.rows.length - 1;
  } else if (next >= list.rows.length && list.offset + list.rows.length < list.total) {
    await choosePage(1);
    next = 0;
  }
  if (list.rows[next]) await open(placeOf(list.rows[next]), { play: true });
  else say(step > 0 ? "this is the last line of the list" : "this is the first line of the list");
}

// ---------------------------------------------------------------- what a person does

const about = (more = {}) => ({ chapter: line.chapter, line: line.id, ...more });

async function done(answer, { play = true } = {}) {
  if (!answer.line) {
    await loadList({ fresh: true });
    if (list.rows[0]) await open(placeOf(list.rows[0]));
  } else {
    show(answer.line, answer.line.tries.some((one) => one.take === take) ? take : undefined);
  }
  if (answer.work) await follow(answer.work, play);
  book = await ask("/api/book");
  views.header(book);
}

const STAGES = { waiting: "Waiting for the engine", "loading the engine": "Loading the engine", recording: "Recording", checking: "Checking", listening: "Listening" };

async function follow(work, play) {
  while (work.state === "waiting" || work.state === "working") {
    say(`${STAGES[work.stage] ?? work.stage} …`, "busy");
    work = await ask(`/api/work/${work.id}`);
  }
  const here = line && line.chapter === work.chapter && line.id === work.line;
  if (work.state === "failed") {
    say([work.error.what, work.error.where, work.error.hint].filter(Boolean).join(" · "), "bad");
  } else {
    say("");
  }
  const found = await ask(pathOf(`${work.chapter}/${work.line}`));
  const at = list.rows.findIndex((one) => placeOf(one) === placeOf(found));
  if (at >= 0) list.rows[at] = { ...found };
  if (!here) {
    drawList();
    return;
  }
  show(found, work.take ?? undefined);
  if (work.state !== "done") return;
  const made = current();
  if (made && play) sound.play(made.key);
  if (play) say(made?.outcome === "pass" ? `Take ${take} is recorded and passes` : made?.outcome ? `Take ${take} is recorded: ${made.flaws.map(({ what }) => what).join("; ")}` : `Take ${take} is recorded`);
}

const actions = {
  next: () => move(1),
  previous: () => move(-1),
  play() {
    if (sound.playing() && sound.playing() !== current()?.key) sound.stop();
    else if (current()) sound.toggle(current().key);
  },
  context() {
    const keys = [line.before?.key, current()?.key, line.after?.key].filter(Boolean);
    if (keys.length) sound.play(keys[0], keys.slice(1));
  },
  async approve() {
    if (!current()) return;
    const good = !current().approved;
    const number = take;
    await done(await ask("/api/approve", about({ take: number, good })));
    say(good ? `Take ${number} is approved` : "No longer approved");
    if (good) await move(1);
  },
  again: async () => done(await ask("/api/again", about())),
  listen: async () => done(await ask("/api/listen", about({ take })), { play: false }),
  async choose() {
    await done(await ask("/api/choose", about({ take: line.fields.take === take ? null : take })));
    say(line.fields.take === null ? "The check chooses the take" : `Take ${take} is used from now on`);
  },
  edit: () => openEdit("f-spoken"),
  style: () => openEdit("f-style"),
  voice: () => openEdit("f-voice"),
  reading: () => openReading(),
  help: () => byId("help-dialog").showModal(),
};

function act(name) {
  if (!line && name !== "help") return;
  const button = document.querySelector(`[data-do=${name}]`);
  if (button && (button.disabled || button.hidden)) return;
  trying(async () => actions[name]());
}

// ---------------------------------------------------------------- dialogs

const NUMBERS = ["speed", "pause"];

function openEdit(focus) {
  byId("edit-text").textContent = line.text;
  for (const name of ["spoken", "speaker", "style", "speed", "pause"]) byId(`f-${name}`).value = line.fields[name] ?? "";
  byId("f-voice").value = line.fields.voice;
  if (byId("f-voice").value !== line.fields.voice) {
    byId("f-voice").append(views.make("option", { value: line.fields.voice }, line.fields.voice));
    byId("f-voice").value = line.fields.voice;
  }
  byId("f-skip").checked = line.fields.skip;
  count();
  openDialog("edit-dialog", focus);
}

function openReading() {
  const picked = String(getSelection()).trim();
  byId("reading-text").textContent = line.fields.spoken;
  const doubt = line.doubts[0]?.sure < 0.9 ? line.doubts[0] : null;
  const chosen = picked && line.fields.spoken.includes(picked);
  byId("r-word").value = chosen ? picked : doubt?.word ?? "";
  byId("r-phones").value = chosen ? "" : doubt?.syllables.join(" ") ?? "";
  const scopes = document.querySelectorAll("[name=scope]");
  for (const scope of scopes) scope.disabled = scope.value === "line" && !line.editable;
  views.doubts(line, (word, phones) => {
    byId("r-word").value = word;
    byId("r-phones").value = phones;
  });
  openDialog("reading-dialog", byId("r-word").value ? "r-phones" : "r-word");
}

function openDialog(id, focus) {
  const dialog = byId(id);
  dialog.querySelector(".trouble").textContent = "";
  dialog.showModal();
  byId(focus).focus();
}

function count() {
  const length = [...byId("f-spoken").value].length;
  byId("f-count").textContent = `${length} of ${book.max_chars} characters`;
  byId("f-count").className = length > book.max_chars ? "over" : "";
}

function changes() {
  const found = {};
  for (const name of ["spoken", "speaker", "style", "voice", ...NUMBERS]) {
    const written = byId(`f-${name}`).value.trim();
    const value = NUMBERS.includes(name) ? (written === "" ? null : Number(written)) : written;
    if (value !== (line.fields[name] ?? (NUMBERS.includes(name) ? null : ""))) found[name] = value;
  }
  if (byId("f-skip").checked !== line.fields.skip) found.skip = byId("f-skip").checked;
  return found;
}

function onSubmit(id, send) {
  const dialog = byId(id);
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = dialog.querySelector("[type=submit]");
    button.disabled = true;
    try {
      const answer = await send();
      dialog.close();
      if (answer) trying(async () => done(answer));
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      dialog.querySelector(".trouble").textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}

onSubmit("edit-dialog", async () => {
  const fields = changes();
  if (!Object.keys(fields).length) return null;
  const answer = await ask("/api/edit", about({ fields, revision: line.revision }));
  say("Saved");
  return answer;
});
onSubmit("reading-dialog", async () => {
  const everywhere = document.querySelector("[name=scope]:checked").value === "book";
  say("Reading the book anew …", "busy");
  try {
    const answer = await ask("/api/reading", about({ word: byId("r-word").value, phones: byId("r-phones").value, everywhere }));
    say(answer.changed ? `Saved; ${answer.changed} more ${answer.changed === 1 ? "line is" : "lines are"} recorded by the next make` : "Saved");
    return answer;
  } catch (error) {
    say("");
    throw error;
  }
});
byId("f-spoken").addEventListener("input", count);
for (const button of document.querySelectorAll("dialog .cancel")) button.addEventListener("click", () => button.closest("dialog").close());

// ---------------------------------------------------------------- keys and buttons

const KEYS = {
  j: "next", ArrowDown: "next", k: "previous", ArrowUp: "previous", " ": "play", a: "approve", r: "again", e: "edit",
  g: "reading", s: "style", v: "voice", c: "context", u: "choose", l: "listen", "?": "help",
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || document.querySelector("dialog[open]")) return;
  const target = event.target;
  if (target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (event.key === " " && target.matches("button, input")) return;
  if (/^\d$/.test(event.key) && line) {
    if (line.tries.some((one) => one.take === Number(event.key))) listenTo(Number(event.key));
    return;
  }
  const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!name || (event.repeat && name !== "next" && name !== "previous")) return;
  event.preventDefault();
  act(name);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { do: name, place, take: number, key } = button.dataset;
  if (name) act(name);
  else if (place) trying(async () => open(place, { play: true }));
  else if (number !== undefined) listenTo(Number(number));
  else if (key) sound.toggle(key);
});
byId("help-button").addEventListener("click", () => actions.help());
byId("page-before").addEventListener("click", () => trying(async () => choosePage(-1)));
byId("page-after").addEventListener("click", () => trying(async () => choosePage(1)));
byId("sort").addEventListener("click", () => trying(async () => loadList({ fresh: true })));
byId("refresh").addEventListener("click", () => trying(async () => {
  say("Reading the book anew …", "busy");
  await ask("/api/refresh", {});
  await begin(line ? placeOf(line) : "");
  say("");
}));
async function filtered() {
  await loadList({ fresh: true });
  if (list.rows[0]) await open(placeOf(list.rows[0]));
}
for (const name of FILTERS) {
  byId(name).addEventListener("change", () => {
    wanted[name] = byId(name).value;
    trying(filtered);
  });
}
let typed = 0;
byId("search").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(() => {
    wanted.text = byId("search").value.trim();
    trying(async () => loadList({ fresh: true }));
  }, 250);
});
try {
  byId("autoplay").checked = localStorage.getItem("autoplay") !== "no";
} catch { /* a browser that keeps nothing */ }
byId("autoplay").addEventListener("change", () => {
  try {
    localStorage.setItem("autoplay", byId("autoplay").checked ? "yes" : "no");
  } catch { /* the same */ }
});
sound.onChange(drawPlay);

// ---------------------------------------------------------------- beginning

async function begin(place) {
  await loadBook();
  await loadList({ fresh: true, around: place });
  const first = list.rows.find((one) => placeOf(one) === place) ?? list.rows[0];
  if (first) await open(placeOf(first));
  else {
    byId("nothing").hidden = false;
    byId("nothing").textContent = "There is no line here.";
  }
}

async function watch() {
  const looking = book && book.looked_at < book.lines;
  const fresh = await ask("/api/book").catch(() => null);
  if (fresh) {
    book = fresh;
    views.header(book);
    if (looking && book.looked_at >= book.lines) views.filters(book, wanted);
  }
  setTimeout(watch, looking ? 2000 : 10000);
}

const start = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, "", `/${location.hash}`); // the token is in the cookie now
trying(async () => begin(start)).then(() => { document.body.dataset.ready = "yes"; watch(); });
