/**
 * Command line options as data. A table maps names (real spelling, without dashes) to facts; parsing, checking, `--help` and the type of the result follow from
 * it. Both programs share this code.
 */

/** The value type of each kind of option. Durations are milliseconds; quantities are plain numbers. */
export interface ValueTypes {
  bool: boolean;
  int: number;
  float: number;
  string: string;
  duration: number;
  quantity: number;
  /** Comma separated and repeatable. */
  strings: readonly string[];
  /** Repeatable, each occurrence one value: values may contain commas. */
  repeated: readonly string[];
  /** `key=value,...`, repeatable. */
  map: Readonly<Record<string, string>>;
  /** `key=value,...` where `prefix:` may precede the key; repeatable. Later values of a key win. */
  gates: Readonly<Record<string, string>>;
  /** Like a string; the bare option means `true`. */
  version: string;
}

export type FlagKind = keyof ValueTypes;

export interface FlagFacts {
  readonly kind: FlagKind;
  /** Null where "not given" differs from every value. */
  readonly default: ValueTypes[FlagKind] | null;
  readonly help: string;
  readonly short?: string;
  /** Name of the value in help texts, where the kind says too little. */
  readonly value?: string;
  /** Exempts a `value` of "file" that the program does not read at its start, so that it need not exist. */
  readonly notRead?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** The only accepted values, for `string` and (each element) `strings`. */
  readonly oneOf?: readonly string[];
  /** The value of a bare key in a `map`. Without it, a key must have a value. */
  readonly bare?: string;
  /** Checks the value or each element: returns an error, or null. */
  readonly check?: (value: string) => string | null;
  /** The option is read and checked, and otherwise ignored. */
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
