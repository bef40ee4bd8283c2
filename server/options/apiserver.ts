import { commonFlags } from '../catalogue/flags/bothPrograms.js';
import type { FlagTable, FlagValues } from '../catalogue/flags/flag.js';
import { parseFlags } from '../catalogue/flags/parse.js';
import { accessFlags } from './access.js';
import { auditFlags } from './audit.js';
import { contradictions } from './contradictions.js';
import { featureFlags } from './features.js';
import { limitFlags } from './limits.js';
import { servingFlags } from './serving.js';
import { storageFlags } from './storage.js';

/** Every option of the API server, in the order of `--help`. */
export const apiServerFlags = merge(commonFlags, featureFlags, servingFlags, storageFlags, accessFlags, limitFlags, auditFlags);

/** The command line, read and checked: each option under its real name. Durations are milliseconds. */
export type ApiServerOptions = FlagValues<typeof apiServerFlags>;

export type OptionsResult =
  | {
      readonly ok: true;
      readonly options: ApiServerOptions;
      /** Options that were given and change nothing in this build; the log should say so. */
      readonly withoutEffect: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Reads and checks a command line (without program names). Touches nothing: whether files can be read shows when they are. */
export function readApiServerOptions(argv: readonly string[]): OptionsResult {
  const parsed = parseFlags(apiServerFlags, argv);
  if (!parsed.ok) return parsed;
  const { values: options, given } = parsed;
  if (options.help || options.version === 'true' || options.version === 'raw') return { ok: true, options, withoutEffect: [] };
  const errors = [...unavailable(apiServerFlags, given), ...contradictions(options, given)];
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, options, withoutEffect: [...given].filter((name) => (apiServerFlags as FlagTable)[name]?.effect === 'none') };
}

/** Ignoring these would keep or send data in a way that was not asked for. */
function unavailable(table: FlagTable, given: ReadonlySet<string>): string[] {
  return [...given]
    .filter((name) => table[name]?.effect === 'refused')
    .map((name) => `--${name} is not available in this build; leave it out`);
}

/** Options keep one heading each, also where a program adds its own to a common one: their order follows the first use of the heading. */
function merge<const T extends readonly FlagTable[]>(...tables: T): Merged<T> {
  const entries = tables.flatMap((table) => Object.entries(table));
  const headings = [...new Set(entries.map(([, { group }]) => group))];
  return Object.fromEntries(headings.flatMap((heading) => entries.filter(([, { group }]) => group === heading))) as Merged<T>;
}

type Merged<T extends readonly unknown[]> = T extends readonly [infer First, ...infer Rest] ? First & Merged<Rest> : unknown;
