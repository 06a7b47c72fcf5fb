// What the server tells, as elements. Text goes in as text only: books come from strangers.

export const byId = (id) => document.getElementById(id);

export function make(tag, settings = {}, ...inside) {
  const { dataset, ...rest } = settings;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, dataset ?? {});
  made.append(...inside);
  return made;
}

const WORDS = { "": "all", flagged: "flagged", unchecked: "not checked", waiting: "not recorded", passed: "passed", approved: "approved", skipped: "left out" };
export const stateName = (state) => WORDS[state] ?? state;
export const chip = (state) => make("span", { className: `chip ${state}` }, stateName(state));
const words = (code) => code.replaceAll("-", " ");

export function options(select, rows, value) {
  select.replaceChildren(...rows.map(([own, text]) => make("option", { value: own }, text)));
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
}

const pieces = (found) => found.map(([text, kind]) => (kind === "same" ? text : make("mark", { className: kind }, text)));

export function header(book) {
  document.title = `${book.title}: review`;
  byId("title").textContent = book.title;
  const { flagged, approved } = book.states;
  byId("summary").textContent = `${book.lines} lines, ${flagged} flagged, ${approved} approved · ${book.engine}`
    + (book.looked_at < book.lines ? ` · looking for doubtful readings (${Math.floor((book.looked_at / book.lines) * 100)} %)` : "");
  byId("stale").hidden = !book.stale;
}

export function filters(book, wanted) {
  const counted = (found) => Object.entries(found).sort((a, b) => b[1] - a[1]).map(([name, count]) => [name, `${words(name)} (${count})`]);
  const states = Object.entries(book.states).filter(([, count]) => count).map(([name, count]) => [name, `${stateName(name)} (${count})`]);
  options(byId("state"), [["", `all (${book.lines})`], ...states], wanted.state);
  options(byId("reason"), [["", "any"], ...counted(book.reasons)], wanted.reason);
  options(byId("speaker"), [["", "anyone"], ...counted(book.speakers)], wanted.speaker);
  options(byId("chapter"), [["", "all"], ...book.chapters.map(({ number, title }) => [String(number), `${number} ${title}`])], wanted.chapter);
}

export function row(one, current) {
  const button = make("button", { type: "button", dataset: { place: `${one.chapter}/${one.id}` } },
    make("span", { className: "what" }, one.text),
    chip(one.state),
    make("span", { className: "why" }, [`${one.chapter} · ${one.speaker}`, ...one.reasons.map((reason) => words(reason.code ?? reason))].join(" · ")));
  if (current) button.setAttribute("aria-current", "true");
  return make("li", {}, button);
}

function beside(button, one, side) {
  button.disabled = !one?.key;
  button.dataset.key = one?.key ?? "";
  button.setAttribute("aria-label", one ? `Play the line ${side}: ${one.text}` : `There is no line ${side}`);
  button.replaceChildren(
    make("span", { className: "mark", ariaHidden: "true" }, one?.key ? "▷" : "·"),
    make("span", { className: "what" }, one ? one.text : side === "before" ? "the beginning" : "the end"));
}

export function line(one, take, book) {
  const chapter = book.chapters.find(({ number }) => number === one.chapter);
  byId("line").hidden = false;
  byId("nothing").hidden = true;
  byId("where").replaceChildren(`${one.chapter} ${chapter?.title ?? ""}`, chip(one.state));
  byId("text").textContent = one.text;
  byId("who").textContent = [
    one.speaker, one.voice_name || one.voice_id, one.style_asked,
    one.fields.speed === null ? "" : `speed ${one.fields.speed}`, one.language === "zh" ? "" : one.language,
  ].filter(Boolean).join(" · ");
  byId("reasons").replaceChildren(...one.reasons.map(({ code, what }) => make("li", {}, make("b", {}, words(code)), what ? ` ${what}` : "")));
  beside(byId("before"), one.before, "before");
  beside(byId("after"), one.after, "after");
  const mine = one.tries.find((each) => each.take === take);
  byId("spoken").replaceChildren(...pieces(mine?.spoken ?? [[one.fields.spoken, "same"]]));
  const heard = mine?.heard ?? [];
  byId("heard").replaceChildren(...(heard.length ? pieces(heard) : [make("span", { className: "soft" }, mine ? "nobody has listened" : "not recorded")]));
  byId("tries").replaceChildren(...one.tries.map((each) => {
    const good = each.approved ? "approved" : each.outcome === "pass" ? "passed" : each.outcome ? "fails" : "not checked";
    const button = make("button", { type: "button", dataset: { take: each.take }, title: each.flaws.map(({ what }) => what).join("; ") },
      `Take ${each.take}${each.chosen ? " ✓" : ""}`, make("small", {}, `${good} · ${each.seconds.toFixed(1)} s`));
    button.setAttribute("aria-pressed", String(each.take === take));
    button.setAttribute("aria-label", `Take ${each.take}, ${good}, ${each.seconds.toFixed(1)} seconds${each.chosen ? ", in use" : ""}`);
    return button;
  }));
  byId("listen").hidden = !book.ear || !mine;
  byId("choose").hidden = !mine || one.tries.length < 2 || !one.editable;
  byId("choose").lastChild.textContent = one.fields.take === take ? "Leave the choice to the check" : "Use this take";
  for (const name of ["edit", "style", "voice"]) document.querySelector(`[data-do=${name}]`).disabled = !one.editable;
  byId("approve").disabled = !mine;
  byId("approve").lastChild.textContent = mine?.approved ? "Approved" : "Approve";
  byId("approve").setAttribute("aria-pressed", String(Boolean(mine?.approved)));
  document.querySelector("[data-do=again]").disabled = one.state === "skipped";
  document.querySelector("[data-do=again]").lastElementChild.textContent = one.tries.length ? "Again" : "Record";
  byId("wave-box").hidden = !mine;
}

export function doubts(one, choose) {
  byId("doubts").replaceChildren(...one.doubts.filter((each) => each.candidates.length > 1).slice(0, 8).map((each) =>
    make("div", {}, make("b", {}, each.word), ...each.candidates.slice(0, 4).map(([phones, share]) => {
      const button = make("button", { type: "button" }, `${each.char} ${phones}`, make("small", {}, ` ${Math.round(share * 100)} %`));
      button.setAttribute("aria-pressed", String(phones === each.phones));
      button.addEventListener("click", () => choose(each.word, each.syllables.map((own, at) => (at === each.at ? phones : own)).join(" ")));
      return button;
    }))));
}
