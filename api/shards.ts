/** Selects part of a collection by the hash of a field (KEP 5866). */
export interface ShardSelector {
  readonly field: ShardField;
  /** `below` is exclusive; an object in any range is selected. */
  readonly ranges: readonly { readonly from: bigint; readonly below: bigint }[];
  readonly text: string;
}

/** These fields never change and are the same for all clients. */
export type ShardField = 'uid' | 'namespace';

/** Constants of 64-bit FNV-1a. */
const [offsetBasis, prime, bits] = [0xcbf29ce484222325n, 0x100000001b3n, 64];

/** The same on every server, and in the reference. */
export function shardHash(text: string): bigint {
  let hash = offsetBasis;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(bits, (hash ^ BigInt(byte)) * prime);
  return hash;
}

export const isInShard = ({ ranges }: ShardSelector, hash: bigint): boolean =>
  ranges.some(({ from, below }) => hash >= from && hash < below);
