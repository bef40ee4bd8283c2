/**
 * Orders resource versions: decimal revisions of one counter, which clients may compare within a resource type. Anything else (another server's opaque
 * version) counts as newer, so that it is never held back.
 */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (!version || !than || !isDecimal(version) || !isDecimal(than)) return false;
  return version.length !== than.length ? version.length < than.length : version < than;
}

const isDecimal = (text: string): boolean => /^(0|[1-9]\d*)$/.test(text);
