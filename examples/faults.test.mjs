// mocha --timeout 60000 faults.test.mjs
// vitest run --globals --test-timeout 60000 --hook-timeout 60000 faults.test.mjs
// node --test faults.test.mjs
// node --experimental-vm-modules node_modules/jest/bin/jest.js --testTimeout 60000 faults.test.mjs
//
// One example for each thing that can go wrong. Each has two operators, or as much of them as it takes: one with a bug that no quiet day shows, and one
// without. The same check passes for the second and fails for the first: that is how the bug is caught.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, startCluster } from 'raftplane/testing';
import { request, watch } from './request.mjs';
import { after, afterEach, before, describe, it } from './runner.mjs';

const maps = '/api/v1/namespaces/default/configmaps';
const map = (name, text = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { text } });
const unnamed = (prefix) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: prefix, namespace: 'default' } });

describe('what can go wrong', () => {
  let cluster, admin;
  before(async () => {
    cluster = await startCluster({ controllers: false });
    admin = cluster.admin;
  });
  afterEach(async () => {
    for (const member of cluster.members) {
      member.resume();
      if (!member.running) await member.restart();
    }
    await cluster.reset();
  });
  after(() => cluster?.stop());

  const countOf = async (prefix) => {
    const { body } = await request(admin, 'GET', maps);
    return body.items.filter(({ metadata }) => metadata.name.startsWith(prefix)).length;
  };

  /** The check holds for the operator without the bug; for the one with it, it does not. */
  function caught(name, { careful, careless, check }) {
    it(`${name}: the careful operator`, () => check(careful));
    it(`${name}: the careless one is caught`, () => assert.rejects(() => check(careless)));
  }

  // The bug: an operator that knows one server, in place of the address for all.
  caught('kill', {
    careless: (leader) => request({ ...admin, server: leader.url }, 'POST', maps, { body: map('one') }),
    careful: () =>
      eventually(() => request(admin, 'POST', maps, { body: map('one'), timeoutMs: 2_000 }).then(({ code }) => [201, 409].includes(code))),
    check: async (write) => {
      const leader = await cluster.leader();
      await leader.kill();
      await write(leader);
      assert.equal(await countOf('one'), 1);
    },
  });

  // The bug: no timeout. A server that stands still keeps its connections open, and never answers.
  caught('pause and resume', {
    careless: (stopped) => request({ ...admin, server: stopped.url }, 'GET', maps),
    careful: (stopped, others) =>
      request({ ...admin, server: stopped.url }, 'GET', maps, { timeoutMs: 300 }).catch(() =>
        request({ ...admin, server: others[0].url }, 'GET', maps),
      ),
    check: async (read) => {
      const leader = await cluster.leader();
      const [stopped, ...others] = cluster.members.filter((member) => member !== leader);
      stopped.pause();
      const answer = await Promise.race([read(stopped, [leader, ...others]), delay(3_000, 'no answer')]);
      stopped.resume();
      assert.equal(answer.code, 200);
    },
  });

  // The bug: resourceVersion=0, which is as good as any state, however old, taken for the newest.
  caught('partition and heal', {
    careless: (config) => request(config, 'GET', `${maps}/one?resourceVersion=0`),
    careful: (config) => request(config, 'GET', `${maps}/one`),
    check: async (read) => {
      await cluster.apply(map('one', 'old'));
      const leader = await cluster.leader();
      const cutOff = cluster.members.find((member) => member !== leader);
      await eventually(async () => (await request({ ...admin, server: cutOff.url }, 'GET', `${maps}/one`)).code === 200);
      for (const other of cluster.members) if (other !== cutOff) await cluster.partition(cutOff, other);
      assert.equal((await request({ ...admin, server: leader.url }, 'PUT', `${maps}/one`, { body: map('one', 'new') })).code, 200);
      const reading = read({ ...admin, server: cutOff.url });
      await delay(300);
      await cluster.heal();
      const { code, body } = await reading;
      // To say that it does not know is right; to tell what is no longer true is not.
      assert.ok(code >= 500 || body.data.text === 'new', `read ${code} ${body.data?.text}`);
    },
  });

  // The bug: a write that takes its time is given up and done again, under another name. The careful operator looks whether it was done after all.
  const insistent = (body) => async () => {
    for (let tries = 0; tries < 12; tries++) {
      const answer = await request(admin, 'POST', maps, { body, timeoutMs: 250 }).catch(() => null);
      if (answer !== null && [201, 409].includes(answer.code)) return;
      const { name } = body.metadata;
      if (name !== undefined && (await request(admin, 'GET', `${maps}/${name}`)).code === 200) return;
    }
  };
  const once = (prefix, fault) => ({
    careless: insistent(unnamed(prefix)),
    careful: insistent(map(`${prefix}the-only`)),
    check: async (write) => {
      await fault();
      await write();
      for (const member of cluster.members) await member.slowDisk(0);
      await eventually(async () => (await countOf(prefix)) > 0);
      await delay(500);
      assert.equal(await countOf(prefix), 1);
    },
  });
  caught(
    'slowDisk',
    once('slow-', () => Promise.all(cluster.members.map((member) => member.slowDisk(400)))),
  );

  // The same bug: a connection that breaks before the answer does not say that nothing was done.
  caught(
    'fail with a reset',
    once('reset-', () => cluster.fail(`POST ${maps}`, { reset: 'after', times: 1 })),
  );

  // The bug: who leads is found out once. (Backups of the leader's state, say.)
  const leads = async (member) => (await request({ ...admin, server: member.url }, 'GET', '/raft/v1/status')).body.role === 'leader';
  const findLeader = () =>
    eventually(
      async () => (await Promise.all(cluster.members.map(async (each) => ((await leads(each)) ? each : null)))).find(Boolean) ?? null,
    );
  caught('transferLeadership', {
    careless: async () => {
      const found = await findLeader();
      return () => found;
    },
    careful: async () => findLeader,
    check: async (start) => {
      const leaderNow = await start();
      await leaderNow();
      await cluster.transferLeadership();
      assert.ok(await leads(await leaderNow()), 'the state of a server that does not lead was taken');
    },
  });

  // Operators follow objects: list, then watch from the version of the list. What they have seen is in `seen`.
  const follow = (goesOn) => async () => {
    const seen = new Map();
    let stopped = false;
    const list = async () => {
      const { body } = await request(admin, 'GET', maps);
      for (const object of body.items) seen.set(object.metadata.name, object);
      return body.metadata.resourceVersion;
    };
    const run = async (first) => {
      for (let version = first, why = null; !stopped;) {
        const next = await goesOn(why, version, list);
        if (next === null) return;
        version = next;
        why = await watch(admin, maps, version, (_type, object) => {
          seen.set(object.metadata.name, object);
          version = object.metadata.resourceVersion;
        });
        await delay(50);
      }
    };
    run(await list()).catch(() => undefined);
    return { seen, stop: () => (stopped = true) };
  };
  const sees = (fault) => async (start) => {
    const operator = await start();
    try {
      await cluster.apply(map('before'));
      await eventually(() => operator.seen.has('before'));
      await fault();
      await cluster.apply(map('after'));
      await eventually(() => operator.seen.has('after'), { timeoutMs: 3_000 });
    } finally {
      operator.stop();
    }
  };

  // The bug: a watch is opened once.
  caught('dropWatches', {
    careless: follow((why, version) => (why === null ? version : null)),
    careful: follow((_why, version) => version),
    check: sees(() => cluster.dropWatches()),
  });

  // The bug: a watch is opened again from where it was, also when the server has said that this is gone (410).
  caught('expireHistory', {
    careless: follow((_why, version) => version),
    careful: follow((why, version, list) => (why === 410 ? list() : version)),
    check: sees(async () => {
      // Nothing is heard of these changes, and then they are history.
      const late = await cluster.fail({ watch: true }, { status: 503, times: 1_000 });
      await cluster.dropWatches();
      await cluster.apply([map('meanwhile', '1'), map('meanwhile-too')]);
      await cluster.expireHistory();
      await late.remove();
    }),
  });

  // The bug: a server that is busy is asked again at once, and again. That makes it busier, and by the time it is not, all tries are spent.
  const create = (tries, waitMs) => async () => {
    for (let left = tries; ; left--) {
      const answer = await request(admin, 'POST', maps, { body: map('patient') });
      if (answer.code === 201) return;
      if (left === 1 || ![429, 500, 503].includes(answer.code)) throw new Error(`answered with ${answer.code}`);
      await delay(waitMs(answer));
    }
  };
  const asked = ({ retryAfterSeconds }) => (retryAfterSeconds ?? 1) * 1000;
  caught('fail with a status and Retry-After', {
    careless: create(5, () => 0),
    careful: create(5, asked),
    check: async (write) => {
      const busy = await cluster.fail(`POST ${maps}`, { status: 429, retryAfterSeconds: 2, times: 1_000 });
      const calm = eventually(() => busy.hits > 0).then(() => delay(900).then(() => busy.remove()));
      await write().finally(() => calm);
      assert.equal(busy.hits, 1);
    },
  });

  // The bug: what a server could not do just now (500, 503) is taken for what it will never do.
  for (const status of [500, 503])
    caught(`fail with a status of ${status}`, {
      careless: create(1, () => 0),
      careful: create(5, () => 50),
      check: async (write) => {
        await cluster.fail(`POST ${maps}`, { status, times: 2 });
        await write();
        assert.equal(await countOf('patient'), 1);
      },
    });

  // The bug: an update that meets somebody else's is an error for good, or is forced.
  const relabel = async (tries) => {
    for (let left = tries; ; left--) {
      const { body } = await request(admin, 'GET', `${maps}/one`);
      const { code } = await request(admin, 'PUT', `${maps}/one`, { body: { ...body, data: { text: 'done' } } });
      if (code === 200) return;
      if (code !== 409 || left === 1) throw new Error(`answered with ${code}`);
    }
  };
  caught('fail with a conflict', {
    careless: () => relabel(1),
    careful: () => relabel(5),
    check: async (update) => {
      await cluster.apply(map('one'));
      await cluster.fail(`PUT ${maps}/*`, { status: 409, times: 2 });
      await update();
    },
  });

  // The bug: a cache is believed at once. What was just made is not in it yet, so it is made again.
  const ensure = (body) => async (operator) => {
    if (![...operator.seen.keys()].some((name) => name.startsWith('child-'))) await request(admin, 'POST', maps, { body });
  };
  caught('fail with latency', {
    careless: ensure(unnamed('child-')),
    careful: ensure(map('child-of-one')),
    check: async (reconcile) => {
      await cluster.fail({ watch: true }, { latencyMs: 1_500 });
      const operator = await follow((_why, version) => version)();
      await reconcile(operator);
      await reconcile(operator);
      operator.stop();
      assert.equal(await countOf('child-'), 1);
    },
  });

  // The bug: a token is fetched once. It lives for an hour.
  const fetchToken = async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts/operator/token';
    const { body } = await request(admin, 'POST', account, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
    });
    return body.status.token;
  };
  const review = (token) =>
    request(admin, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      token,
    });
  caught('clock.advance', {
    careless: async () => {
      const token = await fetchToken();
      return () => review(token);
    },
    careful: async () => {
      let token = await fetchToken();
      return async () => {
        const answer = await review(token);
        if (answer.code !== 401) return answer;
        return review((token = await fetchToken()));
      };
    },
    check: async (start) => {
      await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'operator', namespace: 'default' } });
      const ask = await start();
      assert.equal((await ask()).code, 201);
      await cluster.clock.advance(2 * 60 * 60 * 1000);
      assert.equal((await ask()).code, 201);
    },
  });
});
