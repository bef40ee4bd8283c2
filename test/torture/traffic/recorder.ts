import type { PastRead } from '../checks/compaction.js';
import type { Finding } from '../checks/finding.js';
import type { KeyOperation } from '../checks/history.js';
import type { Sighting } from '../checks/sessions.js';
import type { Renewal } from '../checks/renewals.js';
import type { ListedState } from '../checks/snapshots.js';
import type { WatchHistory } from '../checks/watchPromises.js';

export class Recorder {
  readonly operations: KeyOperation[] = [];
  readonly sightings: Sighting[] = [];
  readonly lists: ListedState[] = [];
  readonly watches: WatchHistory[] = [];
  readonly pastReads: PastRead[] = [];
  readonly findings: Finding[] = [];
  readonly renewals: Renewal[] = [];
  readonly acknowledgedMs: number[] = [];
  requests = 0;
  unknown = 0;

  add(operation: KeyOperation): void {
    this.operations.push(operation);
    if (operation.result === 'unknown') this.unknown++;
    if (operation.kind !== 'read' && operation.result === 'done') this.acknowledgedMs.push(operation.endMs);
  }

  unexpected(client: string, details: string): void {
    this.findings.push({ promise: 'answers', details: `${client}: ${details}` });
  }

  get latestAcknowledgedMs(): number | null {
    return this.acknowledgedMs.at(-1) ?? null;
  }

  get longestSilenceMs(): number {
    const times = [...this.acknowledgedMs].sort((a, b) => a - b);
    return times.reduce((longest, time, index) => Math.max(longest, time - (times[index - 1] ?? time)), 0);
  }
}
