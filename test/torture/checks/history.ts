/**
 * Operations of clients on keys, and their results. Times are milliseconds of one clock; `endMs` is the time of the answer.
 *
 * Values are unique, so a value identifies its write. `version` is the object's resource version.
 */
export type KeyOperation = {
  readonly key: string;
  readonly client: string;
  readonly startMs: number;
  readonly endMs: number;
} & (Create | Update | Delete | Read);

/** No answer, or an ambiguous one: the operation may have happened, may happen later, or never. */
type Unknown = { readonly result: 'unknown' };

type Create = { readonly kind: 'create'; readonly value: string } & (
  | { readonly result: 'done'; readonly version: number }
  | { readonly result: 'exists' }
  | Unknown
);

/** `expected` is the required version; null overwrites any. */
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
