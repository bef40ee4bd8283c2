/** The pool from which Node cuts small buffers: its own 8 KiB last for two small writes. */
const poolBytes = 64 * 1024;

/**
 * Enlarges Node's buffer pools, whose allocation and collection cost a sixteenth of a create. A small buffer keeps its whole pool alive, so long-lived data
 * have memory of their own.
 */
export function widenBufferPool(): void {
  Buffer.poolSize = poolBytes;
}
