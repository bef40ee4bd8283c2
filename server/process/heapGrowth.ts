import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { inStep } from '../../program/files/inStep.js';

/**
 * How far the heap may grow beyond what was alive at the last full collection, in percent. Left to itself, V8 lets a heap of this size
 * grow threefold. What a server keeps are mostly bytes outside the heap, so full collections are cheap, while each object that waits for
 * one holds its bytes: with 30,000 objects of 1 KiB just created, 283 MiB instead of 353 were resident, for the same processor time.
 */
const growthPercentMin = 40;
/** A small heap may grow by this much all the same, or a busy server collects it again and again: a twentieth of what a create costs. */
const growthBytesMin = 48 * 1024 * 1024;
const growthPercentMax = 150;
/** A multiple of how often files and connections are looked at: no wake of its own. */
const reviewMs = 4_000;

/**
 * For all threads of the process. V8 reads these flags at each collection, so they may be set while it runs. The young generation is collected by
 * the thread that it belongs to: it is small, and helpers cost more processor time than they spare that thread.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--no-parallel-scavenge');
  review();
  inStep(reviewMs, review);
}

function review(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent(getHeapStatistics().used_heap_size)}`);
}

/** How far a heap of which so much is in use may grow. */
const growthPercent = (usedBytes: number): number =>
  Math.round(Math.min(growthPercentMax, Math.max(growthPercentMin, (100 * growthBytesMin) / usedBytes)));
