/** One part of the objects of a collection, by the hash of what a field of theirs holds (KEP 5866). Plain data. */
export interface ShardSelector {
  readonly field: ShardField;
  /** An object is in the part if its hash is in one of these; `below` is not in the range itself. */
  readonly ranges: readonly { readonly from: bigint; readonly below: bigint }[];
  /** As the client has written it. */
  readonly text: string;
}

/** Fields of metadata that parts go by: what never changes, and is the same for whoever looks. */
export type ShardField = 'uid' | 'namespace';

/** Of FNV-1a with 64 bits. */
const [offsetBasis, prime, bits] = [0xcbf29ce484222325n, 0x100000001b3n, 64];

/** The hash of a text: the same on every server, and in the reference. */
export function shardHash(text: string): bigint {
  let hash = offsetBasis;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(bits, (hash ^ BigInt(byte)) * prime);
  return hash;
}

export const isInShard = ({ ranges }: ShardSelector, hash: bigint): boolean =>
  ranges.some(({ from, below }) => hash >= from && hash < below);
