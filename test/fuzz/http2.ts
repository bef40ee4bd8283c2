import type { Prng } from '../simulation/prng.js';
import {
  errorCodes,
  flags,
  frame,
  frameTypes,
  goawayFrame,
  headerBlock,
  headersFrame,
  indexedBlock,
  pingFrame,
  RawHttp2,
  requestFields,
  resetFrame,
  settingIds,
  settingsFrame,
  windowUpdateFrame,
  type Fields,
} from '../attacks/wire/http2Frames.js';
import type { Target, User } from '../attacks/target.js';
import { leavingOf, within, type Campaign, type Step } from './campaign.js';
import { mutatedBytes } from './mutations.js';

const paths = [
  '/livez',
  '/version',
  '/api/v1/namespaces',
  '/api/v1/namespaces/fuzz/configmaps',
  '/api/v1/namespaces/fuzz/configmaps?watch=true',
  '/apis',
  '/openapi/v2',
  '/metrics',
  '',
  '*',
  'x',
  '/%zz',
  '/api/v1/namespaces/fuzz/configmaps/f0',
] as const;
const fields: Fields = [
  ['content-length', '5'],
  ['content-length', '-1'],
  ['te', 'trailers'],
  ['te', 'gzip'],
  ['connection', 'close'],
  ['host', 'other'],
  [':path', '/x'],
  [':protocol', 'websocket'],
  [':status', '200'],
  ['', 'x'],
  ['X', 'y'],
  ['x', 'a\r\nb: c'],
  ['cookie', 'a'],
  ['content-type', 'application/json'],
  ['accept', 'application/vnd.kubernetes.protobuf'],
  ['x', 'y'.repeat(3_000)],
  ['authorization', 'Bearer x'],
  ['impersonate-user', 'x'],
  ['expect', '100-continue'],
];
const rightFields: Fields = [
  ['te', 'trailers'],
  ['cookie', 'a'],
  ['content-type', 'application/json'],
  ['accept', 'application/vnd.kubernetes.protobuf'],
  ['accept-encoding', 'gzip'],
  ['x', 'y'.repeat(3_000)],
  ['authorization', 'Bearer x'],
  ['impersonate-user', 'x'],
];
const rightPaths = paths.filter((path) => path.startsWith('/'));
const windows = [0, 1, 65_535, 0x7fffffff] as const;

/** A frame on an open stream or another one. */
function drawn(prng: Prng, wire: RawHttp2, opened: number[]): Buffer {
  const stream = opened.length > 0 && prng.chance(800) ? (prng.pick(opened) ?? 1) : prng.below(200);
  switch (prng.below(14)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const fresh = wire.takeStream();
      opened.push(fresh);
      const chosen = Array.from({ length: prng.below(4) }, () => prng.pick(fields) ?? (['x', 'y'] as const));
      const block = requestFields(prng.pick(['GET', 'GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'CONNECT', '']), prng.pick(paths), chosen);
      if (prng.chance(700)) return headersFrame(fresh, block, prng.chance(700));
      const encoded = prng.chance(500) ? indexedBlock(block) : headerBlock(block);
      const cut = prng.below(encoded.length);
      return Buffer.concat([
        frame(frameTypes.headers, prng.chance(500) ? flags.endStream : 0, fresh, encoded.subarray(0, cut)),
        frame(frameTypes.continuation, flags.endHeaders, fresh, encoded.subarray(cut)),
      ]);
    }
    case 4:
    case 5:
      return frame(
        frameTypes.data,
        prng.chance(400) ? flags.endStream : prng.chance(100) ? flags.padded : 0,
        stream,
        Buffer.alloc(prng.below(2_000), 0x7b),
      );
    case 6:
      return resetFrame(stream, prng.below(20));
    case 7:
      return windowUpdateFrame(prng.chance(500) ? 0 : stream, prng.pick(windows));
    case 8:
      return settingsFrame({ [prng.between(0, 10)]: prng.pick(windows), [settingIds.initialWindowSize]: prng.pick(windows) });
    case 9:
      return frame(frameTypes.priority, 0, stream, Buffer.from([0, 0, 0, prng.below(256), prng.below(256)]));
    case 10:
      return pingFrame();
    case 11:
      return goawayFrame(prng.below(100), prng.below(14));
    case 12:
      return frame(prng.below(256), prng.below(256), stream, Buffer.alloc(prng.below(300), prng.below(256)));
    default:
      return headersFrame(stream, [['x', 'trailer']], prng.chance(800));
  }
}

/** A valid frame: most connections must survive to reach deeper states. */
function well(prng: Prng, wire: RawHttp2, opened: number[]): Buffer {
  const stream = prng.pick(opened) ?? 0;
  switch (opened.length === 0 ? 0 : prng.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const fresh = wire.takeStream();
      const method = prng.pick(['GET', 'GET', 'GET', 'POST', 'DELETE', 'HEAD']);
      if (method === 'POST') opened.push(fresh);
      const chosen = Array.from({ length: prng.below(3) }, () => prng.pick(rightFields) ?? (['x', 'y'] as const));
      return headersFrame(fresh, requestFields(method, prng.pick(rightPaths) ?? '/livez', chosen), method !== 'POST');
    }
    case 4:
    case 5:
      return frame(frameTypes.data, 0, stream, Buffer.alloc(prng.below(2_000), 0x7b));
    case 6:
      opened.splice(opened.indexOf(stream), 1);
      return prng.chance(500) ? resetFrame(stream, prng.below(14)) : frame(frameTypes.data, flags.endStream, stream, Buffer.from('{}'));
    case 7:
      return prng.chance(500)
        ? windowUpdateFrame(prng.chance(500) ? 0 : stream, prng.between(1, 1_000))
        : settingsFrame({ [settingIds.initialWindowSize]: prng.pick([0, 1, 65_535]) });
    case 8:
      return pingFrame();
    default:
      return frame(prng.between(0x20, 0xff), prng.below(256), stream, Buffer.alloc(prng.below(100)));
  }
}

/** Mostly valid frames in any order; a third of the connections has changed bytes. */
export function http2Campaign(target: Target, user: User): Campaign {
  return {
    name: 'http2',
    async step(prng: Prng): Promise<Step> {
      const wire = await RawHttp2.open({
        ...(prng.chance(500) ? user.wire : { port: target.port }),
        polite: prng.chance(800),
        silent: prng.chance(30),
        settings: prng.chance(200) ? { [settingIds.initialWindowSize]: prng.pick([0, 1, 100]) } : {},
      });
      const opened: number[] = [];
      const isRight = prng.chance(500);
      const frames = Array.from({ length: prng.between(1, 40) }, () => (isRight ? well : drawn)(prng, wire, opened));
      const bytes = prng.chance(isRight ? 50 : 333) ? mutatedBytes(prng, Buffer.concat(frames)) : Buffer.concat(frames);
      const leaving = leavingOf(prng);
      wire.send(bytes, pingFrame());
      if (leaving !== null) {
        const framesBefore = wire.frames.length;
        if (leaving === 'at the first answer')
          await within(
            wire.until(() => wire.frames.length > framesBefore),
            5_000,
          );
        wire.abort();
        return { did: bytes.toString('hex'), outcome: 'left', wrong: null };
      }
      const judged = await within(
        wire.until(
          () => wire.goaway !== null || wire.frames.some((each) => each.type === frameTypes.ping && (each.flags & flags.ack) !== 0),
        ),
        5_000,
      );
      if (prng.chance(500)) wire.send(goawayFrame(0, errorCodes.none));
      wire.destroy();
      const failed = [...wire.statuses].find(([, status]) => status === 500 || status > 505);
      const body = failed === undefined ? '' : (wire.bodies.get(failed[0]) ?? '');
      return {
        did: bytes.toString('hex'),
        outcome: wire.goaway !== null ? `goaway ${wire.goaway}` : judged === 'late' ? 'silent' : judged ? 'alive' : 'closed',
        wrong:
          failed === undefined || /failed to create RequestInfo/.test(body)
            ? null
            : `stream ${failed[0]} answered ${failed[1]}: ${body.slice(0, 500)}`,
      };
    },
  };
}
