import { commonFlags } from '../../program/flags/bothPrograms.js';
import type { FlagTable, FlagValues } from '../../program/flags/flag.js';
import { accessFlags } from './access.js';
import { auditFlags } from './audit.js';
import { gatesWith } from '../../program/features/gates.js';
import { featureFlagsOf } from '../../program/features/options.js';
import { limitFlags } from './limits.js';
import { servingFlags } from './serving.js';
import { storageFlags } from './storage.js';

/** Every option of the API server, in the order of `--help`. */
export const apiServerFlags = merge(
  commonFlags,
  featureFlagsOf(gatesWith('fields', 'server')),
  servingFlags,
  storageFlags,
  accessFlags,
  limitFlags,
  auditFlags,
);

/** The checked command line, with canonical option names. Durations are milliseconds. */
export type ApiServerOptions = FlagValues<typeof apiServerFlags>;

/** Groups options under their headings, in the order of first use, across programs. */
function merge<const T extends readonly FlagTable[]>(...tables: T): Merged<T> {
  const entries = tables.flatMap((table) => Object.entries(table));
  const headings = [...new Set(entries.map(([, { group }]) => group))];
  return Object.fromEntries(headings.flatMap((heading) => entries.filter(([, { group }]) => group === heading))) as Merged<T>;
}

type Merged<T extends readonly unknown[]> = T extends readonly [infer First, ...infer Rest] ? First & Merged<Rest> : unknown;
