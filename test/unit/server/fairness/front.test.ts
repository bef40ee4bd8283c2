import { expect } from 'chai';
import http2 from 'node:http2';
import { Fairness, type SeatRequest } from '../../../../server/fairness/fairness.js';
import { levelOf, schemaOf } from '../../../../server/fairness/objects.js';
import { dumpPage } from '../../../../server/fairness/pages.js';
import { workOf } from '../../../../server/fairness/seats.js';
import { bootstrapObjects } from '../../../../api/catalogue/bootstrapObjects.js';
import { requestInfo } from '../../../../api/requestInfo.js';
import type { ApiObject } from '../../../../api/object.js';
import { collectGarbage } from '../../../fixtures/collectGarbage.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

const level = (name: string, limited: object): ApiObject =>
  ({
    metadata: { name, uid: `level ${name}` },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, ...limited } },
  }) as unknown as ApiObject;
const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }];
const schema = (name: string, to: string, precedence: number, user: string): ApiObject =>
  ({
    metadata: { name, uid: `schema ${name}` },
    spec: {
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name: to },
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules: everything }],
    },
  }) as unknown as ApiObject;

describe('fairness at the door', () => {
  let identities: Identities;
  let server: Identity;
  const users = new Map<string, Identity>();
  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'localhost', usage: 'serverAuth' });
    for (const name of ['elephant', 'mouse', 'other'])
      users.set(name, await identities.issue({ name, groups: ['system:masters'], usage: 'clientAuth' }));
  });

  interface Reply {
    readonly status: number;
    readonly headers: http2.IncomingHttpHeaders;
  }
  const sessions: http2.ClientHttp2Session[] = [];
  const clientOf = (front: FrontDoor, user: string): http2.ClientHttp2Session => {
    const { cert, key } = users.get(user)!;
    const session = http2.connect(`https://localhost:${front.port}`, {
      ca: identities.ca,
      cert,
      key,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    session.on('error', () => {});
    sessions.push(session);
    return session;
  };
  const ask = (session: http2.ClientHttp2Session, path = '/api/v1/namespaces/n/pods/p', method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': path, ':method': method });
      let headers: http2.IncomingHttpHeaders = {};
      stream
        .on('response', (all) => (headers = all))
        .on('error', reject)
        .on('end', () => resolve({ status: Number(headers[':status']), headers }))
        .resume();
    });
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
  });

  it('lets a mouse pass an elephant, and says by what they were judged', async () => {
    let clock = 0;
    const fairness = new Fairness({
      seats: 2,
      waitMaxMs: 60_000,
      estimate: () => ({ objects: 0, bytes: null, watchers: 0 }),
      now: () => clock,
    });
    fairness.configure(
      [schemaOf(schema('all', 'one', 5, '*'))],
      [levelOf(level('one', { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 4, queueLengthLimit: 100 } } }))],
    );
    const waiting: (() => void)[] = [];
    let [elephants, miceAt] = [0, -1];
    const front = await openFrontDoor({
      identities,
      server,
      resources: async ({ response, user }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (user.name === 'elephant') elephants++;
        else miceAt = elephants;
        response.end('{}');
      },
      chain: { fairness },
    });
    try {
      const [elephant, mouse] = [clientOf(front, 'elephant'), clientOf(front, 'mouse')];
      const crowd = Array.from({ length: 100 }, () => ask(elephant));
      const until = async (condition: () => boolean): Promise<void> => {
        while (!condition()) await new Promise((resolve) => setImmediate(resolve));
      };
      await until(() => [...fairness.levels][0]!.level.waiting === 98);
      const small = ask(mouse);
      await until(() => [...fairness.levels][0]!.level.waiting === 99);
      expect(dumpPage('/debug/api_priority_and_fairness/dump_requests', new URLSearchParams('includeRequestDetails=1'), fairness)).to.match(
        /^one, all, \d+, 0, mouse, .*, mouse, get, /m,
      );
      expect(fairness.current).to.deep.equal({ readOnly: 2, mutating: 0 });
      const served = Promise.all([...crowd, small]);
      let over = false;
      void served.then(() => (over = true));
      await until(() => {
        clock += 0.003;
        waiting.shift()?.();
        return over;
      });
      const { status, headers } = await small;
      expect(status).to.equal(200);
      expect(miceAt, 'of a hundred before it').to.be.lessThan(20);
      expect([headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']]).to.deep.equal([
        'schema all',
        'level one',
      ]);
    } finally {
      await front.listener.close();
    }
  });

  it('refuses what finds no room with 429 and when to come back, at once or after waiting, and forgets who goes away', async () => {
    const fairness = new Fairness({ seats: 2, waitMaxMs: 1_000, estimate: () => ({ objects: 0, bytes: null, watchers: 0 }) });
    fairness.configure(
      [schemaOf(schema('strict', 'strict', 1, 'elephant')), schemaOf(schema('lenient', 'lenient', 2, '*'))],
      [
        levelOf(level('strict', { limitResponse: { type: 'Reject' } })),
        levelOf(level('lenient', { limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 } } })),
      ],
    );
    const waiting: (() => void)[] = [];
    const front = await openFrontDoor({
      identities,
      server,
      resources: async ({ response }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        response.end('{}');
      },
      chain: { fairness },
    });
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await new Promise((resolve) => setImmediate(resolve));
    };
    try {
      const [elephant, mouse] = [clientOf(front, 'elephant'), clientOf(front, 'mouse')];
      const first = [ask(elephant), ask(mouse)];
      await until(() => waiting.length === 2);
      const refused = await ask(elephant);
      expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '1']);
      const queued = await ask(mouse);
      expect(queued.status, 'waited in vain').to.equal(429);
      const gone = mouse.request({ ':path': '/api/v1/namespaces/n/pods/p' });
      const lenient = [...fairness.levels][1]!;
      await until(() => lenient.level.waiting === 1);
      gone.close(http2.constants.NGHTTP2_CANCEL);
      await until(() => lenient.level.waiting === 0);
      for (const go of waiting) go();
      expect((await Promise.all(first)).map(({ status }) => status)).to.deep.equal([200, 200]);
      const page = dumpPage('/debug/api_priority_and_fairness/dump_priority_levels', new URLSearchParams(), fairness) ?? '';
      expect(page)
        .to.match(/^strict, 0, true, false, 0, 0, 1, 1, 0, 0$/m)
        .and.match(/^lenient, 0, true, false, 0, 0, 1, 0, 1, \d$/m);
    } finally {
      await front.listener.close();
    }
  });

  it('holds no seat while a body is being sent', async () => {
    const fairness = new Fairness({ seats: 1, waitMaxMs: 60_000, estimate: () => ({ objects: 0, bytes: null, watchers: 0 }) });
    fairness.configure(
      [schemaOf(schema('all', 'one', 5, '*'))],
      [levelOf(level('one', { limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 10 } } }))],
    );
    let reading = false;
    const front = await openFrontDoor({
      identities,
      server,
      resources: async (context) => {
        if (context.request.method === 'POST') {
          reading = true;
          await context.body();
        }
        context.response.end('{}');
      },
      chain: { fairness },
    });
    try {
      const [slow, mouse] = [clientOf(front, 'elephant'), clientOf(front, 'mouse')];
      const post = slow.request({ ':path': '/api/v1/namespaces/n/pods', ':method': 'POST' });
      post.write('{');
      while (!reading) await new Promise((resolve) => setImmediate(resolve));
      expect((await ask(mouse)).status).to.equal(200);
      const answered = new Promise<number>((resolve) => post.on('response', (headers) => resolve(Number(headers[':status']))));
      post.end('}');
      expect(await answered).to.equal(200);
    } finally {
      await front.listener.close();
    }
  });
});

describe('fairness: what rests', () => {
  it('keeps nothing of a request whose seats its watchers still take', async () => {
    const fairness = new Fairness({ seats: 10, waitMaxMs: 1, estimate: () => ({ objects: 0, bytes: null, watchers: 10_000 }) });
    fairness.configure([schemaOf(schema('all', 'level', 1, 'ann'))], [levelOf(level('level', {}))]);
    const admitted = (): WeakRef<SeatRequest> => {
      const read = requestInfo('PUT', '/api/v1/namespaces/n/pods/p', new URLSearchParams());
      if (!read.ok) throw new Error(read.message);
      let held: Parameters<SeatRequest['holdSeat']>[0] | null = null;
      const guest: SeatRequest = {
        info: read.info,
        user: { name: 'ann', uid: '', groups: [], extra: {} } as never,
        query: new URLSearchParams(),
        response: { setHeader: () => {} },
        closed: false,
        onClose: () => {},
        foundNoRoom: () => {},
        holdSeat: (seat) => {
          held = seat;
        },
      };
      expect(fairness.admit(guest)).to.equal(undefined);
      (held as Parameters<SeatRequest['holdSeat']>[0] | null)?.release();
      return new WeakRef(guest);
    };
    const guest = admitted();
    await collectGarbage();
    const its = [...fairness.levels].find(({ settings }) => settings.name === 'level');
    expect(its?.level.seatsInUse, 'its watchers take seats').to.be.greaterThan(0);
    expect(guest.deref()).to.equal(undefined);
  });

  it('tells those for whom there is no room, so that their client can be paced', async () => {
    const fairness = new Fairness({ seats: 1, waitMaxMs: 60_000, estimate: () => ({ objects: 0, bytes: null, watchers: 0 }) });
    const limited = { limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } } };
    fairness.configure([schemaOf(schema('all', 'level', 1, 'ann'))], [levelOf(level('level', limited))]);
    const reported: string[] = [];
    let leave = (): void => undefined;
    const admit = (name: string): void | Promise<void> => {
      const read = requestInfo('GET', '/api/v1/namespaces/n/pods/p', new URLSearchParams());
      if (!read.ok) throw new Error(read.message);
      return fairness.admit({
        info: read.info,
        user: { name: 'ann', uid: '', groups: [], extra: {} } as never,
        query: new URLSearchParams(),
        response: { setHeader: () => {} },
        closed: false,
        onClose: (left) => {
          leave = left;
        },
        holdSeat: () => {},
        foundNoRoom: () => reported.push(name),
      });
    };
    expect(admit('begins')).to.equal(undefined);
    const waiting = Promise.resolve(admit('waits')).catch((error: unknown) => error);
    expect(() => admit('is refused')).to.throw('too many requests');
    expect(reported).to.deep.equal(['is refused']);
    leave();
    expect(await waiting).to.be.an('error');
  });
});

describe('fairness: what every cluster has', () => {
  const objects = bootstrapObjects();
  const fairness = new Fairness({ seats: 600, waitMaxMs: 1, estimate: () => ({ objects: 0, bytes: null, watchers: 0 }) });
  fairness.configure((objects['flowschemas'] ?? []).map(schemaOf), (objects['prioritylevelconfigurations'] ?? []).map(levelOf));
  const levelFor = (user: string, groups: readonly string[], method: string, path: string): string | undefined => {
    const read = requestInfo(method, path, new URLSearchParams());
    if (!read.ok) throw new Error(read.message);
    const before = new Map([...fairness.levels].map(({ settings, counts }) => [settings.name, counts.dispatched]));
    void fairness.admit({
      info: read.info,
      user: { name: user, uid: '', groups, extra: {} } as never,
      query: new URLSearchParams(),
      response: { setHeader: () => {} },
      closed: false,
      onClose: () => {},
      holdSeat: () => {},
      foundNoRoom: () => {},
    });
    return [...fairness.levels].find(({ settings, counts }) => counts.dispatched > (before.get(settings.name) ?? 0))?.settings.name;
  };
  for (const [user, groups, method, path, wanted] of [
    ['root', ['system:masters', 'system:authenticated'], 'GET', '/api/v1/pods', 'exempt'],
    ['system:node:n', ['system:nodes', 'system:authenticated'], 'PATCH', '/api/v1/nodes/n/status', 'node-high'],
    ['system:node:n', ['system:nodes', 'system:authenticated'], 'GET', '/api/v1/pods', 'system'],
    [
      'system:kube-controller-manager',
      ['system:authenticated'],
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x',
      'leader-election',
    ],
    ['system:kube-scheduler', ['system:authenticated'], 'GET', '/api/v1/pods', 'workload-high'],
    ['system:serviceaccount:a:b', ['system:serviceaccounts', 'system:authenticated'], 'GET', '/api/v1/pods', 'workload-low'],
    ['ann', ['system:authenticated'], 'GET', '/api/v1/pods', 'global-default'],
    ['system:anonymous', ['system:unauthenticated'], 'GET', '/version', 'global-default'],
  ] as const)
    it(`puts ${method} ${path} of ${user} into ${wanted}`, () => {
      expect(levelFor(user, groups, method, path)).to.equal(wanted);
    });

  it('seats by what a request costs', () => {
    const of = (method: string, target: string, objectsThere = 0, watchers = 0): unknown => {
      const url = new URL(target, 'http://x');
      const read = requestInfo(method, url.pathname, url.searchParams);
      if (!read.ok) throw new Error(read.message);
      return workOf(read.info, url.searchParams, () => ({ bytes: null, objects: objectsThere, watchers }));
    };
    const seats = (count: number, watchers: number | null = null): object => ({ seats: count, finalSeats: 0, finalMs: 0, watchers });
    expect(of('GET', '/api/v1/pods', 5)).to.deep.equal(seats(1));
    expect(of('GET', '/api/v1/pods', 450)).to.deep.equal(seats(5));
    expect(of('GET', '/api/v1/pods', 1e6)).to.deep.equal(seats(10));
    expect(of('GET', '/api/v1/pods?limit=150', 1e6)).to.deep.equal(seats(2));
    expect(of('GET', '/api/v1/pods?limit=150&labelSelector=a', 450)).to.deep.equal(seats(5));
    expect(of('GET', '/api/v1/pods?fieldSelector=metadata.name=a', 1e6)).to.deep.equal(seats(1));
    expect(of('GET', '/api/v1/pods?watch=1', 450)).to.deep.equal(seats(1));
    expect(of('GET', '/api/v1/pods?watch=1&sendInitialEvents=true', 450)).to.deep.equal(seats(5));
    expect(of('PUT', '/api/v1/namespaces/n/pods/p', 0, 5)).to.deep.equal(seats(1, 5));
    expect(of('PUT', '/api/v1/namespaces/n/pods/p', 0, 45)).to.deep.equal({ seats: 1, finalSeats: 5, finalMs: 25, watchers: 45 });
  });
});
