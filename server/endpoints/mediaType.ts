/** A token of RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const parameter = /^\s*;\s*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[^"\\\r\n]|\\[^\r\n])*")\s*)?/;

/** Returns the type in lower case without parameters; null for a broken or repeated parameter, which makes the type unknown (RFC 9110, section 8.3.1). */
export function mediaTypeOf(header: string): string | null {
  const end = header.indexOf(';');
  const mediaType = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const [type = '', subtype = '', ...more] = mediaType.split('/');
  if (!token.test(type) || !token.test(subtype) || more.length > 0) return null;
  return end < 0 || hasParameters(header.slice(end)) ? mediaType : null;
}

/** A trailing semicolon without a parameter is harmless. */
function hasParameters(text: string): boolean {
  const names = new Set<string>();
  let rest = text;
  while (rest !== '') {
    const match = parameter.exec(rest);
    if (match === null) return false;
    const name = match[1]?.toLowerCase();
    rest = rest.slice(match[0].length);
    if (name === undefined) return rest === '';
    if (names.has(name)) return false;
    names.add(name);
  }
  return true;
}
