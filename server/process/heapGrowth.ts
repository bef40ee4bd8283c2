import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { inStep } from '../../program/files/inStep.js';

/**
 * The heap growth beyond the last full collection's live size, in percent. V8's default lets a heap of this size triple. A server's data are mostly bytes
 * outside the heap, so full collections are cheap, while each uncollected object holds its bytes: with 30,000 objects of 1 KiB just created, 283 MiB instead of
 * 353 were resident, for the same processor time.
 */
const growthPercentMin = 40;
/** A busy server would collect a small heap again and again: a twentieth of the cost of a create. */
const growthBytesMin = 48 * 1024 * 1024;
const growthPercentMax = 150;
/** A multiple of the interval for files and connections: no further wake-ups. */
const reviewMs = 4_000;

/** Applies to all threads: V8 reads these flags at each collection. Each thread collects its own young generation, since helpers cost more than they save. */
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
