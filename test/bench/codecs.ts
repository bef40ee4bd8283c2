import { performance } from 'node:perf_hooks';
import { deserialize, serialize } from 'node:v8';
import { createWorkers } from '../../workers/pool.js';
import { runDecode, runEncode } from '../../workers/job.js';
import { decodeObject } from '../../workers/decode.js';
import { cut, putTogether, type Piece } from '../../workers/pieces.js';
import type { EncodingName, Kind } from '../../workers/codecs/contract.js';
import type { ApiObject } from '../../api/object.js';
import { kindOf } from '../../server/kinds/index.js';
import { configMapKind, configMap, podKind, pod } from './codecObjects.js';
import { benchKinds } from './kinds.js';
import { count, printTable, ratio } from './table.js';
import { inOneGo } from '../../api/steps.js';
import { outcomeOf } from '../../server/registry/stepwise.js';

/** Compares codecs with JSON.parse and JSON.stringify, and finds the size above which the pool is better, and the event loop's blocking by the largest body. */
export interface CodecBenchOptions {
  readonly seconds: number;
}

const encodings: readonly EncodingName[] = ['json', 'yaml', 'protobuf', 'cbor'];
const batchMs = 1;
/** V8 optimizes rules of many functions late, so a warm-up of some thousand objects precedes the measurement. */
const warmUpCalls = 10_000;
const warmUpMs = 1_500;
/** The server's limit. */
const bodyBytesMax = 3 * 1024 * 1024;
const rounds = 5;

export async function benchCodecs({ seconds }: CodecBenchOptions): Promise<void> {
  // Number of measurements.
  const each = (seconds * 1000) / 50;
  for (const [title, value, kind] of [
    ['Pod', pod(1), podKind],
    ['ConfigMap', configMap(1024 * 1024), configMapKind],
  ] as const) {
    printTable(
      [`${title}, ${count(Buffer.byteLength(JSON.stringify(value)))} bytes of JSON`, 'µs', 'of JSON.parse / JSON.stringify'],
      oneObject(value, kind, each),
    );
    console.log('');
  }
  benchKinds({ seconds: seconds / 2 });
  printTable(['dense body, decoded and checked', 'bytes', 'inline µs', 'pool µs', 'pool latency µs'], await inlineAgainstPool(each));
  console.log(`\nµs: the event loop is held up. Break-even of inline and pool: ${(await breakEven(each)).join(', ')}\n`);
  printTable(['one body through the pool, CPU ms in one turn', 'bytes', 'give bytes', 'take pieces', 'put together'], await stalls());
}

/** Microseconds for one call: the minimum of several batches, because other load varies. */
const microseconds = (work: () => unknown, forMs: number, warmUpMs = forMs): number => {
  let best = Infinity;
  for (let call = 0, end = performance.now() + warmUpMs; call < warmUpCalls && performance.now() < end; call++) work();
  for (const end = performance.now() + forMs; performance.now() < end;) {
    const start = performance.now();
    let calls = 0;
    do {
      work();
      calls++;
    } while (performance.now() - start < batchMs);
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
};

const encoded = (value: object, encoding: EncodingName, kind: Kind): Buffer => {
  const result = runEncode({ value, encoding, kind });
  if (!result.ok) throw new Error(result.message);
  return result.bytes;
};

function oneObject(value: object, kind: Kind, forMs: number): string[][] {
  const bytes = encoded(value, 'json', kind);
  const parse = microseconds(() => JSON.parse(bytes.toString('utf8')), forMs);
  const stringify = microseconds(() => Buffer.from(JSON.stringify(value)), forMs);
  const row = (title: string, work: () => unknown, base: number): string[] => {
    const time = microseconds(work, forMs, warmUpMs);
    return [title, time.toFixed(1), ratio(time, base)];
  };
  return [
    ['JSON.parse', parse.toFixed(1), '1.00'],
    ...encodings.flatMap((encoding) => {
      const body = encoded(value, encoding, kind);
      return [
        row(`decode ${encoding}`, () => runDecode({ bytes: body, encoding, kind, findDuplicates: true }), parse),
        row(`decode ${encoding}, structure, defaults, validation`, () => accepted(body, encoding, kind), parse),
      ];
    }),
    ['JSON.stringify', stringify.toFixed(1), '1.00'],
    ...encodings.map((encoding) => row(`encode ${encoding}`, () => runEncode({ value, encoding, kind }), stringify)),
  ];
}

const plurals: Readonly<Record<string, string>> = { Pod: 'pods', ConfigMap: 'configmaps' };

/** Decodes bytes to an object, like a create before admission. */
function accepted(bytes: Buffer, encoding: EncodingName, kind: Kind): void {
  const result = decodeObject({ bytes, encoding, kind, findStrict: true });
  if (!result.ok) throw new Error(result.stage);
  const strategy = kindOf({ group: kind.group, resource: plurals[kind.kind] ?? '' });
  const object = result.object as unknown as ApiObject;
  inOneGo(outcomeOf(strategy.defaults?.(object)));
  const findings = inOneGo(outcomeOf(strategy.validate?.(object, { apiVersion: 'v1', namespaceLabels: {} }) ?? []));
  if (findings.length > 0) throw new Error(JSON.stringify(findings[0]));
}

interface Held {
  readonly bytes: number;
  readonly inline: number;
  readonly pool: number;
  readonly latency: number;
}

/** How long one body holds the event loop: the whole work inline, or the hand-over with the pool. */
async function held(bytes: Buffer, encoding: EncodingName, kind: Kind, forMs: number): Promise<Held> {
  const workers = createWorkers({ inlineBytesMax: 0, threads: 1 });
  const job = { bytes, encoding, kind, findStrict: true };
  await workers.decodeObject(job);
  const inline = microseconds(() => decodeObject(job), forMs);
  let [pool, latency] = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    const before = performance.eventLoopUtilization();
    const start = performance.now();
    await workers.decodeObject(job);
    latency = Math.min(latency, (performance.now() - start) * 1000);
    pool = Math.min(pool, performance.eventLoopUtilization(before).active * 1000);
  }
  await workers.close();
  return { bytes: bytes.length, inline, pool, latency };
}

const sizes = (encoding: EncodingName): readonly number[] => (encoding === 'yaml' ? [1, 4, 16] : [4, 40, 160, 640]);

async function inlineAgainstPool(forMs: number): Promise<string[][]> {
  const rows: string[][] = [];
  for (const encoding of encodings)
    for (const containers of sizes(encoding)) {
      const { bytes, inline, pool, latency } = await held(encoded(pod(containers), encoding, podKind), encoding, podKind, forMs);
      rows.push([`${encoding}, Pod of ${containers} containers`, count(bytes), inline.toFixed(0), pool.toFixed(0), latency.toFixed(0)]);
    }
  return rows;
}

/** The smallest dense body, in doublings, that holds the event loop for less time with the pool. */
async function breakEven(forMs: number): Promise<string[]> {
  const found: string[] = [];
  for (const encoding of encodings) {
    let text = `${encoding} never`;
    for (let containers = 1; containers <= 512; containers *= 2) {
      const { bytes, inline, pool } = await held(encoded(pod(containers), encoding, podKind), encoding, podKind, forMs / 4);
      if (pool >= inline) continue;
      text = `${encoding} ${count(bytes)} bytes`;
      break;
    }
    found.push(text);
  }
  return found;
}

/** Measures how long one body of nearly 3 MiB holds the event loop: hand-over, return, and the longest turn, in processor time. */
async function stalls(): Promise<string[][]> {
  const rows: string[][] = [];
  const bodies = [
    ['ConfigMap of long texts', configMap(bodyBytesMax * 0.9), configMapKind],
    ['Pod of many containers', pod(3_100), podKind],
  ] as const;
  for (const encoding of encodings)
    for (const [title, value, kind] of bodies) {
      // YAML takes seconds where JSON takes milliseconds, with the same result.
      if (encoding === 'yaml') continue;
      const bytes = encoded(value, encoding, kind);
      const result = decodeObject({ bytes, encoding, kind, findStrict: true });
      if (!result.ok) throw new Error(result.stage);
      const passed = serialize(cut(result.object));
      let [given, taken, turn] = [Infinity, Infinity, Infinity];
      for (let round = 0; round < rounds; round++) {
        given = Math.min(
          given,
          cpuMs(() => Uint8Array.prototype.slice.call(bytes)),
        );
        let pieces: Piece[] = [];
        taken = Math.min(
          taken,
          cpuMs(() => {
            pieces = deserialize(passed) as Piece[];
          }),
        );
        turn = Math.min(turn, await longestTurn(() => putTogether(pieces)));
      }
      rows.push([`${encoding}, ${title}`, count(bytes.length), given.toFixed(1), taken.toFixed(1), turn.toFixed(1)]);
    }
  return rows;
}

const sinceCpu = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return sinceCpu(start);
}

/** Processor time of the longest turn of the event loop during the work. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, start] = [0, process.cpuUsage()];
  const beat = (): void => {
    longest = Math.max(longest, sinceCpu(start));
    start = process.cpuUsage();
    timer = setImmediate(beat);
  };
  let timer = setImmediate(beat);
  await work();
  clearImmediate(timer);
  return Math.max(longest, sinceCpu(start));
}
