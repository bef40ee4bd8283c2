/**
 * Command line options as data. A table maps names (real spelling, without dashes) to facts; parsing, checking, `--help` and the type of
 * the result all follow from it. Both programs share this machinery.
 */

/** What each kind of option yields. Durations are milliseconds; quantities are plain numbers. */
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
  /** `key=value,...` where `prefix:` may stand before the key; repeatable. Later values of a key win. */
  gates: Readonly<Record<string, string>>;
  /** Like a string, and naming the option alone means `true`. */
  version: string;
}

export type FlagKind = keyof ValueTypes;

export interface FlagFacts {
  readonly kind: FlagKind;
  /** null where "not given" differs from every value. */
  readonly default: ValueTypes[FlagKind] | null;
  readonly help: string;
  /** One letter, for `-v`. */
  readonly short?: string;
  /** What the value is called in help texts, where the kind says too little. */
  readonly value?: string;
  /** For a `value` of "file": this program does not read it at its start, so it need not be there. */
  readonly notRead?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** The only values accepted, for `string` and (each element) `strings`. */
  readonly oneOf?: readonly string[];
  /** For `map`: what a key stands for that comes without a value. Without it, there must be one. */
  readonly bare?: string;
  /** A rule for the value or each element: a complaint, or null. */
  readonly check?: (value: string) => string | null;
  /**
   * Set while the feature behind an option is not there: "none" is read, checked and otherwise ignored; "refused" ends the program, because
   * ignoring it would store or send data in a way that the operator did not ask for.
   */
  readonly effect?: 'none' | 'refused';
}

export interface Flag extends FlagFacts {
  readonly group: string;
}
export type FlagTable = Readonly<Record<string, Flag>>;

/** Puts a table's options under one heading of `--help`. */
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
/** The typed result of reading a command line by a table. */
export type FlagValues<T> = { readonly [N in keyof T]: ValueOf<T[N]> };
