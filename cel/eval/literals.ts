import type { Expression } from '../check/parser.js';
import { int, uint } from './numbers.js';
import { Failure, type Value } from './values.js';

type Literal = Extract<Expression, { kind: 'literal' }>;

const controls: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const escapes = /\\(?:([abfnrtv])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;

const tooLarge = new Failure('double overflow');

/** A sign belongs to its number, since the smallest integer has no positive counterpart. */
export function literalValue({ type, text }: Literal): Value {
  switch (type) {
    case 'null':
      return null;
    case 'bool':
      return text === 'true';
    case 'int':
      return int(text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text));
    case 'uint':
      return uint(BigInt(text.slice(0, -1)));
    case 'double':
      return Number.isFinite(Number(text)) ? Number(text) : tooLarge;
    case 'string':
      return stringOf(text);
    case 'bytes':
      return bytesOf(text);
  }
}

function unquoted(text: string): { readonly raw: boolean; readonly content: string } {
  const prefix = /^[rRbB]*/.exec(text)?.[0] ?? '';
  const quoted = text.slice(prefix.length);
  const width = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  return { raw: /r/i.test(prefix), content: quoted.slice(width, -width) };
}

function stringOf(text: string): Value {
  const { raw, content } = unquoted(text);
  if (raw) return content;
  let wrong = false;
  const value = content.replace(escapes, (...match: readonly (string | undefined)[]) => {
    const [, control, hex, short, long, octal, itself] = match;
    if (control !== undefined) return controls[control] ?? '';
    if (itself !== undefined) return itself;
    const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? '', 16);
    if (code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code);
    wrong = true;
    return '';
  });
  return wrong ? new Failure('invalid unicode code point') : value;
}

/** Escapes in bytes are single bytes, other characters UTF-8; code points cannot be escaped. */
function bytesOf(text: string): Value {
  const { raw, content } = unquoted(text);
  if (raw) return Buffer.from(content);
  const parts: Buffer[] = [];
  let at = 0;
  for (const match of content.matchAll(escapes)) {
    const [whole, control, hex, short, long, octal, itself] = match;
    if (short !== undefined || long !== undefined) return new Failure('unable to unescape string');
    parts.push(Buffer.from(content.slice(at, match.index)));
    if (hex !== undefined || octal !== undefined)
      parts.push(Buffer.from([octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? '', 16)]));
    else parts.push(Buffer.from(control !== undefined ? (controls[control] ?? '') : (itself ?? '')));
    at = match.index + whole.length;
  }
  parts.push(Buffer.from(content.slice(at)));
  return new Uint8Array(Buffer.concat(parts));
}
