import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readFileIfPresent, writeFileAtomically } from './files.js';
import { processExists } from './launcherLock.js';
import type { ManagedProgram } from './managedProgram.js';

/** `cluster.json` lists all processes of a running cluster, for users and for programs that kill some of them. */
interface ClusterFile {
  readonly launcher: number;
  readonly processes: readonly ProcessEntry[];
}

interface ProcessEntry {
  readonly role: string;
  /** Null while the process is down. */
  readonly pid: number | null;
  readonly address: string | null;
  readonly memberId?: string;
  readonly name: string;
  readonly log: string;
  /** The command that starts it, for starting it by hand. */
  readonly command: readonly string[];
}

/** Time for the replicas of a killed launcher to end. */
const leftoverWaitMs = 20_000;
const pollMs = 50;

export function writeClusterFile(file: string, processes: readonly ManagedProgram[]): void {
  const entries = processes.map(({ spec, pid, command }): ProcessEntry => ({
    role: spec.role,
    name: spec.name,
    pid,
    address: spec.address,
    ...(spec.role === 'apiserver' ? { memberId: spec.name } : {}),
    log: spec.log,
    command,
  }));
  const content: ClusterFile = { launcher: process.pid, processes: entries };
  writeFileAtomically(file, JSON.stringify(content, null, 2) + '\n');
}

/** Waits for processes of an earlier, killed launcher to end by themselves. Rejects when one does not. */
export async function waitForLeftovers(file: string, say: (line: string) => void): Promise<void> {
  const entries = readEntries(file);
  const deadline = performance.now() + leftoverWaitMs;
  for (let isAnnounced = false; ; isAnnounced = true) {
    const alive = entries.filter(stillRuns);
    if (alive.length === 0) return;
    const pids = alive.map(({ pid }) => pid).join(', ');
    if (performance.now() > deadline)
      throw new Error(`processes ${pids} of an earlier start still use this data directory; end them first`);
    if (!isAnnounced) say(`waiting for processes of an earlier start to end (${pids})`);
    await delay(pollMs);
  }
}

function readEntries(file: string): readonly Leftover[] {
  try {
    const value: unknown = JSON.parse(readFileIfPresent(file) ?? 'null');
    if (typeof value !== 'object' || value === null || !('processes' in value) || !Array.isArray(value.processes)) return [];
    return (value.processes as unknown[]).filter(isLeftover);
  } catch {
    return []; // A damaged file holds nothing essential.
  }
}

interface Leftover {
  readonly pid: number;
  readonly command: readonly string[];
}

function isLeftover(value: unknown): value is Leftover {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'command' in value &&
    Array.isArray(value.command)
  );
}

/** The process id may have been reused, so the command line is compared where it can be read. */
function stillRuns({ pid, command }: Leftover): boolean {
  if (!processExists(pid)) return false;
  try {
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return command.slice(1).every((word) => words.includes(word));
  } catch {
    return processExists(pid);
  }
}
