import { expect } from 'chai';
import { deadlineMs, isComplete, reasons, rolloutStatus, withCondition } from '../../../../controllers/deployment/status.js';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../../api/types/apps/v1.js';

const now = Date.parse('2026-01-01T00:10:00Z');
const earlier = '2026-01-01T00:00:00Z';
const present = '2026-01-01T00:10:00Z';
const progressing = (reason: string, status = 'True', lastUpdateTime = earlier): DeploymentCondition => ({
  type: 'Progressing',
  status,
  reason,
  message: '',
  lastUpdateTime,
  lastTransitionTime: earlier,
});
const deployment = (status: DeploymentStatus = {}, spec: Partial<NonNullable<Deployment['spec']>> = {}): Deployment => ({
  metadata: { name: 'web', namespace: 'n', uid: 'd', generation: 2 },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'a' } },
    template: {},
    progressDeadlineSeconds: 600,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    ...spec,
  },
  status,
});
type SetStatus = Partial<NonNullable<ReplicaSet['status']>>;
const set = (name: string, size: number, status: SetStatus = {}): ReplicaSet => ({
  metadata: { name, namespace: 'n', uid: name },
  spec: { replicas: size, selector: {}, template: {} },
  status: { replicas: size, readyReplicas: size, availableReplicas: size, ...status },
});
const found = ({ conditions = [] }: DeploymentStatus, type: string): DeploymentCondition | undefined =>
  conditions.find((each) => each.type === type);

describe('controllers/deployment/status', () => {
  describe('of conditions', () => {
    const before = [progressing('A'), { type: 'Other', status: 'True' }];
    it('stay as they are with the same status and reason', () =>
      expect(withCondition(before, progressing('A', 'True', present))).to.equal(before));
    it('keep the time of their transition with another reason', () => {
      const wanted = { ...progressing('B', 'True', present), lastTransitionTime: present };
      expect(withCondition(before, wanted)).to.deep.equal([before[1], { ...wanted, lastTransitionTime: earlier }]);
    });
    it('change the time of their transition with their status', () => {
      const wanted = { ...progressing('A', 'False', present), lastTransitionTime: present };
      expect(withCondition(before, wanted)).to.deep.equal([before[1], wanted]);
    });
  });

  describe('of sets', () => {
    it('counts what is wanted and not available, never below 0', () => {
      const of = (size: number, available: number) =>
        rolloutStatus(deployment(), { current: set('v1', size, { availableReplicas: available }), old: [] }, now).unavailableReplicas;
      expect([of(4, 1), of(4, 4), of(2, 4)]).to.deep.equal([3, 0, 0]);
    });
    it('counts what is ready and what has the current template', () => {
      const sets = { current: set('v2', 1), old: [set('v1', 3, { readyReplicas: 2, availableReplicas: 1 })] };
      expect(rolloutStatus(deployment(), sets, now)).to.include({
        replicas: 4,
        updatedReplicas: 1,
        readyReplicas: 3,
        availableReplicas: 2,
        observedGeneration: 2,
      });
    });
    it('counts terminating pods once every set tells theirs', () => {
      const of = (...counts: (number | undefined)[]) =>
        rolloutStatus(
          deployment(),
          {
            current: null,
            old: counts.map((terminatingReplicas, index) =>
              set(`v${index}`, 1, terminatingReplicas === undefined ? {} : { terminatingReplicas }),
            ),
          },
          now,
        );
      expect([of(1, 2).terminatingReplicas, of(0).terminatingReplicas]).to.deep.equal([3, 0]);
      expect([of(1, undefined), of(undefined)].some((status) => 'terminatingReplicas' in status)).to.equal(false);
    });
    it('keeps the count of collisions', () =>
      expect(
        [deployment({ collisionCount: 2 }), deployment()].map((given) => {
          const status = rolloutStatus(given, { current: null, old: [] }, now);
          return 'collisionCount' in status ? status.collisionCount : 'none';
        }),
      ).to.deep.equal([2, 'none']));
    it('is available with as many as may not be missing', () => {
      const of = (available: number) =>
        found(rolloutStatus(deployment(), { current: set('v1', 4, { availableReplicas: available }), old: [] }, now), 'Available')?.status;
      expect([of(4), of(3), of(2)]).to.deep.equal(['True', 'True', 'False']);
    });
    it("reports a failure of the current set before those of old ones, and forgets it with the sets' own", () => {
      const failing = (message: string): SetStatus => ({
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime: earlier }],
      });
      const of = (current: ReplicaSet | null, ...old: ReplicaSet[]) =>
        rolloutStatus(deployment({ conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'Former' }] }), { current, old }, now);
      expect(found(of(set('v2', 1, failing('current')), set('v1', 1, failing('old'))), 'ReplicaFailure')).to.deep.equal({
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'current',
        lastTransitionTime: earlier,
        lastUpdateTime: earlier,
      });
      expect(found(of(set('v2', 1), set('v0', 1), set('v1', 1, failing('old'))), 'ReplicaFailure')?.message).to.equal('old');
      expect(found(of(set('v2', 1), set('v1', 1)), 'ReplicaFailure')).to.equal(undefined);
    });
  });

  describe('of a rollout', () => {
    const complete: DeploymentStatus = { updatedReplicas: 4, replicas: 4, availableReplicas: 4, observedGeneration: 2 };
    it('is complete when all pods are new, none is old, all are available, and the change was seen', () => {
      expect(isComplete(deployment(), complete)).to.equal(true);
      for (const short of [{ updatedReplicas: 3 }, { replicas: 5 }, { availableReplicas: 3 }, { observedGeneration: 1 }])
        expect(isComplete(deployment(), { ...complete, ...short }), JSON.stringify(short)).to.equal(false);
      expect(isComplete(deployment(), { ...complete, observedGeneration: 3 })).to.equal(true);
    });

    /** Three pods of the current set run, and two of the old one. */
    const sets = { current: set('v2', 3, { readyReplicas: 2, availableReplicas: 1 }), old: [set('v1', 2, { availableReplicas: 1 })] };
    const same: DeploymentStatus = { updatedReplicas: 3, replicas: 5, readyReplicas: 4, availableReplicas: 2 };
    const after = (before: DeploymentStatus, condition: DeploymentCondition | null, time = now) =>
      found(rolloutStatus(deployment({ ...before, conditions: condition ? [condition] : [] }), sets, time), 'Progressing');
    for (const [what, before] of [
      ['a new pod', { updatedReplicas: 2, replicas: 4 }],
      ['an old pod that is gone', { replicas: 6 }],
      ['a pod that became ready', { readyReplicas: 3 }],
      ['a pod that became available', { availableReplicas: 1 }],
    ] as const)
      it(`starts the deadline anew with ${what}`, () => {
        const condition = after({ ...same, ...before }, progressing(reasons.updated));
        expect(condition).to.include({ reason: reasons.updated, lastUpdateTime: present, lastTransitionTime: earlier });
        expect(condition?.message).to.equal('ReplicaSet "v2" is progressing.');
        expect(after({ ...same, ...before }, progressing(reasons.timedOut, 'False'))?.lastTransitionTime).to.equal(present);
      });
    for (const [what, before] of [
      ['nothing', {}],
      ['fewer new pods', { updatedReplicas: 4, replicas: 6 }],
      ['more old pods', { replicas: 4 }],
      ['fewer that are ready', { readyReplicas: 5 }],
      ['fewer that are available', { availableReplicas: 3 }],
    ] as const)
      it(`lets the deadline run with ${what}`, () => {
        const condition = progressing(reasons.updated);
        expect(after({ ...same, ...before }, condition)).to.deep.equal(condition);
        expect(after({ ...same, ...before }, condition, now + 1_000)?.reason).to.equal(reasons.timedOut);
      });
    it('stays late, however short ago that was written, until something moves', () =>
      expect(after(same, progressing(reasons.timedOut, 'False', present))).to.include({ status: 'False', reason: reasons.timedOut }));
    it('is not late after it was complete', () => {
      const condition = progressing(reasons.complete, 'True', '2025-01-01T00:00:00Z');
      expect(after(same, condition)).to.deep.equal(condition);
    });
    it('stays complete while pods of the last one fail, and begins again with old pods', () => {
      const condition = progressing(reasons.complete);
      const given = deployment({ ...same, availableReplicas: 0, conditions: [condition] });
      expect(found(rolloutStatus(given, { ...sets, old: [] }, now), 'Progressing')).to.deep.equal(condition);
      expect(found(rolloutStatus(given, sets, now), 'Progressing')?.reason).to.equal(reasons.updated);
    });
    it('says nothing of its progress without a deadline', () => {
      for (const progressDeadlineSeconds of [undefined, 2_147_483_647]) {
        const given = deployment({ ...same, conditions: [progressing(reasons.updated)] }, { progressDeadlineSeconds } as never);
        expect(found(rolloutStatus(given, sets, now), 'Progressing')).to.equal(undefined);
        expect(deadlineMs(given, given.status ?? {}, now)).to.equal(null);
      }
    });
    it('is looked at again a second after its deadline, unless it is over', () => {
      const at = (status: DeploymentStatus, time: number) => deadlineMs(deployment(), status, time);
      const running = { ...same, conditions: [progressing(reasons.updated)] };
      expect([at(running, now - 600_000), at(running, now - 5_000), at(running, now + 60_000)]).to.deep.equal([601_000, 6_000, 1_000]);
      for (const over of [
        { ...running, ...complete },
        { ...same, conditions: [] },
        { ...same, conditions: [progressing(reasons.timedOut, 'False')] },
        { ...same, conditions: [progressing(reasons.complete)] },
      ])
        expect(at(over, now), JSON.stringify(over)).to.equal(null);
    });
  });
});
