// Whether the strip and the lanes of the page show what threads did: random runs, each bin and pixel against a sum over
// all segments. A function body; it returns what was wrong. The numbers are the same each time.
let random = 1;
const below = (limit) => { random = (Math.imul(random, 1103515245) + 12345) >>> 0; return Math.floor(random / 2 ** 32 * limit); };
const WHATS = [NOTHING, REGION, CHUNK, WRITE, WAIT, FIRST_TASK, FIRST_TASK + 7];

// Lanes of up to 40 segments, from long tasks to such as last a tick.
function someRun() {
  const threads = 1 + below(4), tick = 1 + below(3), endTicks = 1 + below([50, 5000, 4e9][below(3)]);
  const laneFrom = [0], segmentStart = [], segmentWhat = [];
  for (let thread = 0; thread < threads; thread++) {
    const starts = new Set(Array.from({ length: below(40) }, () => below(endTicks)));
    for (const start of [...starts].sort((a, b) => a - b)) { segmentStart.push(start); segmentWhat.push(WHATS[below(WHATS.length)]); }
    laneFrom.push(segmentStart.length);
  }
  return Object.assign(new Run(), { threads: Array(threads).fill({}), tick, endTicks, endNs: endTicks * tick, laneFrom, segmentStart, segmentWhat });
}

// The mean of `value(what)` from `from` to `to` in a thread's lane, 0 where nothing is.
function meanOf(run, thread, from, to, value) {
  let sum = 0;
  for (let segment = run.laneFrom[thread]; segment < run.laneFrom[thread + 1]; segment++) {
    const low = Math.max(run.segmentStart[segment], from), high = Math.min(run.segmentEnd(segment, thread), to);
    sum += Math.max(high - low, 0) * value(run.segmentWhat[segment]);
  }
  return sum / (to - from);
}

function wrongBin(run) {
  const longest = run.endNs * [1, 1.3, 7][below(3)], bins = 1 + below(900), perBin = longest / run.tick / bins;
  const inTask = (what) => what >= FIRST_TASK || what === CHUNK ? 1 : 0;
  const profile = Overview.profile(run, longest, bins);
  for (let bin = 0; bin < bins; bin++) {
    let expected = 0;
    run.threads.forEach((_, thread) => { expected += meanOf(run, thread, bin * perBin, (bin + 1) * perBin, inTask) / run.threads.length; });
    if (!(Math.abs(profile[bin] - expected) < 1e-6)) return `bin ${bin} of ${bins}: ${profile[bin]}, not ${expected}`;
  }
  return null;
}

function wrongPixel(run) {
  const thread = below(run.threads.length), first = run.laneFrom[thread], width = 1 + below(900);
  if (first === run.laneFrom[thread + 1]) return null;
  const painter = { colourOf: (_, what) => [what, 0, 0] }, span = run.endTicks * [1.02, 0.1, 0.013][below(3)];
  const from = below(1000) / 1000 * (run.endTicks - span), perPixel = span / width, pixels = new Array(width);
  new Lane(run, thread, painter).paint(from, perPixel, width, (x, wide, colour) => {
    for (let i = x; i < x + wide; i++) pixels[i] = pixels[i] === undefined ? colour[0] : NaN;
  });
  for (let x = 0; x < width; x++) {
    const low = from + x * perPixel, high = low + perPixel;
    if (low < run.segmentStart[first] || high > run.endTicks) continue;
    const expected = meanOf(run, thread, low, high, (what) => what);
    if (!(Math.abs(pixels[x] - expected) < 1e-3)) return `pixel ${x} of ${width}: ${pixels[x]}, not ${expected}`;
  }
  return null;
}

const wrong = [];
for (let round = 0; round < 400; round++) {
  const run = someRun();
  for (const found of [wrongBin(run), wrongPixel(run)]) if (found) wrong.push(`run ${round}, ${found}`);
}
return wrong;
