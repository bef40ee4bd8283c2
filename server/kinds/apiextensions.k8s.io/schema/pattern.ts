import { compileRegexp } from '../../../../workers/regexp/regexp.js';

/** Returns the error of a pattern in RE2 syntax, or null. */
export function patternProblem(pattern: string): string | null {
  const compiled = compileRegexp(pattern);
  return compiled.ok ? null : compiled.message;
}
