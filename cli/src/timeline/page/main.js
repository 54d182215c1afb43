// The page: state, and what keys and the mouse do to it. Nothing is drawn here; a change asks for a frame.
"use strict";

const $ = (id) => document.getElementById(id);
const LEAST_SPAN_NS = 50, KEY_HELP = [
  ["drag, ← →", "move in time"], ["wheel, + −", "zoom at the pointer"], ["shift + drag", "zoom into a range"],
  ["ctrl/shift + wheel, ↑ ↓", "scroll the threads"], ["0", "show everything"], ["click", "select a task: its dependences are drawn"],
  ["double click, f", "zoom to the task"], ["n, p", "next and previous task of the thread"], ["d", "to the predecessor that ended last"],
  ["/", "search; Enter goes to the next match"], ["m", "next colour mode"], ["t", "light or dark"], ["s", "side panel"], ["Esc", "clear"],
];

class Timeline {
  constructor(runs) {
    this.runs = runs;
    this.longest = Math.max(1, ...runs.map((run) => run.endNs));
    this.view = { from: 0, to: this.longest, scroll: 0 };
    this.selected = this.hovered = this.pointer = this.range = this.matches = null;
    this.edges = { predecessors: [], successors: [], creator: -1 };
    this.drawing = new Drawing($("base"), $("overlay"));
    this.overview = new Overview($("overview"));
    this.profiles = runs.map((run) => Overview.profile(run, this.longest, 600));
    this.frames = { drawn: 0, worst: 0, last: 0 };
    this.mode = runs.some((run) => run.summary.bytes > 0) ? "cost" : "function";
    this.rowOf = (run, thread) => this.rows[run.number][thread];
  }

  // Everything that depends on sizes and colours.
  refresh() {
    this.drawing.resize();
    this.layout = layOut(this.runs, this.drawing.height - AXIS);
    this.rows = this.runs.map(() => []);
    for (const row of this.layout.rows) this.rows[row.run.number][row.thread] = row;
    this.painter = new Painter(this.runs, this.mode, this.matches);
    this.lanes = new Map(this.layout.rows.map((row) => [row, new Lane(row.run, row.thread, this.painter)]));
    drawLegend($("legend"), this.painter);
    this.moveTo(this.view.from, this.view.to, this.view.scroll);
    // At once: a canvas that got a new size is black until something is drawn.
    this.paint();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const start = performance.now();
    if (this.stale) { this.drawing.draw(this); this.overview.draw(this); }
    this.stale = false;
    this.drawing.drawOverlay(this);
    this.frames.last = performance.now() - start;
    this.frames.worst = Math.max(this.frames.worst, this.frames.last);
    this.frames.drawn += 1;
  }

  moveTo(from, to, scroll = this.view.scroll) {
    const span = Math.min(Math.max(to - from, LEAST_SPAN_NS), this.longest * 1.02);
    const start = Math.min(Math.max(from, -0.01 * this.longest), this.longest * 1.01 - span);
    const most = Math.max(0, this.layout.height - (this.drawing.height - AXIS));
    this.view = { from: start, to: start + span, scroll: Math.min(Math.max(scroll, 0), most) };
    this.stale = true;
    this.ask();
  }

  zoom(factor, x = (this.drawing.width + GUTTER) / 2) {
    const { from, to } = this.view, share = (x - GUTTER) / (this.drawing.width - GUTTER);
    const at = from + (to - from) * share, span = Math.max((to - from) * factor, LEAST_SPAN_NS);
    this.moveTo(at - span * share, at + span * (1 - share));
  }

  pan(pixels, rows = 0) {
    const shift = pixels * this.drawing.perPixel;
    this.moveTo(this.view.from + shift, this.view.to + shift, this.view.scroll + rows);
  }

  fit() { this.moveTo(0, this.longest, 0); }

  timeAt(x) { return this.view.from + (x - GUTTER) * this.drawing.perPixel; }

  // The task at a place of the drawing, or null; `what` says what else is there.
  find(x, y) {
    const at = y - AXIS + this.view.scroll;
    if (x < GUTTER || y < AXIS) return null;
    const row = this.layout.rows.find((row) => at >= row.y && at < row.y + row.height + 1);
    if (!row) return null;
    const { run, thread } = row, ticks = this.timeAt(x) / run.tick, reach = 2 * this.drawing.perPixel / run.tick;
    let segment = run.segmentAt(thread, ticks);
    if (segment < 0) return { run, thread, what: NOTHING };
    // A pixel's width to either side, so that the thinnest task can be hit.
    for (const near of [segment, segment + 1, segment - 1]) {
      if (near < run.laneFrom[thread] || near >= run.laneFrom[thread + 1] || run.segmentWhat[near] < FIRST_TASK) continue;
      if (run.segmentStart[near] - reach <= ticks && run.segmentEnd(near, thread) + reach >= ticks) {
        return { run, thread, what: run.segmentWhat[near], task: run.segmentWhat[near] - FIRST_TASK };
      }
    }
    return { run, thread, what: run.segmentWhat[segment] };
  }

  select(run, task) {
    this.selected = run ? { run, task } : null;
    if (run) {
      const parent = run.parent[task];
      this.edges = {
        predecessors: [...run.predecessorsOf(task)], successors: run.successorsOf(task, MOST_CURVES),
        creator: parent === NO_INDEX ? -1 : parent,
      };
    }
    showSelection(this);
    $("status").textContent = run ? `Selected ${run.nameOf(task)}, task ${run.id[task]}: ${formatTime(run.self[task] * run.tick)} on ${run.threads[run.thread[task]].name}` : "";
    this.ask();
  }

  // Brings a task into view, zooming only as far as needed to see it.
  reveal(run, task, close = false) {
    const start = run.startOf(task), length = Math.max(run.endOf(task) - start, 1);
    const { from, to, scroll } = this.view, row = this.rowOf(run, run.thread[task]);
    let span = to - from;
    if (close || length > span || length / span < 0.003) span = Math.min(length * (close ? 3 : 30), this.longest);
    const inside = !close && span === to - from && start >= from && start + length <= to;
    const middle = start + length / 2, view = this.drawing.height - AXIS;
    const high = row.y < scroll || row.y + row.height > scroll + view ? row.y - view / 2 : scroll;
    if (inside) this.moveTo(from, to, high); else this.moveTo(middle - span / 2, middle + span / 2, high);
  }

  go(run, task) { this.select(run, task); this.reveal(run, task); }

  // The next task of the selected one's thread, in either direction.
  step(direction) {
    const run = this.selected?.run ?? this.runs[0];
    if (!run.tasks) return;
    const thread = this.selected ? run.thread[this.selected.task] : 0;
    const ticks = this.selected ? run.start[this.selected.task] : this.view.from / run.tick;
    let segment = run.segmentAt(thread, ticks);
    if (this.selected) {
      while (segment >= run.laneFrom[thread] && run.segmentWhat[segment] !== this.selected.task + FIRST_TASK) segment--;
    }
    for (segment += direction; segment >= run.laneFrom[thread] && segment < run.laneFrom[thread + 1]; segment += direction) {
      const what = run.segmentWhat[segment];
      if (what >= FIRST_TASK && what - FIRST_TASK !== this.selected?.task) return this.go(run, what - FIRST_TASK);
    }
  }

  follow() {
    if (!this.selected) return;
    const { run } = this.selected;
    const last = [...this.edges.predecessors].sort((a, b) => run.endOf(b) - run.endOf(a))[0] ?? this.edges.creator;
    if (last >= 0) this.go(run, last);
  }

  // Dims all that does not match; a number is a task's id, anything else part of a function's name.
  search(text) {
    const wanted = text.trim().toLowerCase();
    this.matches = null;
    this.found = [];
    if (wanted) {
      const id = /^#?\d+$/.test(wanted) ? Number(wanted.replace("#", "")) : NaN;
      this.matches = this.runs.map((run) => {
        const names = run.names.map((name) => name.toLowerCase().includes(wanted)), matches = new Uint8Array(run.tasks);
        for (let task = 0; task < run.tasks; task++) {
          matches[task] = Number.isNaN(id) ? names[run.name[task]] : run.id[task] === id;
          if (matches[task] && this.found.length < 1e6) this.found.push({ run, task });
        }
        return matches;
      });
      this.found.sort((a, b) => a.run.number - b.run.number || a.run.start[a.task] - b.run.start[b.task]);
    }
    this.foundAt = -1;
    $("matches").textContent = wanted ? formatCount(this.found.length) : "";
    this.refresh();
  }

  nextMatch(direction) {
    if (!this.found?.length) return;
    this.foundAt = (this.foundAt + direction + this.found.length) % this.found.length;
    const { run, task } = this.found[this.foundAt];
    $("matches").textContent = `${formatCount(this.foundAt + 1)} of ${formatCount(this.found.length)}`;
    this.go(run, task);
  }

  setMode(mode) {
    this.mode = mode;
    $("mode").value = mode;
    this.refresh();
  }

  toggleTheme() {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    this.refresh();
    drawPanel(this);
  }
}

function listenToMouse(timeline) {
  const canvas = $("overlay"), drawing = timeline.drawing;
  let drag = null;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return { x: event.clientX - box.left, y: event.clientY - box.top }; };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const amount = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    if (event.shiftKey || event.ctrlKey) timeline.pan(0, amount);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.pan(event.deltaX);
    else timeline.zoom(Math.exp(Math.min(Math.max(amount, -300), 300) * 0.0022), place(event).x);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    const at = place(event);
    drag = { ...at, view: timeline.view, range: event.shiftKey, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    timeline.pointer = at;
    if (!drag) { hover(timeline, at); return; }
    drag.moved ||= Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > 3;
    if (!drag.moved) return;
    $("tip").hidden = true;
    if (drag.range) {
      timeline.range = [Math.min(at.x, drag.x), Math.max(at.x, drag.x)];
      timeline.ask();
    } else {
      canvas.classList.add("dragging");
      const shift = (drag.x - at.x) * drawing.perPixel;
      timeline.moveTo(drag.view.from + shift, drag.view.to + shift, drag.view.scroll + drag.y - at.y);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const at = place(event);
    canvas.classList.remove("dragging");
    if (drag && !drag.moved) {
      const found = timeline.find(at.x, at.y);
      timeline.select(found?.task === undefined ? null : found.run, found?.task);
    } else if (timeline.range) {
      const [from, to] = timeline.range.map((x) => timeline.timeAt(x));
      timeline.range = null;
      timeline.moveTo(from, to);
    }
    drag = null;
  });
  canvas.addEventListener("dblclick", () => { if (timeline.selected) timeline.reveal(timeline.selected.run, timeline.selected.task, true); });
  canvas.addEventListener("pointerleave", () => { timeline.pointer = timeline.hovered = null; $("tip").hidden = true; timeline.ask(); });
  const strip = $("overview");
  const centre = (event) => {
    if (!event.buttons) return;
    const box = strip.getBoundingClientRect(), span = timeline.view.to - timeline.view.from;
    const at = (event.clientX - box.left - GUTTER) / (box.width - GUTTER) * timeline.longest;
    timeline.moveTo(at - span / 2, at + span / 2);
  };
  strip.addEventListener("pointerdown", (event) => { strip.setPointerCapture(event.pointerId); centre(event); });
  strip.addEventListener("pointermove", centre);
}

function hover(timeline, { x, y }) {
  const found = timeline.find(x, y), tip = $("tip");
  timeline.hovered = found?.task === undefined ? null : found;
  tip.hidden = !found || found.what === NOTHING;
  if (!tip.hidden) {
    tip.replaceChildren(...describe(found));
    const { width, height } = timeline.drawing;
    tip.style.left = `${x + 16 + tip.offsetWidth > width ? Math.max(x - tip.offsetWidth - 12, 4) : x + 16}px`;
    tip.style.top = `${Math.max(Math.min(y + 14, height - tip.offsetHeight - 6), 4)}px`;
  }
  timeline.ask();
}

function listenToKeys(timeline) {
  const actions = {
    ArrowLeft: () => timeline.pan(-90), ArrowRight: () => timeline.pan(90),
    ArrowUp: () => timeline.pan(0, -60), ArrowDown: () => timeline.pan(0, 60),
    "+": () => timeline.zoom(0.6), "=": () => timeline.zoom(0.6), "-": () => timeline.zoom(1 / 0.6),
    0: () => timeline.fit(), Home: () => timeline.fit(), n: () => timeline.step(1), p: () => timeline.step(-1),
    d: () => timeline.follow(), f: () => timeline.selected && timeline.reveal(timeline.selected.run, timeline.selected.task, true),
    "/": () => $("search").focus(), "?": () => $("keys").showModal(), t: () => timeline.toggleTheme(),
    m: () => { const modes = Object.keys(MODES); timeline.setMode(modes[(modes.indexOf(timeline.mode) + 1) % modes.length]); },
    s: () => $("fold").click(), Escape: () => timeline.select(null),
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    // The panel scrolls with the arrows; a button acts on Enter and the space bar.
    if (event.key.startsWith("Arrow") && event.target.closest("#panel")) return;
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  let later = 0;
  $("search").addEventListener("input", (event) => {
    clearTimeout(later);
    later = setTimeout(() => timeline.search(event.target.value), 150);
  });
  $("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") timeline.nextMatch(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { event.target.value = ""; timeline.search(""); $("overlay").focus(); }
  });
}

function listenToButtons(timeline) {
  for (const [mode, { label }] of Object.entries(MODES)) $("mode").append(new Option(label, mode));
  $("mode").value = timeline.mode;
  $("mode").addEventListener("change", (event) => timeline.setMode(event.target.value));
  $("fit").addEventListener("click", () => timeline.fit());
  $("theme").addEventListener("click", () => timeline.toggleTheme());
  $("help").addEventListener("click", () => $("keys").showModal());
  $("fold").addEventListener("click", () => { document.body.classList.toggle("folded"); timeline.refresh(); });
  $("keys").append(element("h2", { textContent: "Keys and mouse" }), facts(KEY_HELP), element("p", { className: "muted", textContent: "Esc closes this." }));
  new ResizeObserver(() => timeline.refresh()).observe($("drawing"));
}

async function main() {
  const page = JSON.parse($("data").textContent);
  $("data").remove();
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.querySelector("h1").textContent = page.title;
  $("subtitle").textContent = page.subtitle;
  const runs = await Promise.all(page.runs.map((description, number) => Run.open(description, number)));
  const timeline = new Timeline(runs);
  timeline.page = page;
  timeline.shown = runs[0];
  listenToButtons(timeline);
  timeline.refresh();
  drawPanel(timeline);
  listenToMouse(timeline);
  listenToKeys(timeline);
  window.timeline = timeline;
  document.documentElement.dataset.ready = "yes";
}

main().catch((error) => {
  $("status").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
