/** The reference's bound on all warnings of a response: clients refuse large heads. */
const totalCharactersMax = 4 * 1024;
/** Each is cut to this length above the bound. */
const cutCharactersMax = 256;

export function warningHeaders(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '');
  let total = 0;
  const fitting = distinct.filter((text) => (total += characters(text)) <= totalCharactersMax);
  if (fitting.length === distinct.length) return distinct.map(headerOf);
  let written = 0;
  const cut: string[] = [];
  for (const text of distinct) {
    if (written >= totalCharactersMax) break;
    const shortened = characters(text) > cutCharactersMax ? [...text].slice(0, cutCharactersMax).join('') : text;
    written += characters(shortened);
    cut.push(headerOf(shortened));
  }
  return cut;
}

/** Code points, not units of UTF-16. */
const characters = (text: string): number => (/^[\0-\x7f]*$/.test(text) ? text.length : [...text].length);

/** RFC 9111, section 5.5. Clients of the reference expect UTF-8, and Node writes header characters as single bytes. */
const headerOf = (text: string): string => bytesOf(`299 - "${text.replace(controls, ' ').replace(/["\\]/g, '\\$&')}"`);
const controls = /[\u0000-\u001f\u007f-\u009f]/g;
const bytesOf = (text: string): string => (/^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1'));
