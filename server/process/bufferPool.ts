/** Bytes from which Node cuts small buffers: Node's own 8 KiB are used up by the answers and stored forms of two small writes. */
const poolBytes = 64 * 1024;

/**
 * For the calling thread. Making another pool costs as much as some hundred lines of code, and each is one more thing to collect: a sixteenth of what a
 * create costs. Who keeps a small buffer for long keeps its whole pool, so what is kept (stored objects, keys) has memory of its own.
 */
export function widenBufferPool(): void {
  Buffer.poolSize = poolBytes;
}
