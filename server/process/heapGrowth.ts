import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { inStep } from '../../program/files/inStep.js';

/**
 * The heap growth beyond the live size of the last full collection, in percent. V8's default lets a heap of this size triple. A server's data are mostly bytes
 * outside the heap, so full collections are cheap, while uncollected objects hold their bytes: 283 MiB instead of 353 with 30,000 objects of 1 KiB, for the
 * same processor time.
 */
const growthPercentMin = 40;
/** Collecting a small heap repeatedly costs a twentieth of a create. */
const growthBytesMin = 48 * 1024 * 1024;
const growthPercentMax = 150;
/** A multiple of other intervals: no further wake-ups. */
const reviewMs = 4_000;

/** Applies to all threads: V8 reads these flags at each collection. Threads collect their own young generation, since helpers cost more than they save. */
export function boundHeapGrowth(): void {
  setFlagsFromString('--no-parallel-scavenge');
  review();
  inStep(reviewMs, review);
}

function review(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent(getHeapStatistics().used_heap_size)}`);
}

const growthPercent = (usedBytes: number): number =>
  Math.round(Math.min(growthPercentMax, Math.max(growthPercentMin, (100 * growthBytesMin) / usedBytes)));
