import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { recordingsFolder } from '../../golden/recordings.js';

/** Compares event reasons of the reference with our sources, by controller: each has a source or an explanation. */
interface Row {
  /** Folders and files that emit the event. */
  readonly sources: readonly string[];
  readonly reasons: readonly string[];
  /** Reasons that do not apply here, with explanations. */
  readonly without?: Readonly<Record<string, string>>;
}

const cachesDoNotFail = 'lists come from a cache in memory, which does not fail';
const rows: Readonly<Record<string, Row>> = {
  'controller_utils.go': { sources: ['workloads'], reasons: ['FailedCreate', 'FailedDelete', 'SuccessfulCreate', 'SuccessfulDelete'] },
  cronjob: {
    sources: ['cronjob'],
    reasons: [
      'FailedCreate',
      'FailedDelete',
      'FailedGet',
      'InvalidSchedule',
      'JobAlreadyActive',
      'MissSchedule',
      'MissingJob',
      'SawCompletedJob',
      'SuccessfulCreate',
      'SuccessfulDelete',
      'TooManyMissedTimes',
      'UnParseableCronJobSchedule',
      'UnexpectedJob',
      'UnknownTimeZone',
      'UnparseableSchedule',
      'UnsupportedSchedule',
    ],
  },
  daemon: { sources: ['daemonset'], reasons: ['FailedDaemonPod', 'SelectingAll', 'SucceededDaemonPod'] },
  deployment: {
    sources: ['deployment'],
    reasons: ['DeploymentRollback', 'ReplicaSetCreateError', 'ScalingReplicaSet', 'SelectingAll'],
    without: {
      FailedDelete: 'the deletion of an old set is tried again without a word',
    },
  },
  disruption: {
    sources: ['disruption'],
    reasons: ['CalculateExpectedPodCountFailed', 'MultiplePodDisruptionBudgets', 'NoPods', 'NotDeleted', 'UnmanagedPods'],
  },
  endpoint: { sources: ['endpoints'], reasons: ['FailedToCreateEndpoint', 'FailedToUpdateEndpoint'] },
  endpointslice: {
    sources: ['endpointslice'],
    reasons: ['FailedToUpdateEndpointSlices'],
    without: { FailedToListEndpointSlices: cachesDoNotFail, FailedToListPods: cachesDoNotFail },
  },
  endpointslicemirroring: { sources: ['endpointslicemirroring'], reasons: ['InvalidIPAddress', 'TooManyAddressesToMirror'] },
  garbagecollector: { sources: ['garbagecollector'], reasons: ['OwnerRefInvalidNamespace'] },
  job: {
    sources: ['job'],
    reasons: ['Completed', 'Resumed', 'Suspended', 'TooManySucceededPods', 'UnknownCompletionMode', 'WorkloadCreated'],
  },
  statefulset: {
    sources: ['statefulset'],
    reasons: [
      'ConflictingController',
      'FailedCreate',
      'FailedDelete',
      'FailedUpdate',
      'SuccessfulCreate',
      'SuccessfulDelete',
      'SuccessfulUpdate',
    ],
  },
};

/** Controllers of the reference that are missing here, as in `controller-manager --help`. */
const absent: ReadonlySet<string> = new Set([
  'cloud-provider/controllers/node',
  'cloud-provider/controllers/nodelifecycle',
  'cloud-provider/controllers/service',
  'devicetainteviction',
  'podautoscaler',
  'resourceclaim',
  'servicecidrs',
  'tainteviction',
  'util/node',
  'volume/ephemeral',
  'volume/expand',
  'volume/persistentvolume',
  'volume/selinuxwarning',
]);

const textOf = (folder: string): string => {
  const directory = path.join(packageRoot, 'controllers', folder);
  return fs
    .readdirSync(directory)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => fs.readFileSync(path.join(directory, name), 'utf8'))
    .join('\n');
};

describe('controllers/events of each controller', () => {
  for (const [name, { sources, reasons, without = {} }] of Object.entries(rows)) {
    it(`${name}: ${reasons.join(', ')}`, () => {
      const text = sources.map(textOf).join('\n');
      expect(
        reasons.filter((reason) => !text.includes(`'${reason}'`)),
        'not reported',
      ).to.deep.equal([]);
      expect(
        Object.keys(without).filter((reason) => text.includes(`'${reason}'`)),
        'reported after all',
      ).to.deep.equal([]);
    });
  }

  it('leaves none of the reference out', () => {
    const file = path.join(recordingsFolder, 'controllers-events.json');
    const reference = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, readonly { readonly reason: string }[]>;
    const unknown = Object.entries(reference).flatMap(([name, events]) => {
      const row = rows[name];
      if (!row) return absent.has(name) ? [] : [name];
      return events
        .filter(({ reason }) => !row.reasons.includes(reason) && row.without?.[reason] === undefined)
        .map(({ reason }) => `${name} ${reason}`);
    });
    expect(unknown).to.deep.equal([]);
  });
});
