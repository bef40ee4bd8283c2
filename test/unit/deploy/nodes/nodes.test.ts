import { expect } from 'chai';
import { Informers, type Controller, type ControllerEnvironment, type Resource } from '../../../../controllers/client/index.js';
import { type Node, nodes, type Pod, pods } from '../../../../api/types/core/v1.js';
import { nodeAgents } from '../../../../deploy/nodes/agent.js';
import { behaviourOf } from '../../../../deploy/nodes/behaviour.js';
import { Heartbeats } from '../../../../deploy/nodes/heartbeats.js';
import { leases, nodeAddress, nodesMax, podAddress, podAddressesPerNode } from '../../../../deploy/nodes/node.js';
import { place, waitsForNode } from '../../../../deploy/nodes/placement.js';
import { nextStep } from '../../../../deploy/nodes/podLife.js';
import { scheduler } from '../../../../deploy/nodes/scheduler.js';
import { FakeClock, settle } from '../../../fixtures/fakeClock.js';
import { MemoryApi } from '../../../fixtures/memoryApi.js';
import { seeded } from '../../../golden/mutations.js';

const pod = (
  spec: Pod['spec'] = {},
  more: {
    annotations?: Record<string, string>;
    status?: Pod['status'];
    name?: string;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
  } = {},
): Pod => {
  const { status, name = 'p', ...metadata } = more;
  return {
    metadata: { name, namespace: 'n', uid: 'u', ...metadata },
    spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
    ...(status ? { status } : {}),
  };
};
const shell = (line: string, restartPolicy: string): Pod =>
  pod({ restartPolicy, containers: [{ name: 'c', command: ['sh', '-c', line] } as { name: string }] });

const image = (name: string): Pod => pod({ restartPolicy: 'Never', containers: [{ name: 'c', image: name }] });

describe('deploy/nodes/behaviour', () => {
  it('reads annotations, then the command line or image, then the restart policy', () => {
    const cases: [Pod, number | null, number][] = [
      [pod(), null, 0],
      [pod({ restartPolicy: 'Never' }), 1_000, 0],
      [shell('sleep 5; exit 3', 'Never'), 5_000, 3],
      [shell('sleep infinity', 'OnFailure'), null, 0],
      [shell('false', 'Never'), 1_000, 1],
      [shell('echo falsehood', 'Never'), 1_000, 0],
      [pod({ restartPolicy: 'Never' }, { annotations: { 'fake-node/run-seconds': '0.5', 'fake-node/exit-code': '7' } }), 500, 7],
      [pod({ restartPolicy: 'Never' }, { annotations: { 'fake-node/run-seconds': 'forever' } }), null, 0],
      [image('registry.k8s.io/pause:3.10'), null, 0],
      [image('pause@sha256:00'), null, 0],
      [image('example.com/pauses:1'), 1_000, 0],
    ];
    for (const [given, runMs, exitCode] of cases) expect(behaviourOf(given)).to.include({ runMs, exitCode });
  });
});

describe('deploy/nodes/placement', () => {
  const node = (name: string, more: Node['spec'] = {}, labels = {}): Node => ({ metadata: { name, labels }, spec: more });
  const two = [node('a'), node('b')];

  it('takes the least loaded node, and names break ties', () => {
    expect(
      place(
        pod(),
        two,
        new Map([
          ['a', 2],
          ['b', 1],
        ]),
      ),
    ).to.deep.equal({ node: 'b' });
    expect(place(pod(), two, new Map())).to.deep.equal({ node: 'a' });
  });

  it('takes of many nodes the one that sorting all of them finds', () => {
    const random = seeded(20_261_128);
    for (let round = 0; round < 200; round++) {
      const many = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, index) =>
        node(`n${(index * 7) % 41}`, random() < 0.3 ? { unschedulable: true } : {}),
      );
      const loads = new Map(many.map(({ metadata }) => [metadata.name ?? '', Math.floor(random() * 4)]));
      const load = ({ metadata }: Node): number => loads.get(metadata.name ?? '') ?? 0;
      const [first] = many
        .filter(({ spec }) => spec?.unschedulable !== true)
        .sort((a, b) => load(a) - load(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
      expect(place(pod(), many, loads).node).to.equal(first?.metadata.name ?? null);
    }
  });

  it('heeds selectors, affinity, taints, cordons and room', () => {
    const onlyB = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
        },
      },
    };
    expect(place(pod({ affinity: onlyB }), two, new Map())).to.deep.equal({ node: 'b' });
    expect(place(pod({ nodeSelector: { disk: 'fast' } }), [node('a'), node('b', {}, { disk: 'fast' })], new Map())).to.deep.equal({
      node: 'b',
    });
    const tainted = [node('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }), node('b', { unschedulable: true })];
    expect(place(pod(), tainted, new Map())).to.have.property('node', null);
    expect(place(pod({ tolerations: [{ key: 'k', operator: 'Exists' }] }), tainted, new Map())).to.deep.equal({ node: 'a' });
    expect(
      place(
        pod({ tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] }),
        tainted,
        new Map(),
      ),
    ).to.deep.equal({ node: 'b' });
    expect(place(pod(), [node('a')], new Map([['a', 1_000]]))).to.deep.equal({
      node: null,
      why: '0/1 nodes are available: 1 Too many pods.',
    });
  });

  it('leaves pods alone that are bound, gated, deleted or for another scheduler', () => {
    expect(waitsForNode(pod())).to.equal(true);
    const others = [
      pod({ nodeName: 'a' }),
      pod({ schedulingGates: [{ name: 'g' }] }),
      pod({ schedulerName: 'mine' } as Pod['spec']),
      pod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ];
    expect(others.map(waitsForNode)).to.deep.equal([false, false, false, false]);
  });
});

describe('deploy/nodes/podLife', () => {
  const at = { hostIP: '192.0.2.1', podIP: '10.128.0.1' };
  const begun = Date.UTC(2026, 0, 1);
  /** Runs a pod's steps: phase, readiness and time after each report. */
  const follow = (start: Pod, steps: number): string[] => {
    let now = begun;
    let current = start;
    const seen: string[] = [];
    for (let count = 0; count < steps; count++) {
      const step = nextStep(current, behaviourOf(current), at, now);
      if (step.do === 'wait') {
        now += step.ms;
        continue;
      }
      if (step.do !== 'report') {
        seen.push(step.do);
        break;
      }
      current = { ...current, status: { ...current.status, ...step.status } };
      const ready = current.status?.conditions?.find(({ type }) => type === 'Ready');
      seen.push(
        `${current.status?.phase} ready=${ready?.status} restarts=${current.status?.containerStatuses?.[0]?.restartCount} at ${(now - begun) / 1_000}${step.remove ? ' remove' : ''}`,
      );
    }
    return seen;
  };

  it('starts pods, and ends those that end', () => {
    expect(follow(pod(), 3)).to.deep.equal(['Running ready=True restarts=0 at 0', 'nothing']);
    expect(follow(pod({}, { annotations: { 'fake-node/ready-after-seconds': '3' } }), 4)).to.deep.equal([
      'Running ready=False restarts=0 at 0',
      'Running ready=True restarts=0 at 3',
      'nothing',
    ]);
    expect(follow(shell('sleep 2', 'Never'), 4)).to.deep.equal([
      'Running ready=True restarts=0 at 0',
      'Succeeded ready=False restarts=0 at 2',
      'nothing',
    ]);
    expect(follow(shell('sleep 2; exit 1', 'Never'), 3)).to.deep.equal([
      'Running ready=True restarts=0 at 0',
      'Failed ready=False restarts=0 at 2',
    ]);
    expect(follow(shell('sleep 2; exit 1', 'OnFailure'), 5)).to.deep.equal([
      'Running ready=True restarts=0 at 0',
      'Running ready=True restarts=1 at 2',
      'Running ready=True restarts=2 at 4',
    ]);
  });

  it('ends pods whose deadline is over', () => {
    expect(
      follow(
        pod({
          restartPolicy: 'Never',
          activeDeadlineSeconds: 1,
          containers: [{ name: 'c', command: ['sleep', '60'] } as { name: string }],
        }),
        3,
      ),
    ).to.deep.equal(['Running ready=True restarts=0 at 0', 'Failed ready=False restarts=0 at 1']);
  });

  it('honours the grace of deletion, and reports the last phase before the end', () => {
    const deleted = (stop: string): Pod => {
      const running = pod({}, { annotations: { 'fake-node/stop-seconds': stop } });
      const step = nextStep(running, behaviourOf(running), at, begun);
      return {
        ...running,
        metadata: { ...running.metadata, deletionTimestamp: new Date(begun + 30_000).toISOString(), deletionGracePeriodSeconds: 30 },
        status: step.do === 'report' ? step.status : {},
      };
    };
    expect(follow(deleted('5'), 2)).to.deep.equal(['Succeeded ready=False restarts=0 at 5 remove']);
    expect(follow(deleted('300'), 2)).to.deep.equal(['Succeeded ready=False restarts=0 at 30 remove']);
    const { status } = deleted('0');
    expect(
      nextStep(pod({}, { deletionTimestamp: 'x', status: { ...status, phase: 'Succeeded' } }), behaviourOf(pod()), at, begun),
    ).to.deep.equal({ do: 'remove' });
  });

  it('gives containers what they are promised later, and starts those again that cannot take it otherwise', () => {
    const sized = (cpu: string, restartPolicy: string, generation: number, status?: Pod['status']): Pod => {
      const container = {
        name: 'c',
        image: 'x',
        resources: { requests: { cpu } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy }],
      };
      const given = pod({ containers: [container] }, status === undefined ? {} : { status });
      return { ...given, metadata: { ...given.metadata, generation } };
    };
    const statusAfter = (given: Pod, now: number): NonNullable<Pod['status']> =>
      (nextStep(given, behaviourOf(given), at, now) as { status: NonNullable<Pod['status']> }).status;
    for (const [policy, restartCount, since] of [
      ['NotRequired', 0, '2026-01-01T00:00:00Z'],
      ['RestartContainer', 1, '2026-01-01T00:00:03Z'],
    ] as const) {
      const before = statusAfter(sized('1', policy, 1), begun);
      expect(before.containerStatuses?.[0]).to.deep.include({ resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } });
      expect(nextStep(sized('1', policy, 1, before), behaviourOf(pod()), at, begun)).to.deep.equal({ do: 'nothing' });
      const after = statusAfter(sized('2', policy, 2, before), begun + 3_000);
      expect(after).to.include({ observedGeneration: 2 });
      expect(after.containerStatuses?.[0]).to.deep.include({
        restartCount,
        resources: { requests: { cpu: '2' } },
        allocatedResources: { cpu: '2' },
        state: { running: { startedAt: since } },
      });
    }
  });

  it('starts containers that are put into a running pod', () => {
    const first = nextStep(pod(), behaviourOf(pod()), at, begun) as { status: NonNullable<Pod['status']> };
    const more = pod({ ephemeralContainers: [{ name: 'd', image: 'y' }] }, { status: first.status });
    const given = { ...more, metadata: { ...more.metadata, generation: 2 } };
    const second = nextStep(given, behaviourOf(given), at, begun + 3_000) as { status: NonNullable<Pod['status']> };
    expect(second.status.ephemeralContainerStatuses?.[0]).to.deep.include({
      name: 'd',
      state: { running: { startedAt: '2026-01-01T00:00:03Z' } },
    });
    expect(second.status.containerStatuses?.[0]?.state).to.deep.equal({ running: { startedAt: '2026-01-01T00:00:00Z' } });
    const again = { ...given, status: second.status };
    expect(nextStep(again, behaviourOf(again), at, begun + 9_000)).to.deep.equal({ do: 'nothing' });
  });

  it('leaves times alone of what has not changed', () => {
    const running = pod({}, { annotations: { 'fake-node/ready-after-seconds': '3' } });
    const first = nextStep(running, behaviourOf(running), at, begun) as { status: NonNullable<Pod['status']> };
    const second = nextStep({ ...running, status: first.status }, behaviourOf(running), at, begun + 3_000) as {
      status: NonNullable<Pod['status']>;
    };
    const times = (status: NonNullable<Pod['status']>): Record<string, unknown> =>
      Object.fromEntries((status.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
    expect(times(first.status)).to.include({ Initialized: '2026-01-01T00:00:00Z', Ready: '2026-01-01T00:00:00Z' });
    expect(times(second.status)).to.include({ Initialized: '2026-01-01T00:00:00Z', Ready: '2026-01-01T00:00:03Z' });
    expect(second.status.containerStatuses?.[0]?.state).to.deep.equal({ running: { startedAt: '2026-01-01T00:00:00Z' } });
  });
});

describe('deploy/nodes/agent', () => {
  const world = async (
    makers: readonly ((environment: ControllerEnvironment) => Controller)[],
    before: (api: MemoryApi) => void = () => undefined,
  ) => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    before(api);
    const informers = new Informers({ api, clock, random: () => 0.5 });
    const errors: string[] = [];
    const environment: ControllerEnvironment = {
      api,
      informers,
      clock,
      random: () => 0.5,
      events: { normal: () => undefined, warning: () => undefined },
      log: (_, message) => errors.push(message),
    };
    const stopping = new AbortController();
    const heartbeats = new Heartbeats(environment, { count: 2, version: 'v1.36.0', port: 10_250 });
    await heartbeats.register();
    const loops = makers.map((make) => make(environment));
    informers.start(stopping.signal);
    const running = loops.map((loop) => loop.run(stopping.signal));
    await settle();
    return {
      api,
      clock,
      errors,
      heartbeats,
      stop: async () => {
        stopping.abort();
        await Promise.all(running);
      },
    };
  };
  const all = [scheduler, (environment: ControllerEnvironment) => nodeAgents(environment, { count: 2 })];

  it('registers nodes and leases, takes the taint of new nodes away, and bears that they exist', async () => {
    const { api, stop } = await world([], (api) => {
      api.seed(nodes, {
        metadata: { name: 'fake-node-0' },
        spec: {
          taints: [
            { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
            { key: 'mine', effect: 'NoSchedule' },
          ],
        },
      });
    });
    expect(
      api
        .all(nodes)
        .map(({ metadata, spec, status }) => [
          metadata.name,
          spec?.taints?.map(({ key }) => key),
          status?.conditions?.find(({ type }) => type === 'Ready')?.status,
        ]),
    ).to.deep.equal([
      ['fake-node-0', ['mine'], 'True'],
      ['fake-node-1', undefined, undefined],
    ]);
    expect(
      api.all(leases).map(({ metadata, spec }) => [metadata.namespace, spec?.holderIdentity, metadata.ownerReferences?.[0]?.kind]),
    ).to.deep.equal([
      ['kube-node-lease', 'fake-node-0', 'Node'],
      ['kube-node-lease', 'fake-node-1', 'Node'],
    ]);
    await stop();
  });

  it('renews each lease with one request every ten seconds, and anew where another has changed or removed it', async () => {
    const { api, clock, heartbeats, stop } = await world([]);
    const stopping = new AbortController();
    const running = heartbeats.run(stopping.signal);
    const renewals = (): (string | undefined)[] => api.all(leases).map(({ spec }) => spec?.renewTime);
    let requests = 0;
    api.before = ({ type }) => {
      if (type === 'leases.coordination.k8s.io') requests++;
    };
    await clock.advance(10_000);
    expect(renewals()).to.deep.equal(['2026-01-01T00:00:00.500000Z', '2026-01-01T00:00:01.000000Z']);
    expect(requests).to.equal(2);
    api.change(leases, 'kube-node-lease/fake-node-0', (lease) => ({ ...lease, spec: { ...lease.spec, holderIdentity: 'x' } }));
    api.evaporate(leases, 'kube-node-lease/fake-node-1');
    await clock.advance(10_000);
    expect(renewals()).to.deep.equal(['2026-01-01T00:00:10.500000Z', '2026-01-01T00:00:11.000000Z']);
    stopping.abort();
    await running;
    await stop();
  });

  it('tells of pressures soon, and leaves a lost node and its pods as they are until it is back', async () => {
    const { api, clock, heartbeats, stop } = await world(all);
    const stopping = new AbortController();
    const running = heartbeats.run(stopping.signal);
    const annotate = (index: number, annotations: Record<string, string>): void =>
      void api.change(nodes, `fake-node-${index}`, (node) => ({ ...node, metadata: { ...node.metadata, annotations } }));
    const pressed = (): unknown =>
      api
        .all(nodes)
        .map(({ status }) =>
          (status?.conditions ?? []).flatMap(({ type, status: is }) => (is === 'True' && type !== 'Ready' ? [type] : [])),
        );
    annotate(0, { 'fake-node/pressure': 'memory, pid' });
    annotate(1, { 'fake-node/lost': 'true' });
    await settle();
    const lease = (): string | undefined => api.all(leases)[1]?.spec?.renewTime;
    const before = lease();
    await api.create(pods as Resource<Pod>, pod({ nodeName: 'fake-node-1' }, { name: 'there' }));
    await clock.advance(20_000);
    expect(pressed()).to.deep.equal([['MemoryPressure', 'PIDPressure'], []]);
    expect(lease()).to.equal(before);
    expect(api.all(pods)[0]?.status?.podIP).to.equal(undefined);
    annotate(0, {});
    annotate(1, {});
    await settle();
    await clock.advance(20_000);
    expect(pressed()).to.deep.equal([[], []]);
    expect(lease()).not.to.equal(before);
    expect(api.all(nodes)[1]?.status?.conditions?.map(({ type, status }) => [type, status])).to.deep.include(['Ready', 'True']);
    expect(api.all(pods)[0]?.status?.phase).to.equal('Running');
    stopping.abort();
    await running;
    await stop();
  });

  it('renews leases of nodes while others are still being registered', async () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    const informers = new Informers({ api, clock, random: () => 0.5 });
    const events = { normal: () => undefined, warning: () => undefined };
    const environment: ControllerEnvironment = { api, informers, clock, random: () => 0.5, events, log: () => undefined };
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    api.before = ({ verb, key }) => (verb === 'create' && key.endsWith('fake-node-1') ? held : undefined);
    const heartbeats = new Heartbeats(environment, { count: 2, version: 'v1.36.0', port: 10_250 });
    const stopping = new AbortController();
    const [registering, running] = [heartbeats.register(), heartbeats.run(stopping.signal)];
    await settle();
    await clock.advance(10_000);
    expect(api.all(leases).map(({ metadata, spec }) => [metadata.name, spec?.renewTime])).to.deep.equal([
      ['fake-node-0', '2026-01-01T00:00:00.500000Z'],
    ]);
    release();
    await registering;
    await clock.advance(10_000);
    expect(api.all(leases).map(({ spec }) => spec?.renewTime)).to.deep.equal([
      '2026-01-01T00:00:10.500000Z',
      '2026-01-01T00:00:11.000000Z',
    ]);
    stopping.abort();
    await running;
  });

  it('gives every pod of every node another address', () => {
    const seen = new Set<string>();
    for (const index of [0, 1, 31, 32, 255, nodesMax - 1])
      for (const serial of [0, 1, 255, 256, podAddressesPerNode - 1]) seen.add(podAddress(index, serial));
    expect(seen.size).to.equal(30);
    for (const address of seen)
      expect(address).to.match(/^10\.(6[4-9]|[7-9]\d|1\d\d|2[0-4]\d|25[0-5])(\.([1-9]?\d|1\d\d|2[0-4]\d|25[0-5])){2}$/);
    expect(new Set(Array.from({ length: nodesMax }, (_, index) => nodeAddress(index))).size).to.equal(nodesMax);
  });

  it('spreads pods over nodes and brings them through life and deletion, with an address of their own', async () => {
    const { api, clock, errors, stop } = await world(all);
    for (const name of ['a', 'b', 'c', 'd']) await api.create(pods as Resource<Pod>, pod({}, { name }));
    await settle();
    const running = api.all(pods);
    expect(running.map(({ status }) => status?.phase)).to.deep.equal(['Running', 'Running', 'Running', 'Running']);
    expect(running.filter(({ spec }) => spec?.nodeName === 'fake-node-0')).to.have.length(2);
    expect(new Set(running.map(({ status }) => status?.podIP)).size).to.equal(4);
    await api.delete(pods, { namespace: 'n', name: 'a' });
    await clock.advance(1_000);
    expect(api.all(pods).map(({ metadata }) => metadata.name)).to.deep.equal(['b', 'c', 'd']);
    expect(errors).to.deep.equal([]);
    await stop();
  });

  it('says why a pod fits nowhere, and places it once it does', async () => {
    const { api, stop } = await world(all);
    await api.create(pods as Resource<Pod>, pod({ nodeSelector: { disk: 'fast' } }));
    await settle();
    expect(api.peek(pods, 'n/p')?.status?.conditions?.[0]).to.include({
      type: 'PodScheduled',
      status: 'False',
      message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    });
    api.change(nodes, 'fake-node-1', (node) => ({ ...node, metadata: { ...node.metadata, labels: { disk: 'fast' } } }));
    await settle();
    expect(api.peek(pods, 'n/p')?.spec?.nodeName).to.equal('fake-node-1');
    await stop();
  });
});
