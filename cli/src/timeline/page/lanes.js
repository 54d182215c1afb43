// Level of detail: what one pixel of a lane shows, however many segments lie in it. Sums of colour times length
// are kept for every BLOCK segments, so a pixel costs two searches and a few steps, not its number of segments.
"use strict";

const BLOCK = 16, SAMPLES = 5;

class Lane {
  constructor(run, thread, painter) {
    Object.assign(this, { run, thread, painter });
    this.first = run.laneFrom[thread];
    this.last = run.laneFrom[thread + 1];
    if (!painter.categories) this.sums = this.sumBlocks();
  }

  sumBlocks() {
    const { run, first, last } = this, blocks = Math.ceil((last - first) / BLOCK);
    const sums = [0, 1, 2].map(() => new Float64Array(blocks + 1));
    for (let block = 0; block < blocks; block++) {
      const from = first + block * BLOCK, to = Math.min(from + BLOCK, last);
      const total = [0, 0, 0];
      for (let segment = from; segment < to; segment++) {
        this.add(total, segment, run.segmentEnd(segment, this.thread) - run.segmentStart[segment]);
      }
      for (let i = 0; i < 3; i++) sums[i][block + 1] = sums[i][block] + total[i];
    }
    return sums;
  }

  add(total, segment, ticks) {
    const colour = this.painter.colourOf(this.run, this.run.segmentWhat[segment]);
    total[0] += colour[0] * ticks;
    total[1] += colour[1] * ticks;
    total[2] += colour[2] * ticks;
  }

  // The mean colour from `from` to `to` (ticks), which lie in segments `low` and `high`.
  mean(from, to, low, high) {
    const { run } = this, total = [0, 0, 0];
    let segment = low, at = from;
    const lowBlock = Math.ceil((low + 1 - this.first) / BLOCK), highBlock = Math.floor((high - this.first) / BLOCK);
    while (segment < high) {
      if (this.sums && segment - this.first === lowBlock * BLOCK && highBlock > lowBlock) {
        for (let i = 0; i < 3; i++) total[i] += this.sums[i][highBlock] - this.sums[i][lowBlock];
        segment = this.first + highBlock * BLOCK;
      } else {
        this.add(total, segment, run.segmentStart[segment + 1] - at);
        segment += 1;
      }
      at = run.segmentStart[segment];
    }
    this.add(total, high, to - at);
    const ticks = to - from;
    return [total[0] / ticks, total[1] / ticks, total[2] / ticks];
  }

  // Categories do not mix: the one seen most at a few moments counts, tasks before waiting, so that rare tasks
  // stay visible.
  majority(from, to, low, high) {
    const { run, painter } = this, seen = [];
    let best = null;
    for (let i = 0; i < SAMPLES; i++) {
      const segment = run.segmentBetween(low, high + 1, from + (to - from) * (i + 0.5) / SAMPLES);
      const what = run.segmentWhat[segment], colour = painter.colourOf(run, what);
      let entry = seen.find((other) => other.colour === colour);
      if (!entry) seen.push(entry = { colour, count: what < FIRST_TASK ? 0 : 2 });
      entry.count += 1;
      if (!best || entry.count > best.count) best = entry;
    }
    return best.colour;
  }

  // Calls `fill(x, width, colour, segment)` for every pixel or run of pixels from 0 to `width`; segment is -1 for
  // a pixel that several share. `from` and `perPixel` in ticks.
  paint(from, perPixel, width, fill) {
    const { run, thread } = this;
    if (this.first === this.last) return;
    let x = 0, segment = run.segmentAt(thread, from);
    if (segment < 0) {
      x = Math.max(0, Math.floor((run.segmentStart[this.first] - from) / perPixel));
      segment = this.first;
    }
    while (x < width) {
      const end = run.segmentEnd(segment, thread), endX = (end - from) / perPixel;
      if (endX >= x + 1) {
        const stop = Math.min(Math.floor(endX), width);
        fill(x, stop - x, this.painter.colourOf(run, run.segmentWhat[segment]), segment);
        x = stop;
        if (end >= run.endTicks) return;
        if (endX <= x) segment += 1;
        if (segment >= this.last) return;
        continue;
      }
      if (segment + 1 >= this.last) return;
      const a = Math.max(from + x * perPixel, run.segmentStart[segment]), b = from + (x + 1) * perPixel;
      const high = run.segmentAfter(segment, this.last, b);
      fill(x, 1, this.painter.categories ? this.majority(a, b, segment, high) : this.mean(a, b, segment, high), -1);
      x += 1;
      segment = high;
    }
  }
}
