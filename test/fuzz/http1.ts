import type { Prng } from '../simulation/prng.js';
import { RawHttp1 } from '../attacks/wire/http1.js';
import type { Target, User } from '../attacks/target.js';
import { leavingOf, within, type Campaign, type Step } from './campaign.js';
import { mutatedBytes } from './mutations.js';

/** The limit for the rest of an answer to an invalid request, after the client's end. */
const restMs = 5_000;
const methods = [
  'GET',
  'GET',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  'X'.repeat(50),
  '',
  'G\u0000T',
] as const;
const segments = [
  'api',
  'apis',
  'v1',
  'namespaces',
  'default',
  'fuzz',
  'configmaps',
  'pods',
  'x',
  'status',
  'watch',
  'apps',
  'deployments',
  'livez',
  'metrics',
  'version',
  'openapi',
  'v2',
  'v3',
  'raft',
  '',
  '.',
  '..',
  '%2e',
  '%2f',
  '%00',
  '%',
  '%ff',
  ';',
  '*',
  'ü',
  'a'.repeat(300),
] as const;
const queries = [
  'watch=1&timeoutSeconds=1',
  'limit=1',
  'limit=-1',
  'continue=x',
  'resourceVersion=0',
  'resourceVersion=x',
  'fieldSelector=metadata.name%3Dx',
  'labelSelector=a%20in%20(b',
  'dryRun=All',
  'dryRun=',
  'pretty',
  '%zz',
  '&&',
  'a'.repeat(500),
  'timeout=1ns',
  'fieldManager=%00',
] as const;
const headers = [
  'host: localhost',
  'host: a, b',
  'host: \u0000',
  'content-length: 0',
  'content-length: 5',
  'content-length: 99999999',
  'content-length: -1',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'connection: close',
  'connection: upgrade',
  'upgrade: websocket',
  'upgrade: h2c',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol: v5.channel.k8s.io',
  'expect: 100-continue',
  'expect: x',
  'accept: application/json',
  'accept: */*;q=x',
  'accept: application/vnd.kubernetes.protobuf',
  'accept: application/json;as=Table;g=meta.k8s.io;v=v1',
  'accept-encoding: gzip',
  'accept-encoding: br;q=2',
  'content-type: application/json',
  'content-type: ;',
  'authorization: Bearer x',
  'authorization: Basic eA==',
  'authorization: Bearer',
  'impersonate-user: a',
  'impersonate-extra-%zz: a',
  'impersonate-extra-__proto__: a',
  'impersonate-uid: 1',
  'x-remote-user: a',
  'origin: null',
  'range: bytes=0-1',
  'if-none-match: "a"',
  'cookie: a=b',
  'x: ' + 'y'.repeat(5_000),
  ': empty',
  'no colon',
  ' folded',
  'x:\tü',
  'te: trailers',
  'trailer: x',
] as const;
const bodies = [
  '',
  'hello',
  '{}',
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'ffffffff\r\n',
  '5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n',
  '-1\r\n',
  '\u0000\u0001\u0002',
] as const;

function request(prng: Prng): string {
  const path = `/${Array.from({ length: prng.between(0, 7) }, () => prng.pick(segments)).join('/')}`;
  const target = prng.chance(900)
    ? `${path}${prng.chance(400) ? `?${prng.pick(queries)}` : ''}`
    : prng.pick(['*', 'https://x/livez', 'livez', '', 'http://[::1', '\\\\x\\y']);
  const version = prng.chance(950) ? 'HTTP/1.1' : prng.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/0.9', 'http/1.1', '']);
  const chosen = Array.from({ length: prng.between(0, 6) }, () => prng.pick(headers));
  return [
    `${prng.pick(methods)} ${target} ${version}`,
    ...(prng.chance(900) ? ['host: localhost'] : []),
    ...chosen,
    '',
    prng.chance(400) ? prng.pick(bodies) : '',
  ].join(prng.chance(980) ? '\r\n' : '\n');
}

/** Requests of HTTP/1.1 from a grammar, pipelined, a third with changed bytes; cut off or complete. */
export function http1Campaign(target: Target, user: User): Campaign {
  return {
    name: 'http1',
    async step(prng: Prng): Promise<Step> {
      const text = Array.from({ length: prng.between(1, 4) }, () => request(prng)).join('');
      const bytes = prng.chance(333) ? mutatedBytes(prng, Buffer.from(text)) : Buffer.from(text);
      const wire = await RawHttp1.open(prng.chance(500) ? user.wire : { port: target.port });
      const leaving = leavingOf(prng);
      const cut = leaving !== null || prng.chance(100);
      for (let at = 0; at < bytes.length;) {
        const end = prng.chance(700) ? bytes.length : at + prng.between(1, 200);
        wire.send(bytes.subarray(at, end));
        at = end;
      }
      if (leaving === 'at the first answer') await within(wire.answered(1), restMs);
      else if (!cut) await within(wire.finish(), restMs);
      if (leaving === null) wire.destroy();
      else wire.abort();
      const statuses = wire.answers.map(({ status }) => status);
      const failed = wire.answers.find(({ status }) => status === 500 || status > 505);
      return {
        did: JSON.stringify(bytes.toString('latin1')),
        outcome: cut ? 'cut' : statuses.length === 0 ? 'closed' : String(statuses[0]),
        wrong:
          failed === undefined || /failed to create RequestInfo/.test(failed.body)
            ? null
            : `answered ${failed.status}: ${failed.body.slice(0, 500)}`,
      };
    },
  };
}
