import fs from 'node:fs';
import path from 'node:path';
import type { Usage } from './checks/bounds.js';
import type { TortureCluster } from './cluster/tortureCluster.js';

/** Current usage of each running member. */
export function sampleUsage(cluster: TortureCluster): readonly Usage[] {
  return cluster.members.flatMap(({ id, process, dataDirectory }) => {
    const residentBytes = process.pid === null ? null : residentOf(process.pid);
    return residentBytes === null ? [] : [{ process: id, residentBytes, fileBytes: sizeOf(dataDirectory) }];
  });
}

function residentOf(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
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
