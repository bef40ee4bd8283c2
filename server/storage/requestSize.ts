import type { Comparison, EngineOperation } from './engine.js';

/** etcd's own bound on a request, which every other store keeps too: what one holds another one can take over. Source: `--max-request-bytes` of etcd. */
export const requestBytesDefaultMax = 1_572_864;
/** The bound of etcd's client, over every store. Source: etcd's client package, and what kube-apiserver answers. */
export const messageBytesMax = 2_097_152;

const tooLargeText = 'etcdserver: request is too large';
const tooLargeMessage = 'trying to send message larger than max';

/** Whether a store refused a write for its size. kube-apiserver tells it by these texts as well. */
export const isTooLarge = (reason: string): boolean => reason.includes(tooLargeText) || reason.includes(tooLargeMessage);

/** Why a transaction is too large, in etcd's words; null if it is not. `requestBytesMax`: what the store takes. */
export function sizeRefusal(
  comparisons: readonly Comparison[],
  operations: readonly EngineOperation[],
  requestBytesMax: number,
): string | null {
  const bytes = transactionBytes(comparisons, operations);
  if (bytes > messageBytesMax) return `rpc error: code = ResourceExhausted desc = ${tooLargeMessage} (${bytes} vs. ${messageBytesMax})`;
  return bytes > requestBytesMax ? tooLargeText : null;
}

/** The transaction as etcd's clients write it: comparisons of modification revisions, then puts and deletions. Field numbers are all below 16. */
function transactionBytes(comparisons: readonly Comparison[], operations: readonly EngineOperation[]): number {
  let bytes = 0;
  for (const { key, modRevision } of comparisons) bytes += field(2 + field(Buffer.byteLength(key)) + 1 + varintBytes(modRevision));
  for (const operation of operations) {
    const value = operation.type === 'put' ? field(operation.value.byteLength) : 0;
    bytes += field(field(field(Buffer.byteLength(operation.key)) + value));
  }
  return bytes;
}

/** A field whose content has a length. */
const field = (length: number): number => 1 + varintBytes(length) + length;

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
