// The trace as typed arrays. A column is zlib-compressed bytes in base64, ordered by significance (first all
// lowest bytes, then the next ...); columns marked `delta` hold differences. cli/src/timeline/pack.rs writes them.
"use strict";

const COLUMN_TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

// What a segment of a lane shows, if it is not a task: numbers below FIRST_TASK.
const NOTHING = 0, REGION = 1, CHUNK = 2, WRITE = 3, WAIT = 4, FIRST_TASK = 16;
const NO_PLACE = 0xffff, NO_INDEX = 0xffffffff;
const INCLUDED = 1, STOLEN = 2, CUT = 4, ON_PATH = 8;

async function decodeColumn({ type, delta, data }) {
  const text = atob(data);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const plain = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
  const planes = new Uint8Array(await plain.arrayBuffer());
  const Type = COLUMN_TYPES[type], width = Type.BYTES_PER_ELEMENT, count = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; plane++) {
    const from = plane * count;
    for (let i = 0, to = plane; i < count; i++, to += width) bytes[to] = planes[from + i];
  }
  const column = new Type(bytes.buffer);
  if (delta) for (let i = 1; i < count; i++) column[i] += column[i - 1];
  return column;
}

// One run: its description from JSON, and its columns as properties.
class Run {
  static async open(description, number) {
    const run = Object.assign(new Run(), description);
    run.number = number;
    const names = Object.keys(description.columns);
    const columns = await Promise.all(names.map((name) => decodeColumn(description.columns[name])));
    names.forEach((name, i) => { run[name] = columns[i]; });
    run.columns = null;
    run.tasks = run.start.length;
    return run;
  }

  // Nanoseconds; the columns count ticks.
  startOf(task) { return this.start[task] * this.tick; }
  endOf(task) { return (this.start[task] + this.length[task]) * this.tick; }
  nameOf(task) { return this.names[this.name[task]]; }
  placeName(place) { return this.locations[place]?.name ?? `location ${place}`; }

  bytesOf(task) {
    const found = [];
    for (let i = this.bytesFrom[task]; i < this.bytesFrom[task + 1]; i++) {
      found.push({ place: this.bytesPlace[i], bytes: this.bytesCount[i] });
    }
    return found;
  }

  // Of a task's bytes: all, those elsewhere, and the mean distance (10 is local).
  reachOf(task) {
    const at = this.at[task], row = at * this.locations.length;
    let bytes = 0, remote = 0, cost = 0;
    for (let i = this.bytesFrom[task]; i < this.bytesFrom[task + 1]; i++) {
      const place = this.bytesPlace[i], count = this.bytesCount[i];
      bytes += count;
      if (place !== at) remote += count;
      cost += count * this.distances[row + place];
    }
    return { bytes, remote, distance: bytes ? cost / bytes : 0 };
  }

  predecessorsOf(task) { return this.after.subarray(this.afterFrom[task], this.afterFrom[task + 1]); }

  successorsOf(task, most) {
    const found = [];
    for (let other = 0; other < this.tasks && found.length < most; other++) {
      for (let i = this.afterFrom[other]; i < this.afterFrom[other + 1]; i++) {
        if (this.after[i] === task) { found.push(other); break; }
      }
    }
    return found;
  }

  // The segment of a thread's lane at a time (in ticks), or -1.
  segmentAt(thread, ticks) {
    const first = this.laneFrom[thread], last = this.laneFrom[thread + 1];
    return first === last || this.segmentStart[first] > ticks ? -1 : this.segmentBetween(first, last, ticks);
  }

  // The last one from `low`, which begins by then, to before `high` that begins by `ticks`.
  segmentBetween(low, high, ticks) {
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.segmentStart[middle] <= ticks) low = middle; else high = middle;
    }
    return low;
  }

  // The same, where it is likely to be near `low`.
  segmentAfter(low, last, ticks) {
    let step = 1;
    while (low + step < last && this.segmentStart[low + step] <= ticks) { low += step; step *= 2; }
    return this.segmentBetween(low, Math.min(low + step, last), ticks);
  }

  segmentEnd(segment, thread) {
    return segment + 1 < this.laneFrom[thread + 1] ? this.segmentStart[segment + 1] : this.endTicks;
  }
}

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];

function formatTime(ns, digits = 3) {
  const [scale, unit] = UNITS.find(([scale]) => Math.abs(ns) >= scale) ?? [1, "ns"];
  return `${Number((ns / scale).toPrecision(digits))} ${unit}`;
}

function formatBytes(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 5; unit++) bytes /= 1024;
  return `${Number(bytes.toPrecision(3))} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][unit]}`;
}

function formatCount(count) { return Math.round(count).toLocaleString("en"); }
function formatShare(share) { return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`; }
