import type { FieldRequirement, FieldSelector } from './selector.js';
import type { Parsed } from './parsed.js';

/**
 * Parses `field=value`, `field==value` or `field!=value` joined by commas; values escape `\`, `,` and `=` by a backslash. The resource decides which fields
 * exist.
 */
export function parseFieldSelector(text: string): Parsed<FieldSelector> {
  const requirements: FieldRequirement[] = [];
  for (const part of splitAtCommas(text).sort()) {
    if (part === '') continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
    if (match === null) return { ok: false, message: `invalid selector: '${text}'; can't understand '${part}'` };
    const [, field = '', operator, escaped = ''] = match;
    const value = unescapeFieldValue(escaped);
    if (!value.ok) return value;
    if (field === '' && value.value === '') continue;
    requirements.push({ field, equals: operator !== '!=', value: value.value });
  }
  return { ok: true, selector: requirements };
}

/** Parsing the result gives the same requirements, sorted. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.map(({ field, equals, value }) => `${field}${equals ? '=' : '!='}${value.replace(/[\\,=]/g, '\\$&')}`).join(',');
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function unescapeFieldValue(
  escaped: string,
): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string } {
  const characters = [...escaped];
  let value = '';
  for (let i = 0; i < characters.length; i++) {
    let character = characters[i] ?? '';
    if (character === ',' || character === '=')
      return { ok: false, message: `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}` };
    if (character === '\\') {
      character = characters[++i] ?? '';
      if (character === '' || !'\\,='.includes(character))
        return { ok: false, message: `invalid field selector: invalid escape sequence: \\${character}` };
    }
    value += character;
  }
  return { ok: true, value };
}
