import fs from 'node:fs';
import path from 'node:path';
import { residentBytes } from '../fixtures/processUsage.js';
import type { Usage } from './checks/bounds.js';
import type { TortureCluster } from './cluster/tortureCluster.js';

/** Current usage of each running member. */
export function sampleUsage(cluster: TortureCluster): readonly Usage[] {
  return cluster.members.flatMap(({ id, process, dataDirectory }) => {
    const resident = process.pid === null ? null : residentOf(process.pid);
    return resident === null ? [] : [{ process: id, residentBytes: resident, fileBytes: sizeOf(dataDirectory) }];
  });
}

function residentOf(pid: number): number | null {
  try {
    const bytes = residentBytes(pid);
    return Number.isNaN(bytes) ? null : bytes;
  } catch {
    return null;
  }
}

function sizeOf(directory: string): number {
  try {
    return fs
      .readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + (fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    return 0; // wiped while it was looked at
  }
}
