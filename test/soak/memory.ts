import type { ClusterMember } from '../../deploy/cluster.js';
import { residentBytes } from '../fixtures/processUsage.js';

const mebibyte = 2 ** 20;
/** With fewer samples, the warm-up counts too much. */
const samplesMin = 40;
/** The permitted ratio of the last quarter to the second. */
const growthMax = 1.2;

/** Samples of each server's resident memory. */
export class MemoryRecord {
  readonly #samples: ReadonlyMap<ClusterMember, number[]>;

  constructor(members: readonly ClusterMember[]) {
    this.#samples = new Map(members.map((member) => [member, []]));
  }

  sample(): void {
    for (const [{ process }, samples] of this.#samples) samples.push(residentBytes(process.pid));
  }

  now(): string {
    return [...this.#samples].map(([{ id }, samples]) => `${id} ${mebibytes(samples.at(-1) ?? 0)}`).join(', ');
  }

  lines(): string[] {
    return [...this.#samples].map(
      ([{ id }, samples]) =>
        `${id}: ${mebibytes(quarter(samples, 1))} in the second quarter, ${mebibytes(quarter(samples, 3))} in the last, ${mebibytes(Math.max(...samples))} at most`,
    );
  }

  findings(): string[] {
    return [...this.#samples]
      .filter(([, samples]) => samples.length >= samplesMin && quarter(samples, 3) > growthMax * quarter(samples, 1))
      .map(([{ id }]) => `the memory of ${id} grows`);
  }
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;

function quarter(samples: readonly number[], which: number): number {
  const length = Math.max(1, Math.floor(samples.length / 4));
  const part = samples.slice(Math.min(which * length, samples.length - 1)).slice(0, length);
  return part.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, part.length);
}
