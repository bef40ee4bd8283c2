import { compileRegexp } from '../../../../workers/regexp/regexp.js';

/** What is wrong with a pattern, or null. Patterns are in the syntax of RE2. */
export function patternComplaint(pattern: string): string | null {
  const compiled = compileRegexp(pattern);
  return compiled.ok ? null : compiled.message;
}
