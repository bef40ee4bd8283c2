/** Concurrent requests of one program. */
const batch = 32;

/** Runs the task for each number below `total`, some at a time. */
export async function inBatches(total: number, task: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < total; from += batch)
    await Promise.all(Array.from({ length: Math.min(batch, total - from) }, (_, index) => task(from + index)));
}
