/** Command line options as data. A table maps names (without dashes) to facts, from which parsing, checks, `--help` and the type of the result follow. */

/** Durations are milliseconds; quantities are plain numbers. */
export interface ValueTypes {
  bool: boolean;
  int: number;
  float: number;
  string: string;
  duration: number;
  quantity: number;
  /** Comma separated and repeatable. */
  strings: readonly string[];
  /** Each occurrence is one value: values may contain commas. */
  repeated: readonly string[];
  /** `key=value,...`, repeatable. */
  map: Readonly<Record<string, string>>;
  /** `key=value,...`, repeatable; `prefix:` may precede the key. A key's last value wins. */
  gates: Readonly<Record<string, string>>;
  version: string;
}

export type FlagKind = keyof ValueTypes;

export interface FlagFacts {
  readonly kind: FlagKind;
  readonly default: ValueTypes[FlagKind] | null;
  readonly help: string;
  readonly short?: string;
  readonly value?: string;
  /** The file is not read at the start, and need not exist. */
  readonly notRead?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
  /** A key must have a value where this is absent. */
  readonly bare?: string;
  readonly check?: (value: string) => string | null;
  readonly withoutEffect?: true;
}

export interface Flag extends FlagFacts {
  readonly group: string;
}
export type FlagTable = Readonly<Record<string, Flag>>;

export function inGroup<const T extends Readonly<Record<string, FlagFacts>>>(
  group: string,
  table: T,
): { readonly [N in keyof T]: T[N] & { readonly group: string } } {
  return Object.fromEntries(Object.entries(table).map(([name, facts]) => [name, { ...facts, group }])) as {
    [N in keyof T]: T[N] & { group: string };
  };
}

type ValueOf<F> = F extends { readonly kind: infer K extends FlagKind; readonly default: infer D }
  ? ValueTypes[K] | (D extends null ? null : never)
  : never;
export type FlagValues<T> = { readonly [N in keyof T]: ValueOf<T[N]> };
