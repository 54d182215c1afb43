// How much tasks stalled, by what was recorded: two functions, the second with twice as many bytes. Gives the ramp's two ends and the
// shades of all tasks, for each set of counters. A function body.
function someRun(counterNames, counters) {
  const tasks = 4, perTask = counterNames.length, starts = (step) => Array.from({ length: tasks + 1 }, (_, task) => task * step);
  return Object.assign(new Run(), {
    number: 0, tasks, tick: 1, name: [0, 0, 1, 1], self: [100, 300, 200, 400], at: [0, 0, 0, 0], locations: [{}], distances: [10],
    bytesFrom: starts(1), bytesPlace: [0, 0, 0, 0], bytesCount: [10, 10, 20, 20], counterNames, counters, countersFrom: starts(perTask),
  });
}

function shown(counterNames, counters) {
  const run = someRun(counterNames, counters), { ramp, shade } = MODES.stalls.prepare([run]);
  return [ramp.from, ramp.to, Array.from({ length: run.tasks }, (_, task) => shade(run, task))];
}

return [
  shown(["cycles", "page_faults", "stall_cycles"], [100, 7, 0, 100, 7, 50, 100, 7, 25, 100, 7, 10]),
  shown(["llc_misses"], [0, 3, 4, 8]),
  shown(["page_faults"], [0, 0, 0, 0]),
];
