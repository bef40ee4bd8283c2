import { expect } from 'chai';
import type { Pod, PodStatus } from '../../../../api/types/core/v1.js';
import { behaviourOf } from '../../../../deploy/nodes/behaviour.js';
import { nextStep, type Step } from '../../../../deploy/nodes/podLife.js';

const begun = Date.UTC(2026, 0, 1);
const at = { hostIP: '198.18.0.1', podIP: '10.64.0.1' };

/** Runs a pod's life, and records its node's reports with their second. */
class Played {
  #pod: Pod;
  #now = begun;

  constructor(annotations: Readonly<Record<string, string>>, spec: Partial<NonNullable<Pod['spec']>> = {}) {
    const named = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`fake-node/${name}`, value]));
    this.#pod = {
      metadata: { name: 'p', namespace: 'n', uid: 'u', annotations: named },
      spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }], ...spec },
    };
  }

  /** The next `count` reports as texts of `tells`, or fewer at the end. */
  reports(count: number, tells: (status: PodStatus) => string): readonly string[] {
    const reported: string[] = [];
    while (reported.length < count) {
      const step: Step = nextStep(this.#pod, behaviourOf(this.#pod), at, this.#now);
      if (step.do === 'wait') this.#now += step.ms;
      else if (step.do !== 'report') break;
      else {
        this.#pod = { ...this.#pod, status: step.status as PodStatus };
        reported.push(`${(this.#now - begun) / 1_000} ${tells(step.status as PodStatus)}`);
      }
    }
    return reported;
  }
}

const state = ({ containerStatuses: [first] = [] }: PodStatus): string =>
  first?.state?.waiting?.reason ?? (first?.state?.running === undefined ? (first?.state?.terminated?.reason ?? 'none') : 'Running');
const withRestarts = (status: PodStatus): string => `${state(status)} ${status.containerStatuses?.[0]?.restartCount}`;
const ready = (status: PodStatus): string => status.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'none';

describe('deploy/nodes/podLife, of pods that fail', () => {
  it('asks for images that do not exist again and again, with longer and longer pauses', () => {
    const pod = new Played({ 'missing-images': 'other:*, registry.example/*' });
    expect(pod.reports(9, (status) => `${status.phase} ${state(status)}`)).to.deep.equal([
      '0 Pending ContainerCreating',
      '0 Pending ErrImagePull',
      '1 Pending ImagePullBackOff',
      '10 Pending ErrImagePull',
      '11 Pending ImagePullBackOff',
      '30 Pending ErrImagePull',
      '31 Pending ImagePullBackOff',
      '70 Pending ErrImagePull',
      '71 Pending ImagePullBackOff',
    ]);
    expect(new Played({ 'missing-images': 'app:1' }).reports(1, state)).to.deep.equal(['0 Running']);
  });

  it('names the image in the message, and has no id of a container that was never made', () => {
    const pod = new Played({ 'missing-images': '*app:1' });
    let last: PodStatus = {};
    pod.reports(3, (status) => String((last = status)));
    const [status] = last.containerStatuses ?? [];
    expect(status?.state?.waiting?.message).to.contain('Back-off pulling image "registry.example/app:1"');
    expect(status).not.to.have.property('containerID');
  });

  it('restarts containers at once, or with a back-off that doubles up to thirty times, and tells how the last run ended', () => {
    expect(new Played({ 'run-seconds': '1', 'exit-code': '3' }).reports(3, withRestarts)).to.deep.equal([
      '0 Running 0',
      '1 Running 1',
      '2 Running 2',
    ]);
    const pod = new Played({ 'run-seconds': '1', 'exit-code': '3', 'back-off-seconds': '10' });
    let last: PodStatus = {};
    expect(pod.reports(8, (status) => withRestarts((last = status)))).to.deep.equal([
      '0 Running 0',
      '1 Running 1',
      '2 CrashLoopBackOff 1',
      '12 Running 2',
      '13 CrashLoopBackOff 2',
      '33 Running 3',
      '34 CrashLoopBackOff 3',
      '74 Running 4',
    ]);
    expect(last.containerStatuses?.[0]?.lastState?.terminated).to.include({ exitCode: 3, reason: 'Error' });
    const pauses = pod.reports(20, withRestarts).map((line) => Number(line.split(' ')[0]));
    expect(
      pauses.slice(1).map((second, index) => second - (pauses[index] ?? 0)),
      'the longest pause',
    ).to.include(300);
    expect(Math.max(...pauses.slice(1).map((second, index) => second - (pauses[index] ?? 0)))).to.equal(300);
  });

  it('kills containers for their memory and for liveness probes, whatever ends them first', () => {
    const end = ({ containerStatuses: [first] = [] }: PodStatus): string => {
      const { exitCode, reason } = first?.state?.terminated ?? first?.lastState?.terminated ?? {};
      return `${reason} ${exitCode}`;
    };
    const never = { restartPolicy: 'Never' } as const;
    expect(new Played({ 'oom-after-seconds': '4', 'run-seconds': '5' }, never).reports(3, end)[1]).to.equal('4 OOMKilled 137');
    expect(new Played({ 'oom-after-seconds': '6', 'run-seconds': '5' }, never).reports(3, end)[1]).to.equal('5 Completed 0');
    const probed = new Played({ 'liveness-fails-after-seconds': '7' });
    expect(probed.reports(3, (status) => `${withRestarts(status)} ${end(status)}`).slice(1)).to.deep.equal([
      '7 Running 1 Error 137',
      '14 Running 2 Error 137',
    ]);
  });

  it('takes readiness away again', () => {
    const pod = new Played({ 'ready-after-seconds': '2', 'readiness-fails-after-seconds': '9' });
    expect(pod.reports(5, ready)).to.deep.equal(['0 False', '2 True', '9 False']);
  });

  it('evicts pods, also those that wait for an image, and not after their deadline', () => {
    const tells = (status: PodStatus): string =>
      `${status.phase} ${status.reason} ${status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason}`;
    expect(new Played({ 'evict-after-seconds': '3' }).reports(5, tells)).to.deep.equal([
      '0 Running undefined undefined',
      '3 Failed Evicted TerminationByKubelet',
    ]);
    expect(new Played({ 'evict-after-seconds': '3', 'missing-images': '*' }).reports(9, tells).at(-1)).to.equal(
      '3 Failed Evicted TerminationByKubelet',
    );
    expect(new Played({ 'evict-after-seconds': '3' }, { activeDeadlineSeconds: 2 }).reports(5, tells)[1]).to.equal(
      '2 Failed DeadlineExceeded undefined',
    );
  });

  it('starts pods after a time, by distributions in which the uid is the only chance', () => {
    const startMs = (text: string, uid: string): number =>
      behaviourOf({ metadata: { name: 'p', uid, annotations: { 'fake-node/start-seconds': text } } }).startMs;
    expect(new Played({ 'start-seconds': '2.5' }).reports(3, state)).to.deep.equal(['0 ContainerCreating', '2.5 Running']);
    const uids = Array.from({ length: 2_000 }, (_, index) => `uid-${index}`);
    const uniform = uids.map((uid) => startMs('1-5', uid));
    expect(Math.min(...uniform)).to.be.within(1_000, 1_100);
    expect(Math.max(...uniform)).to.be.within(4_900, 5_000);
    const normal = uids.map((uid) => startMs('20~2', uid));
    const mean = normal.reduce((sum, each) => sum + each, 0) / normal.length;
    const deviation = Math.sqrt(normal.reduce((sum, each) => sum + (each - mean) ** 2, 0) / normal.length);
    expect([mean, deviation].map((each) => Math.round(each / 500) / 2)).to.deep.equal([20, 2]);
    expect(normal).to.deep.equal(uids.map((uid) => startMs('20~2', uid)));
    expect(startMs('soon', 'u')).to.equal(0);
  });
});
