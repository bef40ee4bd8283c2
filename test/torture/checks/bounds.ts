import type { Finding } from './finding.js';

/** Resident memory of a process and the total size of its files. */
export interface Usage {
  readonly process: string;
  readonly residentBytes: number;
  readonly fileBytes: number;
}

/**
 * The most memory and files for an API server under this traffic, in bytes. An idle one takes 120 to 155 MiB, and 65 MiB for each further serving thread; its
 * files are the store, a log of 10,000 entries and data before a checkpoint (32 MiB each).
 */
export const usageMax = (threads: number): Omit<Usage, 'process'> => ({
  residentBytes: (400 + (threads - 1) * 100) << 20,
  fileBytes: 128 << 20,
});

/** Reports the peak of each process that exceeds the bounds. */
export function checkBounds(samples: readonly Usage[], max: Omit<Usage, 'process'>): readonly Finding[] {
  const findings: Finding[] = [];
  for (const what of ['residentBytes', 'fileBytes'] as const) {
    for (const [process, peak] of peaks(samples, what)) {
      if (peak > max[what]) findings.push({ promise: 'bounds', details: `${process}: ${what} reached ${peak}, beyond ${max[what]}` });
    }
  }
  return findings;
}

export function peaks(samples: readonly Usage[], what: 'residentBytes' | 'fileBytes'): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const sample of samples) most.set(sample.process, Math.max(most.get(sample.process) ?? 0, sample[what]));
  return most;
}
