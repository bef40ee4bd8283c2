/**
 * What clients did to keys and what they were told. Times are milliseconds of one clock; `endMs` is when the answer came.
 *
 * Every write carries a value that no other write carries, so a value names the write. `version` is the resource version of the object.
 */
export type KeyOperation = {
  readonly key: string;
  readonly client: string;
  readonly startMs: number;
  readonly endMs: number;
} & (Create | Update | Delete | Read);

/** No answer, or one that leaves it open: it may have happened, may happen later, or never. */
type Unknown = { readonly result: 'unknown' };

type Create = { readonly kind: 'create'; readonly value: string } & (
  | { readonly result: 'done'; readonly version: number }
  | { readonly result: 'exists' }
  | Unknown
);

/** `expected` is the version that the object must have; null writes over whatever is there. */
type Update = { readonly kind: 'update'; readonly value: string; readonly expected: number | null } & (
  | { readonly result: 'done'; readonly version: number }
  | { readonly result: 'conflict' }
  | { readonly result: 'absent' }
  | Unknown
);

type Delete = { readonly kind: 'delete'; readonly expected: number | null } & (
  | { readonly result: 'done' }
  | { readonly result: 'conflict' }
  | { readonly result: 'absent' }
  | Unknown
);

type Read = { readonly kind: 'read' } & (
  | { readonly result: 'found'; readonly value: string; readonly version: number }
  | { readonly result: 'absent' }
);

/** A write that the server acknowledged with a version. */
export interface AcknowledgedWrite {
  readonly key: string;
  readonly value: string;
  readonly version: number;
}

export function acknowledgedWrites(operations: readonly KeyOperation[]): readonly AcknowledgedWrite[] {
  return operations.flatMap((operation) =>
    (operation.kind === 'create' || operation.kind === 'update') && operation.result === 'done'
      ? [{ key: operation.key, value: operation.value, version: operation.version }]
      : [],
  );
}
