import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { serveDebugSocket } from '../../../../program/port/debugSocket.js';
import { DebugPages, type PageAnswer } from '../../../../program/profiles/pages.js';
import { encodePprof } from '../../../../program/profiles/pprof.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

/** The used part of pprof's format, with the numbers and types of `profile.proto`. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4; repeated Function function = 5;
    repeated string string_table = 6; int64 time_nanos = 9; int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Location { uint64 id = 1; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; }
`);
interface Decoded {
  sampleType: { type: number; unit: number }[];
  sample: { locationId: number[]; value: number[] }[];
  location: { id: number; line: { functionId: number; line: number }[] }[];
  function: { id: number; name: number; filename: number }[];
  stringTable: string[];
  periodType: { type: number; unit: number };
  durationNanos: number;
}

function decode(bytes: Buffer): { types: string[]; samples: { stack: string[]; values: number[] }[]; raw: Decoded } {
  const type = root.lookupType('Profile');
  const raw = type.toObject(type.decode(gunzipSync(bytes)), { longs: Number, defaults: true }) as Decoded;
  const text = (at: number): string => raw.stringTable[at] ?? '?';
  const functions = new Map(raw.function.map((each) => [each.id, each]));
  const locations = new Map(raw.location.map((each) => [each.id, each]));
  const frame = (id: number): string =>
    locations
      .get(id)!
      .line.map(({ functionId, line }) => `${text(functions.get(functionId)!.name)}@${text(functions.get(functionId)!.filename)}:${line}`)
      .join();
  return {
    types: raw.sampleType.map(({ type: name, unit }) => `${text(name)}/${text(unit)}`),
    samples: raw.sample.map(({ locationId, value }) => ({ stack: locationId.map(frame), values: value })),
    raw,
  };
}

const pages = (contention = false): DebugPages => new DebugPages({ verbosity: { level: 2 }, contention, now: () => 1_000 });
const ask = async (of: DebugPages, target: string, method = 'GET', body = ''): Promise<PageAnswer> => {
  const url = new URL(target, 'http://x');
  const answer = await of.answer({
    method,
    path: url.pathname,
    query: url.searchParams,
    signal: new AbortController().signal,
    body: () => Promise.resolve(Buffer.from(body)),
  });
  if (answer === null) throw new Error(`no page ${target}`);
  return answer;
};
const bytesOf = ({ body }: PageAnswer): Buffer => (Buffer.isBuffer(body) ? body : Buffer.from(String(body)));

/** Work for a profile. V8 does not inline asynchronous functions, which would hide its name. */
async function burnTheProcessor(until: { over: boolean }): Promise<void> {
  while (!until.over) {
    const end = performance.now() + 20;
    while (performance.now() < end) Math.sqrt(Math.random());
    await nextTurn();
  }
}

describe('profiles', () => {
  it('in the format of pprof hold every stack with its values, each text and each place once', () => {
    const frames = [
      { name: 'inner', file: 'a.js', line: 3 },
      { name: 'outer', file: 'a.js', line: 9 },
    ];
    const { types, samples, raw } = decode(
      encodePprof({
        types: [{ type: 'cpu', unit: 'nanoseconds' }],
        samples: [
          { stack: frames, values: [2 ** 40] },
          { stack: frames.slice(1), values: [5] },
        ],
        period: { type: { type: 'cpu', unit: 'nanoseconds' }, value: 1 },
        takenAt: 1,
        durationMs: 7,
      }),
    );
    expect(types).to.deep.equal(['cpu/nanoseconds']);
    expect(samples).to.deep.equal([
      { stack: ['inner@a.js:3', 'outer@a.js:9'], values: [2 ** 40] },
      { stack: ['outer@a.js:9'], values: [5] },
    ]);
    expect(raw.stringTable[0]).to.equal('');
    expect(new Set(raw.stringTable).size).to.equal(raw.stringTable.length);
    expect(raw.location).to.have.length(2);
    expect(raw.durationNanos).to.equal(7e6);
  });

  it('of the processor name who computed, for pprof and for DevTools', async () => {
    const work = { over: false };
    const burning = burnTheProcessor(work);
    // On a busy machine a short profile may miss this process.
    const namesIt = ({ samples }: ReturnType<typeof decode>): boolean =>
      samples.some(({ stack, values }) => stack.some((frame) => frame.startsWith('burnTheProcessor@')) && values[1]! > 1e6);
    let profile = decode(bytesOf(await ask(pages(), '/debug/pprof/profile?seconds=0.3')));
    while (!namesIt(profile)) profile = decode(bytesOf(await ask(pages(), '/debug/pprof/profile?seconds=0.3')));
    const devTools = JSON.parse(String(bytesOf(await ask(pages(), '/debug/pprof/profile?seconds=0.1&format=cpuprofile')))) as {
      nodes: unknown[];
    };
    work.over = true;
    await burning;
    expect(profile.types).to.deep.equal(['samples/count', 'cpu/nanoseconds']);
    expect(namesIt(profile)).to.equal(true);
    expect(devTools.nodes).to.not.have.length(0);
  });

  it('of memory name who allocated it', async () => {
    const kept: object[] = [];
    const timer = setInterval(function fillMemory() {
      for (let i = 0; i < 20_000; i++) kept.push({ i, text: `object ${i}` });
    }, 10);
    // Samples are random, and a busy machine may allocate nothing during a short profile.
    let profile: ReturnType<typeof decode>;
    do profile = decode(bytesOf(await ask(pages(), '/debug/pprof/heap?seconds=0.3')));
    while (!profile.samples.some(({ stack }) => stack.some((frame) => frame.startsWith('fillMemory@'))));
    clearInterval(timer);
    expect(profile.types).to.deep.equal(['inuse_objects/count', 'inuse_space/bytes']);
    expect(kept).to.not.have.length(0);
  });

  it('of waiting are there where they were asked for', async () => {
    const waiting = pages(true);
    const work = { over: false };
    const burning = burnTheProcessor(work);
    while (decode(bytesOf(await ask(waiting, '/debug/pprof/block'))).samples.length === 0) await nextTurn();
    work.over = true;
    await burning;
    waiting.stop();
    expect(decode(bytesOf(await ask(pages(), '/debug/pprof/block'))).samples).to.deep.equal([]);
  });

  it('refuse what they do not understand, and a second one at the same time', async () => {
    const of = pages();
    for (const [target, names] of [
      ['/debug/pprof/profile?seconds=x', /seconds must be above 0/],
      ['/debug/pprof/profile?seconds=9999', /at most 600/],
      ['/debug/pprof/heap?format=pdf', /format must be one of pprof, heapprofile, heapsnapshot/],
    ] as const) {
      const answer = await ask(of, target);
      expect(answer.code).to.equal(400);
      expect(String(answer.body)).to.match(names);
    }
    const both = await Promise.all([ask(of, '/debug/pprof/profile?seconds=0.1'), ask(of, '/debug/pprof/heap?seconds=0.1')]);
    expect(both.map(({ code }) => code)).to.deep.equal([200, 503]);
  });

  it('are served on a socket of their own, with the verbosity of the log', async () => {
    const socketPath = path.join(temporaryDirectory('debug'), 'socket');
    const verbosity = { level: 0 };
    const socket = await serveDebugSocket(socketPath, new DebugPages({ verbosity, contention: false, now: () => 0 }));
    const request = (method: string, target: string, body = ''): Promise<{ code: number; text: string }> =>
      new Promise((resolve, reject) => {
        http
          .request({ socketPath, method, path: target }, (response) => {
            let text = '';
            response
              .setEncoding('utf8')
              .on('data', (chunk: string) => (text += chunk))
              .on('end', () => resolve({ code: response.statusCode ?? 0, text }));
          })
          .on('error', reject)
          .end(body);
      });
    expect((await request('GET', '/debug/pprof/cmdline')).text.split('\0')).to.deep.equal(process.argv);
    expect((await request('PUT', '/debug/flags/v', '5')).code).to.equal(200);
    expect(verbosity.level).to.equal(5);
    expect((await request('PUT', '/debug/flags/v', 'five')).code).to.equal(400);
    expect((await request('GET', '/debug/flags/v')).code).to.equal(405);
    expect((await request('GET', '/metrics')).code).to.equal(404);
    socket.close();
    expect(fs.existsSync(socketPath)).to.equal(false);
  });
});
