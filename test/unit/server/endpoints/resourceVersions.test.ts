import { expect } from 'chai';
import type { Consistency, Storage } from '../../../../server/storage/contract.js';
import { call, watchStream } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** The consistency of a table's cell, or the refusal. */
type Cell = Consistency['at'] | 'continued' | { readonly status: number; readonly says: string };

const matchNeedsVersion = { status: 422, says: 'resourceVersionMatch is forbidden unless resourceVersion is provided' };
const matchBesideToken = { status: 422, says: 'resourceVersionMatch is forbidden when continue is provided' };
const exactZero = { status: 422, says: 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"' };
const versionBesideToken = { status: 400, says: 'specifying resource version is not allowed when using continue' };

/** Specification, section "Resource versions": match and paging, then the meaning of an unset version, "0" and another one. */
const listCells: readonly (readonly [match: string, paging: '' | 'limit' | 'continue', unset: Cell, zero: Cell, other: Cell])[] = [
  ['', '', 'mostRecent', 'any', 'notOlderThan'],
  ['', 'limit', 'mostRecent', 'any', 'exact'],
  ['', 'continue', 'continued', 'continued', versionBesideToken],
  ['Exact', '', matchNeedsVersion, exactZero, 'exact'],
  ['Exact', 'limit', matchNeedsVersion, exactZero, 'exact'],
  ['Exact', 'continue', matchNeedsVersion, matchBesideToken, matchBesideToken],
  ['NotOlderThan', '', matchNeedsVersion, 'any', 'notOlderThan'],
  ['NotOlderThan', 'limit', matchNeedsVersion, 'any', 'notOlderThan'],
  ['NotOlderThan', 'continue', matchNeedsVersion, matchBesideToken, matchBesideToken],
];

describe('endpoints/resource versions', () => {
  let server: TestServer;
  let first: string;
  let second: string;
  let token: string;
  let asked: Consistency[];

  const recording = (storage: Storage): Storage => ({
    ready: () => storage.ready(),
    isStale: (...args) => storage.isStale(...args),
    watch: (...args) => storage.watch(...args),
    create: (...args) => storage.create(...args),
    update: (...args) => storage.update(...args),
    delete: (...args) => storage.delete(...args),
    get: (key, consistency) => {
      asked.push(consistency);
      return storage.get(key, consistency);
    },
    list: (request) => {
      asked.push(request.consistency);
      return storage.list(request);
    },
  });
  const create = async (name: string): Promise<string> => {
    const { body } = await call(server.url, 'POST', configMaps, { body: { metadata: { name } } });
    return (body['metadata'] as { resourceVersion: string }).resourceVersion;
  };
  const query = (parameters: Readonly<Record<string, string>>): string =>
    new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();

  before(async () => {
    asked = [];
    server = await startTestServer(undefined, { wrap: recording });
    first = await create('a');
    second = await create('b');
    token = ((await call(server.url, 'GET', `${configMaps}?limit=1`)).body['metadata'] as { continue: string }).continue;
    await create('c');
  });
  after(() => server.close());
  beforeEach(() => {
    asked = [];
  });

  for (const [match, paging, ...cells] of listCells) {
    for (const [index, version] of ['unset', 'zero', 'other'].entries()) {
      const cell = cells[index] as Cell;
      const meaning = typeof cell === 'string' ? cell : `refused with ${cell.status}`;
      it(`a list with match "${match}", ${paging === '' ? 'no paging' : paging} and version ${version} is ${meaning}`, async () => {
        const resourceVersion = ['', '0', first][index] ?? '';
        const { status, body } = await call(
          server.url,
          'GET',
          `${configMaps}?${query({ resourceVersion, resourceVersionMatch: match, limit: paging === '' ? '' : '10', continue: paging === 'continue' ? token : '' })}`,
        );
        if (typeof cell !== 'string') {
          expect(status).to.equal(cell.status);
          expect(body['message']).to.include(cell.says);
          return;
        }
        const names = (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
        const version = (body['metadata'] as { resourceVersion: string }).resourceVersion;
        expect(asked.map(({ at }) => at)).to.deep.equal([cell === 'continued' ? 'exact' : cell]);
        if (cell === 'continued') expect([version, names]).to.deep.equal([second, ['b']]);
        else if (cell === 'exact') expect([version, names]).to.deep.equal([first, ['a']]);
        else expect(names).to.deep.equal(['a', 'b', 'c']);
      });
    }
  }

  it('tells first what cannot be read, in the order of the parameters, then what contradicts, then what is unknown', async () => {
    const wrong = { timeoutSeconds: 'x', limit: 'y', labelSelector: '==', fieldSelector: 'a', resourceVersionMatch: 'Foo' };
    const order: readonly (readonly [number, string])[] = [
      [400, 'parsing "x"'],
      [400, 'parsing "y"'],
      [400, "found '=='"],
      [400, "invalid selector: 'a'"],
      [422, 'Unsupported value: "Foo"'],
    ];
    for (const [index, [status, says]] of order.entries()) {
      const answer = await call(server.url, 'GET', `${configMaps}?${query(Object.fromEntries(Object.entries(wrong).slice(index)))}`);
      expect(answer.status).to.equal(status);
      expect(answer.body['message']).to.include(says);
    }
    const unknown = await call(server.url, 'GET', `${configMaps}?${query({ fieldSelector: 'a=b', resourceVersionMatch: 'Foo' })}`);
    expect(unknown.status).to.equal(422);
  });

  it('a version is a number in decimal, at most 2^64 - 1, and of a repeated parameter the first counts', async () => {
    for (const [value, reads] of [
      ['00', true],
      [`000${'1'}`, true],
      ['+1', false],
      ['-1', false],
      ['0x1', false],
      ['1e3', false],
      [' 1', false],
      ['1.0', false],
      ['\u0663', false],
      ['18446744073709551616', false],
    ] as const) {
      for (const [path, refused] of [
        [`${configMaps}/a`, 500],
        [configMaps, 400],
        [`${configMaps}?limit=1`, 400],
      ] as const) {
        const { status } = await call(
          server.url,
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}resourceVersion=${encodeURIComponent(value)}&resourceVersion=zzz`,
        );
        expect(status, `${path} ${value}`).to.equal(reads ? (path.includes('?') && value !== '00' ? 410 : 200) : refused);
      }
    }
  });

  it('a limit is a number in decimal of 64 bits; zero and less are none', async () => {
    const named = async (limit: string): Promise<number | string> => {
      const { status, body } = await call(server.url, 'GET', `${configMaps}?limit=${encodeURIComponent(limit)}&limit=1`);
      return status === 200 ? (body['items'] as unknown[]).length : String(body['message']);
    };
    for (const [limit, count] of [
      ['0', 3],
      ['-1', 3],
      ['-9223372036854775808', 3],
      ['2', 2],
      ['+2', 2],
      ['002', 2],
      ['9223372036854775807', 3],
    ] as const)
      expect(await named(limit), limit).to.equal(count);
    for (const limit of ['', 'x', '0x2', '2.0', '1e1', ' 2'])
      expect(await named(limit), limit).to.equal(`strconv.ParseInt: parsing "${limit}": invalid syntax`);
    for (const limit of ['9223372036854775808', '-9223372036854775809'])
      expect(await named(limit), limit).to.equal(`strconv.ParseInt: parsing "${limit}": value out of range`);
  });

  it('a get is most recent, any or not older than', async () => {
    for (const resourceVersion of ['', '0', second])
      expect((await call(server.url, 'GET', `${configMaps}/a?${query({ resourceVersion })}`)).status).to.equal(200);
    expect(asked).to.deep.equal([{ at: 'mostRecent' }, { at: 'any' }, { at: 'notOlderThan', version: Number(second) }]);
  });

  it('a version from the future is too large, for gets and lists', async () => {
    for (const path of [
      `${configMaps}/a?resourceVersion=999999`,
      `${configMaps}?resourceVersion=999999`,
      `${configMaps}?resourceVersion=999999&resourceVersionMatch=Exact`,
    ]) {
      const { status, body } = await call(server.url, 'GET', path);
      expect(status).to.equal(504);
      expect(body).to.deep.include({ reason: 'Timeout' }).and.have.nested.property('details.retryAfterSeconds', 1);
      expect(body['message']).to.match(
        /^Too large resource version: 999999, current: \d+$|^Timeout: Too large resource version: 999999, current: \d+$/,
      );
    }
  });

  describe('of watches', () => {
    const types = async (parameters: Readonly<Record<string, string>>, count: number): Promise<string[]> => {
      const stream = await watchStream(server.url, `${configMaps}?watch=1&${query(parameters)}`);
      const found: string[] = [];
      while (found.length < count) {
        const event = (await stream.next()) as unknown as { type: string; object: { metadata: { name?: string } } };
        found.push(`${event.type} ${event.object.metadata.name ?? ''}`);
      }
      stream.close();
      return found;
    };

    it('show the state first when they begin at no version or at any', async () => {
      for (const resourceVersion of ['', '0']) expect(await types({ resourceVersion }, 3)).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c']);
    });

    it('show only what follows a version', async () => {
      expect(await types({ resourceVersion: first }, 2)).to.deep.equal(['ADDED b', 'ADDED c']);
    });

    it('show the state from a version, and then its end, to who asks', async () => {
      const asks = { resourceVersion: first, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
      expect(await types(asks, 4)).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c', 'BOOKMARK ']);
    });

    const refusals: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
      [{ resourceVersionMatch: 'NotOlderThan' }, ['resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided']],
      [
        { resourceVersionMatch: 'Exact' },
        ['resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided', 'Unsupported value: "Exact"'],
      ],
      [{ sendInitialEvents: 'true' }, ['sendInitialEvents requires setting resourceVersionMatch to NotOlderThan']],
      [{ sendInitialEvents: 'false' }, ['sendInitialEvents requires setting resourceVersionMatch to NotOlderThan']],
      [
        { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
        ['sendInitialEvents requires setting resourceVersionMatch to NotOlderThan', 'Unsupported value: "Exact"'],
      ],
      [
        { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', continue: 'x' },
        ['resourceVersionMatch is forbidden when continue is provided'],
      ],
    ];
    for (const [parameters, reasons] of refusals) {
      it(`are refused with ${query(parameters)}`, async () => {
        const { status, body } = await call(server.url, 'GET', `${configMaps}?watch=1&${query(parameters)}`);
        expect(status).to.equal(422);
        const causes = (body['details'] as { causes: { message: string }[] }).causes.map(({ message }) => message);
        expect(causes).to.have.length(reasons.length);
        for (const [index, reason] of reasons.entries()) expect(causes[index]).to.include(reason);
      });
    }

    it('without the gate WatchList nobody may ask for the state, and its end is not marked', async () => {
      const without = await startTestServer(undefined, { endpoints: { watchList: false } });
      try {
        const { status, body } = await call(
          without.url,
          'GET',
          `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
        );
        expect([status, body['message']]).to.satisfy(
          ([code, message]: [number, string]) => code === 422 && message.includes('unless the WatchList feature gate is enabled'),
        );
        await call(without.url, 'POST', configMaps, { body: { metadata: { name: 'a' } } });
        const stream = await watchStream(without.url, `${configMaps}?watch=1&allowWatchBookmarks=true`);
        expect(await stream.next()).to.deep.include({ type: 'ADDED' });
        await call(without.url, 'DELETE', `${configMaps}/a`);
        expect(await stream.next()).to.deep.include({ type: 'DELETED' });
        stream.close();
      } finally {
        await without.close();
      }
    });
  });
});
