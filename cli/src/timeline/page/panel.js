// What stands beside the drawing: the selected task, advice, the summary, tables and histograms.
"use strict";

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.flat(Infinity));
  return made;
}

function facts(pairs) {
  return element("dl", { className: "facts" }, pairs.map(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]));
}

function section(title, open, ...content) {
  return element("details", { open }, element("summary", { textContent: title }), element("div", {}, ...content));
}

function note(text) { return element("p", { className: "muted", textContent: text }); }

function swatch(colour, text) {
  const box = element("i", { className: "swatch" });
  box.style.background = colour;
  return element("span", {}, box, text);
}

function drawLegend(legend, painter) {
  const items = [];
  if (painter.ramp) {
    const bar = element("span", { className: "ramp" });
    bar.style.background = `linear-gradient(90deg, ${painter.ramp.stops.join(",")})`;
    items.push(element("span", {}, painter.ramp.from, bar, painter.ramp.to));
    if (painter.hasUnknown) items.push(swatch(UNKNOWN, "task whose data are unknown"));
  }
  for (const [colour, text] of painter.keys ?? []) items.push(swatch(colour, text));
  const rest = element("span", { className: "rest" }, swatch("var(--region)", "region's own code"), swatch("var(--wait)", "waiting"), swatch("var(--lane)", "idle"));
  legend.replaceChildren(...items, rest);
}

// Everything that is known of a task, as names and values.
function factsOf(run, task) {
  const reach = run.reachOf(task), flags = run.flags[task], thread = run.threads[run.thread[task]];
  const place = (number) => number === NO_PLACE ? null : run.placeName(number);
  const pairs = [
    ["task", `${run.id[task]}${run.line[task] === NO_INDEX ? "" : `, ${run.names[run.line[task]]}`}`],
    ["ran on", `${thread.name}, ${place(run.at[task])}`],
    ["started at", formatTime(run.startOf(task), 6)],
    ["self time", formatTime(run.self[task] * run.tick)],
  ];
  if (run.length[task] > run.self[task]) pairs.push(["with what ran inside", formatTime(run.length[task] * run.tick)]);
  pairs.push(["created", `${formatTime(run.startOf(task) - run.created[task] * run.tick)} before`]);
  pairs.push(["waited in queues", flags & INCLUDED ? "no: ran at once in its creator" : formatTime((run.start[task] - run.ready[task]) * run.tick)]);
  if (reach.bytes) {
    pairs.push(["data", `${formatBytes(reach.bytes)}, ${formatShare(reach.remote / reach.bytes)} remote`]);
    pairs.push(["mean distance", `${reach.distance.toFixed(1)} (10 is local)`]);
    for (const { place: at, bytes } of run.bytesOf(task)) pairs.push([`  at ${run.placeName(at)}`, formatBytes(bytes)]);
  }
  if (place(run.dealt[task])) pairs.push(["dealt to", place(run.dealt[task])]);
  if (flags & STOLEN) pairs.push(["stolen", place(run.from[task]) ? `from ${place(run.from[task])}, ${run.hops[task]} hop${run.hops[task] === 1 ? "" : "s"}` : "yes"]);
  const edges = run.predecessorsOf(task).length;
  if (edges) pairs.push(["depends on", `${edges} task${edges > 1 ? "s" : ""}`]);
  if (flags & ON_PATH) pairs.push(["critical path", "on it"]);
  if (flags & CUT) pairs.push(["end", "running when the program ended"]);
  const from = run.countersFrom[task];
  for (let i = from; i < run.countersFrom[task + 1]; i++) pairs.push([run.counterNames[i - from] ?? "counter", formatCount(run.counters[i])]);
  return pairs;
}

const SEGMENT_NAMES = ["nothing", "code of the region, creating tasks", "loop iterations", "writing the trace", "waiting", "waiting at a barrier", "waiting at the end of the region", "taskwait", "taskgroup", "waiting for dependences"];

// For the tip under the pointer.
function describe({ run, thread, what, task }) {
  if (task !== undefined) return [element("strong", { textContent: run.nameOf(task) }), facts(factsOf(run, task))];
  return [element("strong", { textContent: run.threads[thread].name }), SEGMENT_NAMES[what] ?? "waiting"];
}

function showSelection(timeline) {
  const box = $("selection");
  if (!box) return;
  const { selected, edges } = timeline;
  if (!selected) { box.replaceChildren(note("Click a task, or press n.")); return; }
  const { run, task } = selected;
  const links = (title, tasks) => tasks.length ? [note(title), element("div", { className: "keys" }, tasks.slice(0, 12).map((other) =>
    element("button", { textContent: `${run.nameOf(other)} #${run.id[other]}`, onclick: () => timeline.go(run, other) })),
    tasks.length > 12 ? `and ${tasks.length - 12}${tasks.length === MOST_CURVES ? " or more" : ""} others` : "")] : [];
  box.replaceChildren(element("strong", { textContent: run.nameOf(task) }), facts(factsOf(run, task)),
    ...links("after", edges.predecessors), ...links("before", edges.successors), ...links("created by", edges.creator >= 0 ? [edges.creator] : []));
}

const TIME_PARTS = [["task", "tasks", "#52b69a"], ["chunk", "loops", "#8fc9b5"], ["region", "regions' own code and runtime", "var(--region)"],
  ["wait", "waiting", "var(--wait)"], ["write", "writing the trace", "var(--mark)"], ["idle", "outside regions", "var(--sunken)"]];

function summaryOf(run) {
  const { summary: s, path } = run, whole = Math.max(s.elapsed * s.threads, 1);
  const card = (value, text) => element("div", { className: "card" }, element("b", { textContent: value }), element("span", { textContent: text }));
  const stack = element("div", { className: "stack", role: "img", ariaLabel: TIME_PARTS.map(([key, name]) => `${name} ${formatShare(s[key] / whole)}`).join(", ") });
  const keys = element("div", { className: "keys" });
  for (const [key, name, colour] of TIME_PARTS) {
    if (!s[key]) continue;
    const bar = element("i");
    bar.style.cssText = `width:${s[key] / whole * 100}%;background:${colour}`;
    const box = element("i");
    box.style.background = colour;
    stack.append(bar);
    keys.append(element("span", {}, box, `${name} ${formatShare(s[key] / whole)}`));
  }
  const stolen = s.stolen.reduce((a, b) => a + b, 0);
  const steals = s.stolen.map((count, hops) => count ? `${formatCount(count)} ${hops ? `over ${hops} hop${hops > 1 ? "s" : ""}` : "within a location"}` : "").filter(Boolean);
  return [
    element("div", { className: "cards" },
      card(formatTime(s.elapsed), "elapsed"), card(formatShare(s.efficiency), "parallel efficiency"), card(formatCount(s.tasks), "tasks"),
      card(s.bytes ? formatShare(s.remote / s.bytes) : "–", "of bytes remote"), card(formatCount(stolen), "tasks stolen"), card(path.speedup === null ? "–" : `${path.speedup.toFixed(path.speedup < 10 ? 1 : 0)}×`, "at most with unlimited threads")),
    stack, keys,
    facts([["threads", `${s.threads} at ${run.locations.length} location${run.locations.length > 1 ? "s" : ""}`], ["data touched", s.bytes ? `${formatBytes(s.bytes)}, mean distance ${s.distance.toFixed(1)}` : run.unknownData ?? "none"],
      ["dealt by their data", formatCount(s.dealt)], ["run at once in their creator", formatCount(s.included)], ["stolen", steals.join(", ") || "none"]]),
  ];
}

function matrixOf(run) {
  const { matrix } = run.summary, most = Math.max(1, ...matrix.flat());
  if (run.unknownData) return note(run.unknownData);
  if (most <= 1) return note("No tasks.");
  const table = element("table", { className: "matrix" });
  table.append(element("tr", {}, element("th", { textContent: "data at ↓  ran at →" }), run.locations.map((place) => element("th", { textContent: place.name }))));
  matrix.forEach((row, from) => table.append(element("tr", {}, element("th", { textContent: run.placeName(from) }), row.map((bytes, to) => {
    const [r, g, b] = along(GREEN_TO_BLUE, (run.distances[to * matrix.length + from] - 10) / 22), share = bytes / most;
    const cell = element("td", { textContent: bytes ? formatBytes(bytes) : "·", title: `${formatBytes(bytes)} at ${run.placeName(from)} used from ${run.placeName(to)}` });
    cell.style.background = `rgb(${r} ${g} ${b} / ${bytes ? 0.15 + 0.6 * share : 0})`;
    return cell;
  }))));
  return element("div", { className: "scroll" }, table);
}

function pathOf(run) {
  const { path } = run, part = (ns) => `${formatTime(ns)} (${formatShare(ns / Math.max(path.length, 1))})`;
  if (path.speedup === null) return [note("Unknown: events are missing, or contradict each other.")];
  return [
    facts([["length", formatTime(path.length)], ["tasks on it", formatCount(path.tasks)],
      ["upper bound with unlimited threads", `${path.speedup.toFixed(2)}×`], ...path.functions.slice(0, 6).map(([name, ns]) => [name, part(ns)]),
      ["regions' own code, creating tasks", part(path.region)], ["outside regions", part(path.outside)]]),
    note("The colour “Critical path” shows its tasks."),
  ];
}

function histogram(counts, title) {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return note(`${title}: none`);
  const shown = counts.slice(first), most = Math.max(...shown), width = 420, step = width / shown.length, ns = "http://www.w3.org/2000/svg";
  const make = (name, attributes) => { const made = document.createElementNS(ns, name); for (const key in attributes) made.setAttribute(key, attributes[key]); return made; };
  const picture = make("svg", { viewBox: `0 0 ${width} 84`, width: "100%", role: "img", "aria-label": title });
  const low = (i) => i + first === 0 ? 0 : 2 ** (i + first - 1);
  shown.forEach((count, i) => {
    const high = count ? Math.max(count / most * 62, 1.5) : 0, bar = make("rect", { x: i * step + 1, y: 66 - high, width: Math.max(step - 2, 1), height: high, rx: 2, fill: "var(--accent)" });
    const tip = make("title", {});
    tip.textContent = `${formatTime(low(i))} to ${formatTime(low(i + 1))}: ${formatCount(count)}`;
    bar.append(tip);
    picture.append(bar);
    if (i % Math.ceil(shown.length / 6) === 0 && i * step < width - 32) { const label = make("text", { x: i * step + 1, y: 79 }); label.textContent = formatTime(low(i), 2); picture.append(label); }
  });
  return element("figure", {}, element("figcaption", { textContent: title }), picture);
}

// A table whose columns sort; `columns`: title, value, how it is written.
function sortable(rows, columns, key) {
  const table = element("table"), body = element("tbody");
  const fill = (value, up) => {
    const sorted = [...rows].sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (up ? 1 : -1));
    body.replaceChildren(...sorted.map((row) => element("tr", {}, columns.map(([, , cell]) => { const made = cell(row); return made instanceof HTMLElement ? element("td", { title: made.textContent }, made) : element("td", { textContent: made }); }))));
  };
  let last = null, up = false;
  table.append(element("thead", {}, element("tr", {}, columns.map(([title, value]) => element("th", { scope: "col" },
    element("button", { textContent: title, title: "Sort", onclick: () => { up = last === title ? !up : false; last = title; fill(value, up); } }))))), body);
  fill(key, false);
  return element("div", { className: "scroll" }, table);
}

function functionsOf(timeline, run) {
  const pick = (name) => element("button", { textContent: name, onclick: () => { $("search").value = name; timeline.search(name); } });
  return sortable(run.functions, [
    ["function", (f) => f.name, (f) => pick(f.name)], ["count", (f) => f.count, (f) => formatCount(f.count)],
    ["total", (f) => f.total, (f) => formatTime(f.total)], ["mean", (f) => f.mean, (f) => formatTime(f.mean)],
    ["p99", (f) => f.p99, (f) => formatTime(f.p99)], ["remote", (f) => f.bytes ? f.remote / f.bytes : -1, (f) => f.bytes ? formatShare(f.remote / f.bytes) : "–"],
    ["stolen", (f) => f.stolen / f.count, (f) => formatShare(f.stolen / f.count)],
  ], (f) => f.total);
}

// Differences of two runs: time as a factor, shares in points.
function differencesOf(page, runs) {
  const change = (a, b) => {
    if (!a || !b) return a ? "gone" : b ? "new" : "";
    const factor = b / a;
    return element("span", { textContent: `${factor.toFixed(2)}×`, className: factor < 0.98 ? "better" : factor > 1.02 ? "worse" : "" });
  };
  const [a, b] = runs.map((run) => run.summary);
  const share = (s) => s.bytes ? formatShare(s.remote / s.bytes) : "–";
  const rows = [["elapsed", formatTime(a.elapsed), formatTime(b.elapsed), change(a.elapsed, b.elapsed)], ["time in tasks", formatTime(a.task), formatTime(b.task), change(a.task, b.task)],
    ["waiting", formatTime(a.wait), formatTime(b.wait), change(a.wait, b.wait)], ["efficiency", formatShare(a.efficiency), formatShare(b.efficiency), ""], ["remote bytes", share(a), share(b), ""]];
  const table = element("table", {}, element("tr", {}, ["", "A", "B", "B / A"].map((title) => element("th", { textContent: title }))),
    rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell)))));
  const functions = sortable(page.differences, [
    ["function", (f) => f.name, (f) => f.name], ["A total", (f) => f.a?.total ?? 0, (f) => f.a ? formatTime(f.a.total) : "–"],
    ["B total", (f) => f.b?.total ?? 0, (f) => f.b ? formatTime(f.b.total) : "–"], ["B / A", (f) => (f.b?.total ?? 0) / (f.a?.total || 1), (f) => change(f.a?.total, f.b?.total)],
    ["mean", (f) => (f.b?.mean ?? 0) / (f.a?.mean || 1), (f) => change(f.a?.mean, f.b?.mean)],
    ["remote", (f) => f.b?.remote ?? 0, (f) => `${f.a?.bytes ? formatShare(f.a.remote / f.a.bytes) : "–"} → ${f.b?.bytes ? formatShare(f.b.remote / f.b.bytes) : "–"}`],
  ], (f) => Math.max(f.a?.total ?? 0, f.b?.total ?? 0));
  return [table, element("br"), functions];
}

function drawPanel(timeline) {
  const { page, runs, shown: run } = timeline, content = [];
  content.push(section("Selected task", true, element("div", { id: "selection" })));
  if (page.differences) {
    content.push(section("Differences", true, ...differencesOf(page, runs)));
    content.push(element("div", { className: "tabs" }, runs.map((one) => element("button", {
      textContent: `${one.letter}: ${one.title}`, ariaPressed: String(one === run), onclick: () => { timeline.shown = one; drawPanel(timeline); } }))));
  }
  content.push(section("Summary", true, ...summaryOf(run)));
  content.push(section("Advice", true, run.advice.length ? run.advice.map(({ text, evidence }) =>
    element("div", { className: "advice" }, element("p", { textContent: text }), element("p", { className: "evidence", textContent: evidence }))) : note("Nothing stands out.")));
  content.push(section("Functions", true, functionsOf(timeline, run)));
  content.push(section("Who ran whose data", true, matrixOf(run)));
  content.push(section("Critical path", true, ...pathOf(run)));
  content.push(section("How long tasks are, and how long they wait", true, histogram(run.summary.length, "self time of tasks"), histogram(run.summary.queued, "from ready to start")));
  const told = [["program", [run.program, ...run.arguments].join(" ")], ["started", run.started], ["locations are", run.kind || "–"]];
  if (run.missing) told.push(["events missing", formatCount(run.missing)]);
  content.push(section("The run", false, facts(told), run.notes.map(note), facts(run.settings)));
  $("panel").replaceChildren(...content);
  showSelection(timeline);
}
