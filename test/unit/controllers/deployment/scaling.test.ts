import { expect } from 'chai';
import { currentSize, maxSurge, maxUnavailable } from '../../../../controllers/deployment/limits.js';
import { currentAnnotations, newestFirst, oldestFirst, readRevision } from '../../../../controllers/deployment/revisions.js';
import { rollingStep, scale, superfluous, wasScaled } from '../../../../controllers/deployment/scaling.js';
import type { Deployment, ReplicaSet } from '../../../../api/types/apps/v1.js';

type Spec = NonNullable<Deployment['spec']>;
const rolling = (maxUnavailableOf: number, maxSurgeOf: number): Partial<Spec> => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: maxUnavailableOf, maxSurge: maxSurgeOf } },
});
const recreate: Partial<Spec> = { strategy: { type: 'Recreate' } };
const deployment = (replicas: number, spec: Partial<Spec> = rolling(1, 1)): Deployment => ({
  metadata: { name: 'web', namespace: 'n', uid: 'd' },
  spec: { replicas, selector: {}, template: {}, ...spec },
});
const annotations = ([desired, max]: readonly [number, number]) => ({
  'deployment.kubernetes.io/desired-replicas': String(desired),
  'deployment.kubernetes.io/max-replicas': String(max),
});
/** `sized`: the desired and maximum number at its last scaling. */
const set = (name: string, size: number, created = 0, sized?: readonly [number, number]): ReplicaSet => ({
  metadata: {
    name,
    namespace: 'n',
    uid: name,
    generation: 1,
    creationTimestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + created * 1000).toISOString(),
    annotations: sized ? annotations(sized) : {},
  },
  spec: { replicas: size, selector: {}, template: {} },
  status: { replicas: size, availableReplicas: size, observedGeneration: 1 },
});
const available = (of: ReplicaSet, availableReplicas: number): ReplicaSet => ({
  ...of,
  status: { replicas: 0, ...of.status, availableReplicas },
});
const names = (sets: readonly ReplicaSet[]) => sets.map(({ metadata }) => metadata.name);
const sizes = (resizes: readonly { readonly set: ReplicaSet; readonly size: number }[]) =>
  Object.fromEntries(resizes.map(({ set: of, size }) => [of.metadata.name ?? '', size]));

describe('controllers/deployment/scaling', () => {
  describe('was scaled', () => {
    it('if a set with pods remembers another number', () => {
      expect(wasScaled(deployment(3), [set('v1', 1, 0, [3, 4]), set('v2', 2, 0, [2, 3])])).to.equal(true);
      expect(wasScaled(deployment(3), [set('v1', 1, 0, [3, 4]), set('v2', 2, 0, [3, 4])])).to.equal(false);
    });
    it('not by what sets without pods remember, nor by sets that remember nothing', () =>
      expect(wasScaled(deployment(3), [set('v1', 0, 0, [2, 3]), set('v2', 3)])).to.equal(false));
  });

  describe('limits', () => {
    it('are none with Recreate', () =>
      expect([maxSurge(deployment(4, recreate)), maxUnavailable(deployment(4, recreate))]).to.deep.equal([0, 0]));
    it('let the current set grow by the room that is left, and never shrink it', () => {
      const size = (current: number, old: number) =>
        currentSize(deployment(10, rolling(0, 3)), [set('v1', old), set('v2', current)], current);
      expect([size(0, 10), size(4, 8), size(9, 0), size(4, 9), size(11, 2), size(11, 9)]).to.deep.equal([3, 5, 10, 4, 11, 11]);
    });
    it('give all at once with Recreate', () => expect(currentSize(deployment(10, recreate), [set('v1', 10)], 0)).to.equal(10));
  });

  describe('in a change of size', () => {
    const scaled = (given: Deployment, current: ReplicaSet | null, ...old: ReplicaSet[]) => sizes(scale(given, { current, old }));
    it('takes the only set with pods, though it is old', () =>
      expect(scaled(deployment(7), set('v2', 0), set('v1', 5), set('v0', 0))).to.deep.equal({ v1: 7 }));
    it('takes the current set where none has pods, and the newest where none is current', () => {
      expect(scaled(deployment(2), set('v2', 0), set('v1', 0))).to.deep.equal({ v2: 2 });
      expect(scaled(deployment(2), null, set('v1', 0, 1), set('v2', 0, 3), set('v0', 0, 2))).to.deep.equal({ v2: 2 });
    });
    it('leaves a set that has the size', () => expect(scaled(deployment(5), set('v1', 5))).to.deep.equal({}));
    it('ends only old sets with pods once the current one is whole', () =>
      expect(scaled(deployment(3), set('v3', 3, 0, [3, 4]), set('v2', 1), set('v1', 0))).to.deep.equal({ v2: 0 }));
    it('keeps old pods while the current set is not whole', () => {
      const old = set('v1', 1, 0, [3, 4]);
      expect(scaled(deployment(3), available(set('v2', 3, 1, [3, 4]), 1), old)).to.deep.equal({ v2: 3, v1: 1 });
      expect(scaled(deployment(3), available(set('v2', 4, 1, [3, 5]), 3), old)).to.deep.equal({ v2: 3, v1: 1 });
    });
    it('leaves all to the recreation without a rolling update', () =>
      expect(scaled(deployment(9, recreate), set('v2', 2), set('v1', 2))).to.deep.equal({}));
    it('gives the newer of equal sets the pod that is left when it grows, and takes it from the older when it shrinks', () => {
      const old = set('v1', 5, 0, [10, 10]);
      const current = set('v2', 5, 1, [10, 10]);
      expect(scaled(deployment(11, rolling(1, 0)), current, old)).to.deep.equal({ v2: 6, v1: 5 });
      expect(scaled(deployment(9, rolling(1, 0)), current, old)).to.deep.equal({ v2: 5, v1: 4 });
    });
    it('gives the largest set the pod that is left', () =>
      expect(
        scaled(deployment(11, rolling(1, 0)), set('v3', 3, 2, [10, 10]), set('v2', 4, 1, [10, 10]), set('v1', 3, 0, [10, 10])),
      ).to.deep.equal({ v3: 3, v2: 5, v1: 3 }));
    it('to 0 leaves nothing, though there is a surge', () =>
      expect(scaled(deployment(0, rolling(1, 3)), set('v2', 5, 1, [10, 13]), set('v1', 8, 0, [10, 13]))).to.deep.equal({ v2: 0, v1: 0 }));
    it('moves no pod from one set to another where the sum is right', () =>
      expect(scaled(deployment(10, rolling(1, 0)), set('v2', 4, 1, [8, 8]), set('v1', 6, 0, [8, 8]))).to.deep.equal({ v2: 4, v1: 6 }));
    it('takes the number of pods for what no set remembers', () => {
      const given = { ...deployment(20, rolling(1, 0)), status: { replicas: 10 } };
      expect(sizes(scale(given, { current: set('v2', 4, 1), old: [set('v1', 6)] }))).to.deep.equal({ v2: 8, v1: 12 });
      expect(sizes(scale({ ...given, status: {} }, { current: set('v2', 4, 1), old: [set('v1', 6)] }))).to.deep.equal({ v2: 4, v1: 16 });
    });
  });

  describe('in a step of a rollout', () => {
    const step = (given: Deployment, current: ReplicaSet | null, ...old: ReplicaSet[]) => sizes(rollingStep(given, { current, old }));
    it('does nothing without a current set', () => expect(step(deployment(3), null, set('v1', 3))).to.deep.equal({}));
    it('does nothing when all is done', () => expect(step(deployment(3), set('v2', 3), set('v1', 0))).to.deep.equal({}));
    it('names only sets whose size changes', () =>
      expect(step(deployment(4), set('v3', 4), set('v2', 1, 2), set('v1', 0, 1))).to.deep.equal({ v2: 0 }));
    it('takes as many old pods as may be missing, and none for new ones that do not work yet', () => {
      const old = set('v1', 4);
      expect(step(deployment(4, rolling(2, 1)), available(set('v2', 1), 0), old)).to.deep.equal({ v1: 2 });
      expect(step(deployment(4, rolling(1, 2)), available(set('v2', 2), 0), old)).to.deep.equal({ v1: 3 });
      expect(step(deployment(4, rolling(0, 1)), available(set('v2', 1), 0), old)).to.deep.equal({});
    });
  });

  describe('of old sets', () => {
    const revision = ({ metadata }: ReplicaSet) => BigInt(metadata.uid?.slice(1) ?? 0);
    const beyond = (limit: number, old: readonly ReplicaSet[]) =>
      names(superfluous(deployment(1, { revisionHistoryLimit: limit }), old, revision));
    it('forgets those with the lowest revisions, in whatever order they come', () => {
      const old = [set('v3', 0), set('v1', 0), set('v10', 0), set('v2', 0)];
      expect([beyond(2, old), beyond(1, [...old].reverse())]).to.deep.equal([
        ['v1', 'v2'],
        ['v1', 'v2', 'v3'],
      ]);
    });
    it('counts none that is being deleted', () => {
      const gone = { ...set('v1', 0), metadata: { ...set('v1', 0).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
      expect(beyond(1, [gone, set('v2', 0), set('v3', 0)])).to.deep.equal(['v2']);
    });
    it('keeps those that have pods, want some, or were not looked at since they changed', () => {
      const empty = set('v1', 0);
      expect(beyond(0, [{ ...empty, status: { ...empty.status, replicas: 1 } }])).to.deep.equal([]);
      expect(beyond(0, [{ ...empty, spec: { ...set('v1', 1).spec } }])).to.deep.equal([]);
      expect(beyond(0, [{ ...empty, metadata: { ...empty.metadata, generation: 2 } }])).to.deep.equal([]);
      expect(beyond(0, [{ ...empty, status: { replicas: 0, observedGeneration: 3 } }])).to.deep.equal(['v1']);
    });
  });
});

describe('controllers/deployment/revisions', () => {
  it('sort sets by age, and those of the same second by name', () => {
    const sets = [set('b', 0, 2), set('c', 0, 1), set('a', 0, 2), set('d', 0, 3)];
    expect([names(oldestFirst(sets)), names(newestFirst(sets))]).to.deep.equal([
      ['c', 'a', 'b', 'd'],
      ['d', 'b', 'a', 'c'],
    ]);
  });
  it('have 64 bits; what has more is none', () => {
    const cases: readonly (readonly [string, bigint])[] = [
      ['9223372036854775807', 9223372036854775807n],
      ['9223372036854775808', 0n],
      ['-9223372036854775807', -9223372036854775807n],
      ['-9999999999999999999', 0n],
    ];
    for (const [text, wanted] of cases) expect(readRevision(text), text).to.equal(wanted);
  });

  const after = (former: string | undefined, history: string | undefined, revision: bigint) => {
    const given = set('v1', 0);
    const before = {
      ...(former === undefined ? {} : { 'deployment.kubernetes.io/revision': former }),
      ...(history === undefined ? {} : { 'deployment.kubernetes.io/revision-history': history }),
    };
    const found = currentAnnotations(deployment(1), { ...given, metadata: { ...given.metadata, annotations: before } }, revision);
    return [found['deployment.kubernetes.io/revision'], found['deployment.kubernetes.io/revision-history']];
  };
  it('keep a number that is high enough, and have no history at first', () => {
    expect([after('3', undefined, 3n), after('4', '1', 3n), after(undefined, undefined, 3n)]).to.deep.equal([
      ['3', undefined],
      ['4', '1'],
      ['3', undefined],
    ]);
  });
  it('drop the first numbers of a history that would have more than 2,000 characters', () => {
    const numbers = Array.from({ length: 399 }, (_, index) => String(1000 + index));
    const full = numbers.join(',');
    expect(after('2000', full, 3000n)[1]).to.equal(`${full},2000`);
    expect(after('20001', full, 30000n)[1]).to.equal(`${full},20001`);
    expect(after('200001', full, 300000n)[1]).to.equal(`${numbers.slice(1).join(',')},200001`);
    expect(after('2', 'x'.repeat(2000), 3n)[1]).to.equal('2');
  });
});
