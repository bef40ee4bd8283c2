import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../../api/object.js';
import { podCells, podRowConditions } from '../../../../../../server/kinds/core/pod/cells.js';
import { endpoints } from '../../../../../../server/kinds/core/endpoints.js';

/** Tables of pods and endpoints show what those of the reference do (printPod and formatEndpoints in printers.go). */

interface Stated {
  readonly status: JsonObject;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
}

const now = Date.parse('2026-01-01T00:10:00Z');
const shown = ({ status, spec = {}, metadata = {} }: Stated): unknown[] => {
  const pod: ApiObject = { metadata: { name: 'p', ...metadata }, spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec }, status };
  return [podCells['Ready'], podCells['Status'], podCells['Restarts']].map((cell) => cell?.(pod, now));
};
const conditions = (...types: readonly string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }));
const running = (more: JsonObject = {}): JsonObject => ({
  name: 'a',
  ready: true,
  started: true,
  restartCount: 0,
  state: { running: {} },
  ...more,
});
const ended = (exitCode: number, reason: string, more: JsonObject = {}): JsonObject => ({
  name: 'b',
  restartCount: 0,
  state: { terminated: { exitCode, ...(reason === '' ? {} : { reason }) } },
  ...more,
});
const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'i' }] };
const waitingInit = { name: 'i', restartCount: 2, state: { waiting: { reason: 'PodInitializing' } } };
const runningSidecar = running({ name: 's', restartCount: 1 });

describe('cells of pods', () => {
  for (const [what, stated, cells] of [
    [
      'that wait for gates',
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] } },
      ['0/2', 'SchedulingGated', '0'],
    ],
    ['that go', { status: { phase: 'Running' }, metadata: { deletionTimestamp: 'x' } }, ['0/2', 'Terminating', '0']],
    ['that have ended, and go', { status: { phase: 'Succeeded' }, metadata: { deletionTimestamp: 'x' } }, ['0/2', 'Succeeded', '0']],
    [
      'whose node is lost',
      { status: { phase: 'Running', reason: 'NodeLost' }, metadata: { deletionTimestamp: 'x' } },
      ['0/2', 'Unknown', '0'],
    ],
    [
      'of which one has failed',
      { status: { phase: 'Running', containerStatuses: [ended(0, 'Completed'), ended(3, 'Error')] } },
      ['0/2', 'Error', '0'],
    ],
    [
      'of which one has ended',
      { status: { phase: 'Running', containerStatuses: [running(), ended(0, 'Completed')], conditions: conditions('Ready') } },
      ['1/2', 'Running', '0'],
    ],
    [
      'of which one has ended, unready',
      { status: { phase: 'Running', containerStatuses: [running(), ended(0, 'Completed')] } },
      ['1/2', 'NotReady', '0'],
    ],
    [
      'that count as ready, but wait',
      { status: { phase: 'Running', containerStatuses: [running({ state: { waiting: { reason: 'CrashLoopBackOff' } } })] } },
      ['0/2', 'CrashLoopBackOff', '0'],
    ],
    [
      'that initialize',
      {
        status: {
          phase: 'Pending',
          initContainerStatuses: [runningSidecar, waitingInit],
          containerStatuses: [running({ restartCount: 7 })],
        },
        spec: sidecar,
      },
      ['1/3', 'Init:1/2', '3'],
    ],
    [
      'that initialize again',
      {
        status: {
          phase: 'Running',
          initContainerStatuses: [runningSidecar, waitingInit],
          containerStatuses: [running({ restartCount: 7 })],
          conditions: conditions('Initialized'),
        },
        spec: sidecar,
      },
      ['2/3', 'Init:1/2', '8'],
    ],
  ] as const)
    it(`${what} are ${cells.join(', ')}`, () => {
      expect(shown(stated as unknown as Stated)).to.deep.equal(cells);
    });

  it('that have ended have a condition of their row', () => {
    const of = (phase: string): unknown => podRowConditions({ metadata: { name: 'p' }, status: { phase } });
    const ends = { type: 'Completed', status: 'True' };
    expect(of('Running')).to.deep.equal([]);
    expect(of('Succeeded')).to.deep.equal([{ ...ends, reason: 'Succeeded', message: 'The pod has completed successfully.' }]);
    expect(of('Failed')).to.deep.equal([{ ...ends, reason: 'Failed', message: 'The pod failed.' }]);
  });

  it('of endpoints without ready addresses are empty, and none without subsets', () => {
    const cell = endpoints.cells?.['Endpoints'];
    const of = (subsets: JsonObject[]): unknown => cell?.({ metadata: { name: 'e' }, subsets } as ApiObject, now);
    expect([of([]), of([{ notReadyAddresses: [{ ip: '192.0.2.5' }], ports: [{ port: 80 }] }])]).to.deep.equal(['<none>', '']);
  });
});
