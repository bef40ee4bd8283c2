import type { FlagTable } from '../../program/flags/flag.js';
import { parseFlags } from '../../program/flags/parse.js';
import { contradictions } from './contradictions.js';
import { apiServerFlags, type ApiServerOptions } from './flags.js';

export type OptionsResult =
  | {
      readonly ok: true;
      readonly options: ApiServerOptions;
      /** Given options without effect in this build, for the log. */
      readonly withoutEffect: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Reads and checks a command line (without program names), without reading files. */
export function readApiServerOptions(argv: readonly string[]): OptionsResult {
  const parsed = parseFlags(apiServerFlags, argv);
  if (!parsed.ok) return parsed;
  const { values: options, given } = parsed;
  if (options.help || options.version === 'true' || options.version === 'raw') return { ok: true, options, withoutEffect: [] };
  const errors = contradictions(options, given);
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, options, withoutEffect: [...given].filter((name) => (apiServerFlags as FlagTable)[name]?.withoutEffect) };
}
