// What colours say. A mode gives every task a shade, 0 to 255, and a palette what a shade looks like. Ramps run
// from light to dark as well as from hue to hue, so that they can be told apart without seeing colours;
// categories are those of Okabe and Ito (2008).
"use strict";

const GREEN_TO_BLUE = ["#b5e48c", "#52b69a", "#2f86b8", "#23408e"];
const YELLOW_TO_PURPLE = ["#ffe08a", "#f2a65a", "#c2577a", "#4b2e83"];
const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#a79b00", "#7b68c8"];
// Neither of a ramp nor one of the greys of what is no task.
const UNKNOWN = "#cbb994";

function parse(hex) { return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)); }

function along(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1), low = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [parse(stops[low]), parse(stops[low + 1])];
  return a.map((value, i) => Math.round(value + (b[i] - value) * (place - low)));
}

// Shade 255 is for tasks of which the mode knows nothing.
const UNKNOWN_SHADE = 255, RAMP_SHADES = 250;

function rampPalette(stops) {
  return Array.from({ length: 256 }, (_, shade) => shade === UNKNOWN_SHADE ? parse(UNKNOWN) : along(stops, shade / RAMP_SHADES));
}

function categoryPalette(colours) {
  return Array.from({ length: 256 }, (_, shade) => parse(colours[shade] ?? UNKNOWN));
}

function ramp(stops, from, to) { return { stops, from, to }; }

// A task's value of a counter, or nothing if it was not recorded.
function counterOf(run, name) {
  const at = run.counterNames.indexOf(name);
  return at < 0 ? null : (task) => run.countersFrom[task] + at < run.countersFrom[task + 1] ? run.counters[run.countersFrom[task] + at] : NaN;
}

function rateOf(run, name, ns) {
  const count = counterOf(run, name);
  return count && ((task) => count(task) * ns / (run.self[task] * run.tick));
}

// How many times as long a task took for its bytes as the quickest tenth of those of its function; without bytes, for itself.
function slownessOf(run) {
  const costOf = (task) => run.self[task] / (run.reachOf(task).bytes || 1), all = new Map();
  for (let task = 0; task < run.tasks; task++) {
    const costs = all.get(run.name[task]) ?? [];
    if (!all.has(run.name[task])) all.set(run.name[task], costs);
    if (costs.length < MOST_SAMPLES) costs.push(costOf(task));
  }
  const quick = new Map([...all].map(([name, costs]) => [name, quantile(costs, 0.1)]));
  return (task) => costOf(task) / quick.get(run.name[task]);
}

const MOST_SAMPLES = 20000;

function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.round(share * (sorted.length - 1))];
}

// What is nearest to the time that tasks waited for memory, best first: counters, where they were recorded (VICINITY_TRACE_COUNTERS).
const STALLS = [
  ["stalled cycles", "% of all", 0, (run) => {
    const [stalls, cycles] = ["stall_cycles", "cycles"].map((name) => counterOf(run, name));
    return stalls && cycles && ((task) => 100 * stalls(task) / cycles(task));
  }],
  ["stalled cycles", " a ns", 0, (run) => rateOf(run, "stall_cycles", 1)],
  ["misses of the last cache", " a µs", 0, (run) => rateOf(run, "llc_misses", 1000)],
  ["remote accesses", " a µs", 0, (run) => rateOf(run, "remote_accesses", 1000)],
  ["time for its bytes", " × its function's quickest", 1, slownessOf],
];

const MODES = {
  cost: {
    label: "Memory access cost",
    prepare(runs) {
      let far = 11;
      for (const run of runs) for (const distance of run.distances) far = Math.max(far, distance);
      return {
        palette: rampPalette(GREEN_TO_BLUE),
        ramp: ramp(GREEN_TO_BLUE, "all local (10)", `all at the farthest (${far})`),
        shade(run, task) {
          const { bytes, distance } = run.reachOf(task);
          return bytes ? Math.round((distance - 10) / (far - 10) * RAMP_SHADES) : UNKNOWN_SHADE;
        },
      };
    },
  },
  remote: {
    label: "Remote share of its data",
    prepare() {
      return {
        palette: rampPalette(YELLOW_TO_PURPLE), ramp: ramp(YELLOW_TO_PURPLE, "0%", "100% elsewhere"),
        shade(run, task) {
          const { bytes, remote } = run.reachOf(task);
          return bytes ? Math.round(remote / bytes * RAMP_SHADES) : UNKNOWN_SHADE;
        },
      };
    },
  },
  stalls: {
    label: "Stalls, or the nearest to them",
    prepare(runs) {
      let values;
      const [what, unit, least] = STALLS.find(([, , , make]) => { values = runs.map(make); return values.every(Boolean); });
      const seen = [];
      runs.forEach((run, number) => {
        const step = Math.max(1, Math.floor(run.tasks / MOST_SAMPLES));
        for (let task = 0; task < run.tasks; task += step) if (isFinite(values[number](task))) seen.push(values[number](task));
      });
      // A few extremes would leave one shade for all others.
      const most = Math.max(least + 1e-9, seen.length ? quantile(seen, 0.95) : 0);
      return {
        palette: rampPalette(YELLOW_TO_PURPLE),
        ramp: ramp(YELLOW_TO_PURPLE, `${what}: ${least}${unit}`, `${Number(most.toPrecision(2))}${unit} or more`),
        shade(run, task) {
          const value = values[run.number](task);
          return isFinite(value) ? Math.round(Math.min(Math.max((value - least) / (most - least), 0), 1) * RAMP_SHADES) : UNKNOWN_SHADE;
        },
      };
    },
  },
  function: {
    label: "Function",
    prepare(runs) {
      // The functions with most time in any run, the same colour in all.
      const totals = new Map();
      for (const run of runs) for (const row of run.functions) totals.set(row.name, (totals.get(row.name) ?? 0) + row.total);
      const top = [...totals].sort((a, b) => b[1] - a[1]).slice(0, CATEGORIES.length).map(([name]) => name);
      const keys = top.map((name, i) => [CATEGORIES[i], name]);
      if (totals.size > top.length) keys.push([UNKNOWN, "others"]);
      const shades = runs.map((run) => run.names.map((name) => { const at = top.indexOf(name); return at < 0 ? UNKNOWN_SHADE : at; }));
      return {
        palette: categoryPalette(CATEGORIES), keys, categories: true,
        shade(run, task) { return shades[run.number][run.name[task]]; },
      };
    },
  },
  stolen: {
    label: "Stolen how far",
    prepare() {
      const colours = ["#56b4e9", "#f6d776", "#e69f00", "#d55e00", "#7a1f3d"];
      return {
        palette: categoryPalette(colours), categories: true,
        keys: colours.map((colour, i) => [colour, ["not stolen", "within its location", "1 hop", "2 hops", "3 hops or more"][i]]),
        shade(run, task) { return run.flags[task] & STOLEN ? Math.min(1 + run.hops[task], 4) : 0; },
      };
    },
  },
  path: {
    label: "Critical path",
    prepare() {
      const colours = ["#c9d1dc", "#d9480f"];
      return {
        palette: categoryPalette(colours), keys: [[colours[1], "on the critical path"], [colours[0], "other tasks"]], categories: true,
        shade(run, task) { return run.flags[task] & ON_PATH ? 1 : 0; },
      };
    },
  },
};

// The colours of everything for one mode, and which tasks a search dims.
class Painter {
  constructor(runs, mode, matches) {
    Object.assign(this, { mode, ...MODES[mode].prepare(runs) });
    const style = getComputedStyle(document.documentElement);
    const css = (name) => parse(style.getPropertyValue(name).trim());
    this.ground = css("--lane");
    const wait = css("--wait"), region = css("--region");
    this.special = [this.ground, region, region.map((v, i) => Math.round((v + [47, 158, 110][i]) / 2)), css("--mark"), wait];
    this.shades = runs.map((run) => {
      const shades = new Uint8Array(run.tasks);
      for (let task = 0; task < run.tasks; task++) shades[task] = this.shade(run, task);
      return shades;
    });
    this.hasUnknown = this.shades.some((shades) => shades.includes(UNKNOWN_SHADE));
    this.matches = matches;
    this.dimmed = this.palette.map((colour) => colour.map((v, i) => Math.round(v * 0.16 + this.ground[i] * 0.84)));
  }

  colourOf(run, what) {
    if (what < FIRST_TASK) return this.special[Math.min(what, WAIT)];
    const task = what - FIRST_TASK, shade = this.shades[run.number][task];
    return this.matches && !this.matches[run.number][task] ? this.dimmed[shade] : this.palette[shade];
  }
}
