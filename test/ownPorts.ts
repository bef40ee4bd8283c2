/**
 * Gives each parallel test process its own range of ports for clusters, since a found port looks free to others. Above these ranges there is room for one more
 * run of tests (`.ci/run`).
 */
const ranges = 4;
const first = 15_000;
const each = 3_000;

const worker = Number(process.env['MOCHA_WORKER_ID'] ?? 0) % ranges;
process.env['RAFTPLANE_PORT_RANGE'] ??= `${first + worker * each}-${first + (worker + 1) * each - 1}`;
