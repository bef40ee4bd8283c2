/**
 * Patterns are in the syntax of RE2. What differs from ours: flags in front of a group, another spelling of named groups, ends of text, classes in
 * double brackets, and texts in `\Q...\E`. These are rewritten to what we can check; look-around and back references, which RE2 has not, are refused.
 */

const LACKING = /\(\?(?:[=!]|<[=!])|\\[1-9]/;

/** What is wrong with a pattern, or null. */
export function patternComplaint(pattern: string): string | null {
  const lacking = LACKING.exec(pattern);
  if (lacking !== null) return `error parsing regexp: invalid or unsupported Perl syntax: \`${lacking[0]}\``;
  try {
    new RegExp(inOurSyntax(pattern), 'u');
    return null;
  } catch {
    return acceptedLoosely(pattern) ? null : `error parsing regexp: invalid pattern: \`${pattern}\``;
  }
}

const inOurSyntax = (pattern: string): string => pattern
  .replace(/\\Q(.*?)(?:\\E|$)/gs, (_, text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  .replace(/\(\?P</g, '(?<').replace(/\(\?[imsU-]+:/g, '(?:').replace(/\(\?[imsU-]+\)/g, '')
  .replace(/\\[Az]/g, '').replace(/\[:\^?[a-z]+:\]/g, 'a').replace(/\\([pP])([A-Z])/g, '\\$1{$2}');

/** Escapes that mean themselves (`\-`, `\_`) are fine in RE2 and without our strict flag. */
function acceptedLoosely(pattern: string): boolean {
  try {
    new RegExp(inOurSyntax(pattern));
    return true;
  } catch {
    return false;
  }
}
