import { closest } from '../../program/flags/suggest.js';
import { isKnownPlugin, knownPlugins } from '../admission/names.js';
import { isAvailablePlugin } from '../admission/plugins.js';
import type { ApiServerOptions } from './flags.js';

type Choice = Pick<ApiServerOptions, 'enable-admission-plugins' | 'disable-admission-plugins'>;

/** Returns the error in the choice of admission plugins, or null. Ignoring a name could omit a guard. */
export function admissionProblem(options: Choice): string | null {
  const { 'enable-admission-plugins': enable, 'disable-admission-plugins': disable } = options;
  const unknown = (['enable-admission-plugins', 'disable-admission-plugins'] as const).flatMap((option) =>
    options[option]
      .filter((name) => !isKnownPlugin(name))
      .map((name) => `--${option}: plugin ${JSON.stringify(name)} is unknown${suggestion(name)}`),
  );
  if (unknown.length > 0) return unknown.join('; ');
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) return `--enable-admission-plugins and --disable-admission-plugins both name ${both.join(', ')}`;
  const missing = enable.filter((name) => !isAvailablePlugin(name));
  return missing.length > 0 ? `--enable-admission-plugins=${missing.join(',')} is not available in this build; leave it out` : null;
}

function suggestion(name: string): string {
  const meant = closest(
    name,
    knownPlugins.map((each) => each.name),
  );
  return meant === null ? '' : `; did you mean ${meant}?`;
}
