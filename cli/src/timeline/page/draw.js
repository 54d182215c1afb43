// Drawing: the lanes pixel by pixel into an image, names and axes over it, and on a canvas of its own what
// changes with the mouse: the selected task, its dependences, the moment under the pointer.
"use strict";

const GUTTER = 132, AXIS = 24, HEADING = 24, GAP = 7, LEAST_ROW = 3, MOST_ROW = 34, LABEL_WIDTH = 44, MOST_CURVES = 150, MOST_MESSAGES = 1500;

// Rows from top to bottom: threads grouped by location, all runs below each other.
function layOut(runs, height) {
  const rows = [], groups = [];
  const threads = runs.reduce((sum, run) => sum + run.threads.length, 0);
  const fixed = runs.reduce((sum, run) => sum + new Set(run.threads.map((t) => t.location)).size * GAP, 0)
    + (runs.length > 1 ? runs.length * HEADING : 0);
  const tall = Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.floor((height - fixed - GAP) / Math.max(threads, 1))));
  let y = GAP;
  for (const run of runs) {
    if (runs.length > 1) { groups.push({ run, heading: true, y, height: HEADING }); y += HEADING; }
    const places = [...new Set(run.threads.map((t) => t.location))].sort((a, b) => a - b);
    for (const place of places) {
      const top = y;
      run.threads.forEach((thread, number) => {
        if (thread.location !== place) return;
        rows.push({ run, thread: number, y, height: tall > 5 ? tall - 1 : tall });
        y += tall;
      });
      groups.push({ run, place, y: top, height: y - top });
      y += GAP;
    }
  }
  return { rows, groups, height: y };
}

// Round steps for an axis with a label every 110 pixels or so.
function axisStep(perPixel) {
  const least = perPixel * 110, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

class Drawing {
  constructor(base, overlay) {
    this.base = base;
    this.overlay = overlay;
    this.context = base.getContext("2d", { alpha: false });
    this.over = overlay.getContext("2d");
  }

  resize() {
    this.ratio = window.devicePixelRatio || 1;
    const box = this.base.parentElement.getBoundingClientRect();
    this.width = Math.max(box.width, GUTTER + 50);
    this.height = Math.max(box.height, 50);
    for (const canvas of [this.base, this.overlay]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
    const style = getComputedStyle(document.documentElement);
    this.css = (name) => style.getPropertyValue(name).trim();
    this.font = this.css("--font");
  }

  x(time) { return GUTTER + (time - this.view.from) / this.perPixel; }
  get perPixel() { return (this.view.to - this.view.from) / (this.width - GUTTER); }
  y(row) { return AXIS + row.y - this.view.scroll; }

  draw(state) {
    this.view = state.view;
    const { context, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    const labels = this.drawLanes(state);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLabels(labels);
    this.drawMessages(state);
    this.drawGutter(state);
    this.drawAxis();
  }

  drawLanes({ layout, lanes, painter }) {
    const { context, ratio } = this;
    const width = Math.floor((this.width - GUTTER) * ratio), height = this.base.height, labels = [];
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const opaque = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    pixels.fill(opaque(parse(this.css("--ground"))));
    const ground = opaque(painter.ground);
    for (const row of layout.rows) {
      const top = Math.round(this.y(row) * ratio), bottom = Math.round((this.y(row) + row.height) * ratio);
      if (bottom <= 0 || top >= height) continue;
      const from = Math.max(top, 0), until = Math.min(Math.max(bottom, top + 1), height);
      pixels.fill(ground, from * width, (from + 1) * width);
      const line = pixels.subarray(from * width, (from + 1) * width);
      const tick = row.run.tick, lane = lanes.get(row);
      lane.paint(this.view.from / tick, this.perPixel / ratio / tick, width, (x, wide, colour, segment) => {
        const value = opaque(colour);
        if (wide === 1) { line[x] = value; return; }
        line.fill(value, x, x + wide);
        // A hair between neighbours once they are wide enough to be told apart.
        if (wide > 4 && segment >= 0) {
          line[x + wide - 1] = opaque(colour.map((v, i) => v * 0.55 + painter.ground[i] * 0.45));
          if (wide > LABEL_WIDTH * ratio && row.height >= 12 && row.run.segmentWhat[segment] >= FIRST_TASK) {
            labels.push({ row, x: x / ratio + GUTTER, width: wide / ratio, colour, task: row.run.segmentWhat[segment] - FIRST_TASK });
          }
        }
      });
      for (let y = from + 1; y < until; y++) pixels.copyWithin(y * width, from * width, (from + 1) * width);
    }
    context.putImageData(image, Math.round(GUTTER * ratio), 0);
    return labels;
  }

  // Arrows from sends to receives, if there are few enough in view to be told apart.
  drawMessages({ runs, rowOf }) {
    const { context } = this, { from, to } = this.view;
    context.strokeStyle = context.fillStyle = this.css("--text");
    context.lineWidth = 1;
    for (const run of runs) {
      const inView = [];
      for (let i = 0; i < run.messageFrom.length && inView.length <= MOST_MESSAGES; i++) {
        const first = Math.min(run.messageSent[i], run.messageReceived[i]) * run.tick;
        const last = Math.max(run.messageSent[i], run.messageReceived[i]) * run.tick;
        if (first <= to && last >= from) inView.push(i);
      }
      if (inView.length > MOST_MESSAGES) continue;
      context.globalAlpha = inView.length > MOST_MESSAGES / 10 ? 0.35 : 0.75;
      for (const i of inView) {
        const start = rowOf(run, run.messageFrom[i]), end = rowOf(run, run.messageTo[i]);
        this.arrow(this.x(run.messageSent[i] * run.tick), this.y(start) + start.height / 2,
          this.x(run.messageReceived[i] * run.tick), this.y(end) + end.height / 2);
      }
      context.globalAlpha = 1;
    }
  }

  arrow(x0, y0, x1, y1) {
    const { context } = this, angle = Math.atan2(y1 - y0, x1 - x0);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 7 * Math.cos(angle - 0.4), y1 - 7 * Math.sin(angle - 0.4));
    context.lineTo(x1 - 7 * Math.cos(angle + 0.4), y1 - 7 * Math.sin(angle + 0.4));
    context.fill();
  }

  drawLabels(labels) {
    const { context } = this;
    context.font = `11px ${this.font}`;
    context.textBaseline = "middle";
    for (const { row, x, width, colour, task } of labels) {
      const [r, g, b] = colour;
      context.fillStyle = r * 0.299 + g * 0.587 + b * 0.114 > 140 ? "#10151c" : "#ffffff";
      const name = row.run.nameOf(task), room = Math.floor((width - 10) / 6.1);
      const text = name.length <= room ? name : room > 3 ? `${name.slice(0, room - 1)}…` : "";
      context.fillText(text, x + 5, this.y(row) + row.height / 2 + 0.5);
    }
  }

  drawGutter({ layout, runs }) {
    const { context } = this;
    context.fillStyle = this.css("--ground");
    context.fillRect(0, 0, GUTTER, this.height);
    context.textBaseline = "middle";
    for (const group of layout.groups) {
      const top = AXIS + group.y - this.view.scroll;
      if (top > this.height || top + group.height < 0) continue;
      if (group.heading) {
        context.fillStyle = this.css("--sunken");
        context.fillRect(0, top, this.width, HEADING - 4);
        context.font = `600 12px ${this.font}`;
        context.fillStyle = this.css("--text");
        context.fillText(`${group.run.letter}   ${group.run.title}   ${formatTime(group.run.endNs)}`, 12, top + (HEADING - 4) / 2);
        continue;
      }
      context.fillStyle = this.css("--line");
      context.fillRect(GUTTER - 8, top, 2, group.height);
      context.fillStyle = this.css("--text");
      context.font = `600 11px ${this.font}`;
      if (group.height >= 12) this.clip(group.run.placeName(group.place), 12, top + Math.min(group.height / 2, 8 + group.height / 2), 62);
    }
    context.font = `10px ${this.font}`;
    context.textAlign = "right";
    context.fillStyle = this.css("--soft");
    for (const row of layout.rows) {
      if (row.height >= 9) context.fillText(row.run.threads[row.thread].short, GUTTER - 13, this.y(row) + row.height / 2);
    }
    context.textAlign = "left";
  }

  clip(text, x, y, width) {
    const { context } = this;
    while (text.length > 1 && context.measureText(text).width > width) text = text.slice(0, -2) + "…";
    context.fillText(text, x, y);
  }

  drawAxis() {
    const { context } = this, step = axisStep(this.perPixel), end = this.view.to;
    context.fillStyle = this.css("--ground");
    context.fillRect(0, 0, this.width, AXIS);
    context.font = `11px ${this.font}`;
    context.fillStyle = this.css("--soft");
    for (let mark = Math.ceil(this.view.from / step); mark * step <= end; mark++) {
      const x = this.x(mark * step);
      context.fillRect(x, AXIS - 5, 1, 5);
      context.globalAlpha = 0.13;
      context.fillRect(x, AXIS, 1, this.height);
      context.globalAlpha = 1;
      const digits = Math.max(3, Math.ceil(Math.log10(Math.abs(mark) + 1)) + 1);
      context.fillText(formatTime(mark * step, digits), x + 4, AXIS / 2);
    }
    context.fillRect(0, AXIS - 0.5, this.width, 1);
  }

  // What follows the pointer and the selection.
  drawOverlay(state) {
    const { over, ratio } = this;
    over.setTransform(ratio, 0, 0, ratio, 0, 0);
    over.clearRect(0, 0, this.width, this.height);
    over.save();
    over.beginPath();
    over.rect(GUTTER, 0, this.width, this.height);
    over.clip();
    if (state.selected) this.drawSelection(state);
    if (state.hovered) this.outline(state, state.hovered, this.css("--text"), 1);
    if (state.range) {
      over.fillStyle = this.css("--accent");
      over.globalAlpha = 0.18;
      over.fillRect(state.range[0], AXIS, state.range[1] - state.range[0], this.height);
      over.globalAlpha = 1;
    } else if (state.pointer && state.pointer.x > GUTTER) {
      over.fillStyle = this.css("--soft");
      over.globalAlpha = 0.5;
      over.fillRect(state.pointer.x, 0, 1, this.height);
      over.globalAlpha = 1;
    }
    over.restore();
  }

  boxOf({ rowOf }, { run, task }) {
    const row = rowOf(run, run.thread[task]), x = this.x(run.startOf(task));
    return { x, y: this.y(row), width: Math.max(this.x(run.endOf(task)) - x, 2), height: row.height };
  }

  outline(state, which, colour, width) {
    const { x, y, width: wide, height } = this.boxOf(state, which), left = Math.max(x, GUTTER - 5);
    this.over.strokeStyle = colour;
    this.over.lineWidth = width;
    this.over.strokeRect(left - 0.5, y - 0.5, Math.min(x + wide, this.width + 5) - left + 1, height + 1);
  }

  drawSelection(state) {
    const { run, task } = state.selected, own = this.boxOf(state, state.selected);
    const { predecessors, successors, creator } = state.edges;
    const middle = own.y + own.height / 2, mark = this.css("--mark"), next = this.css("--next");
    for (const other of predecessors.slice(0, MOST_CURVES)) {
      const box = this.boxOf(state, { run, task: other });
      this.curve(box.x + box.width, box.y + box.height / 2, own.x, middle, mark);
      this.outline(state, { run, task: other }, mark, 1.5);
    }
    for (const other of successors.slice(0, MOST_CURVES)) {
      const box = this.boxOf(state, { run, task: other });
      this.curve(own.x + own.width, middle, box.x, box.y + box.height / 2, next);
      this.outline(state, { run, task: other }, next, 1.5);
    }
    if (creator >= 0) {
      const box = this.boxOf(state, { run, task: creator });
      this.curve(this.x(run.created[task] * run.tick), box.y + box.height / 2, own.x, middle, this.css("--soft"), [3, 3]);
    }
    this.outline(state, state.selected, this.css("--text"), 2);
  }

  curve(x0, y0, x1, y1, colour, dash = []) {
    const { over } = this, bend = Math.max(24, Math.abs(x1 - x0) / 2.5);
    over.beginPath();
    over.moveTo(x0, y0);
    over.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    // A pale edge keeps it apart from tasks of any colour.
    over.strokeStyle = this.css("--ground");
    over.lineWidth = 4;
    over.stroke();
    over.strokeStyle = over.fillStyle = colour;
    over.lineWidth = 1.8;
    over.setLineDash(dash);
    over.stroke();
    over.setLineDash([]);
    over.beginPath();
    over.moveTo(x1, y1);
    over.lineTo(x1 - 6, y1 - 3.5);
    over.lineTo(x1 - 6, y1 + 3.5);
    over.fill();
  }
}

// How many threads are in tasks over the whole run, and which part is shown.
class Overview {
  constructor(canvas) { this.canvas = canvas; this.context = canvas.getContext("2d"); }

  // Tasks' time in each of `bins` equal parts of the time of all runs, as a share of all threads.
  static profile(run, longest, bins) {
    const busy = new Float64Array(bins), perBin = longest / run.tick / bins;
    const binOf = (ticks) => Math.min(Math.floor(ticks / perBin), bins - 1);
    for (let thread = 0; thread < run.threads.length; thread++) {
      for (let segment = run.laneFrom[thread]; segment < run.laneFrom[thread + 1]; segment++) {
        if (run.segmentWhat[segment] < FIRST_TASK && run.segmentWhat[segment] !== CHUNK) continue;
        const start = run.segmentStart[segment], end = run.segmentEnd(segment, thread), last = binOf(end);
        // Stepped by number: the moment at which a bin begins may round back into the bin before it.
        for (let bin = binOf(start), from = start; bin <= last; bin++) {
          const to = bin === last ? end : (bin + 1) * perBin;
          busy[bin] += Math.max(to - from, 0);
          from = Math.max(from, to);
        }
      }
    }
    return busy.map((ticks) => Math.min(ticks / perBin / run.threads.length, 1));
  }

  draw({ profiles, longest, view }) {
    const { canvas, context } = this, ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const width = box.width - GUTTER, high = box.height - 8;
    context.font = `10px ${css("--font")}`;
    context.fillStyle = css("--soft");
    context.fillText("threads in tasks", 12, box.height / 2 + 3);
    context.fillStyle = css("--lane");
    context.fillRect(GUTTER, 4, width, high);
    profiles.forEach((profile, i) => {
      context.fillStyle = context.strokeStyle = css(["--accent", "--mark"][i]);
      context.globalAlpha = i ? 1 : 0.55;
      context.beginPath();
      context.moveTo(GUTTER, 4 + high);
      profile.forEach((share, bin) => {
        context.lineTo(GUTTER + bin / profile.length * width, 4 + high * (1 - share));
        context.lineTo(GUTTER + (bin + 1) / profile.length * width, 4 + high * (1 - share));
      });
      context.lineTo(GUTTER + width, 4 + high);
      // The second run is a line over the first one's area.
      if (i) context.stroke(); else context.fill();
    });
    context.globalAlpha = 1;
    const from = GUTTER + view.from / longest * width, to = GUTTER + view.to / longest * width;
    context.fillStyle = css("--ground");
    context.globalAlpha = 0.62;
    context.fillRect(GUTTER, 4, Math.max(from - GUTTER, 0), high);
    context.fillRect(to, 4, Math.max(GUTTER + width - to, 0), high);
    context.globalAlpha = 1;
    context.strokeStyle = css("--text");
    context.strokeRect(Math.max(from, GUTTER) + 0.5, 4.5, Math.max(Math.min(to, GUTTER + width) - Math.max(from, GUTTER) - 1, 2), high - 1);
  }
}
