import type { Comparison, EngineOperation } from './engine.js';

/** Applied by every store, so that data can be moved. Source: `--max-request-bytes` of etcd. */
export const requestBytesDefaultMax = 1_572_864;
/** The bound of etcd's client package, for every store. */
export const messageBytesMax = 2_097_152;

const tooLargeText = 'etcdserver: request is too large';
const tooLargeMessage = 'trying to send message larger than max';

/** kube-apiserver uses these texts too. */
export const isTooLarge = (reason: string): boolean => reason.includes(tooLargeText) || reason.includes(tooLargeMessage);

/** Null if it fits. `requestBytesMax` is the store's bound. */
export function sizeRefusal(
  comparisons: readonly Comparison[],
  operations: readonly EngineOperation[],
  requestBytesMax: number,
): string | null {
  const bytes = transactionBytes(comparisons, operations);
  if (bytes > messageBytesMax) return `rpc error: code = ResourceExhausted desc = ${tooLargeMessage} (${bytes} vs. ${messageBytesMax})`;
  return bytes > requestBytesMax ? tooLargeText : null;
}

/** Counts bytes like etcd's clients; all field numbers are below 16. */
function transactionBytes(comparisons: readonly Comparison[], operations: readonly EngineOperation[]): number {
  let bytes = 0;
  for (const { key, modRevision } of comparisons) bytes += field(2 + field(Buffer.byteLength(key)) + 1 + varintBytes(modRevision));
  for (const operation of operations) {
    const value = operation.type === 'put' ? field(operation.value.byteLength) : 0;
    bytes += field(field(field(Buffer.byteLength(operation.key)) + value));
  }
  return bytes;
}

const field = (length: number): number => 1 + varintBytes(length) + length;

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
