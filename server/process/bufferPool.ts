/** Pool for small buffers; Node's own of 8 KiB lasts for two small writes. */
const poolBytes = 64 * 1024;

/**
 * Enlarges Node's buffer pools, whose allocation and collection cost a sixteenth of a create. A small buffer keeps its whole pool alive, so long-lived data
 * have memory of their own.
 */
export function widenBufferPool(): void {
  Buffer.poolSize = poolBytes;
}
