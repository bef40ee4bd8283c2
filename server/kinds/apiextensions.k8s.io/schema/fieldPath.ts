import { isSet } from '../../language.js';
import { propertyOf, propertiesOf, restSchemaOf, type Schema } from './nodes.js';

/** Paths such as `.spec.color` or `.spec['a.b']` from a schema to that of a field. */
export type Resolved =
  /** `schema` is null below an untyped map. */
  | { readonly ok: true; readonly names: readonly string[]; readonly schema: Schema | null }
  | { readonly ok: false; readonly problem: string };

const end = 'unexpected end of JSON path';
const absent = 'does not refer to a valid field';
const token = /[.[\]]|'(?:[^'\\]|\\.)*'|'.*$|[^.[\]]+/gs;
const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' };

const refused = (problem: string): Resolved => ({ ok: false, problem });

/** `brackets`: `['name']` is allowed as well as `.name`. */
export function resolvePath(text: string, schema: Schema, brackets: boolean): Resolved {
  const tokens = text.match(token) ?? [];
  let current: Schema | null = schema;
  const names: string[] = [];
  for (let position = 0; position < tokens.length;) {
    const token = tokens[position] ?? '';
    if (token !== '.' && token !== '[') return refused(`expected [ or . but got: ${token}`);
    if (token === '[' && !brackets) return refused('array notation is not allowed');
    const name = token === '.' ? plainName(tokens[position + 1]) : quotedName(tokens[position + 1]);
    if (!name.ok) return name;
    const next = stepInto(current, name.name);
    if (next === undefined) return refused(absent);
    // Checked last: the content of the brackets may be wrong first.
    const close = tokens[position + 2];
    if (token === '[' && close !== ']') return refused(close === undefined ? end : `expected ] but got ${close}`);
    names.push(name.name);
    current = next;
    position += token === '.' ? 2 : 3;
  }
  return { ok: true, names, schema: current };
}

type Name = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

const plainName = (token: string | undefined): Name => (token === undefined ? { ok: false, problem: end } : { ok: true, name: token });

function quotedName(token: string | undefined): Name {
  if (token === undefined) return { ok: false, problem: end };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { ok: false, problem: `expected single quoted string but got ${token}` };
  const unknown = (token.match(/\\./g) ?? []).find((escape) => escapes[escape.slice(1)] === undefined);
  if (unknown !== undefined) return { ok: false, problem: `invalid string literal: invalid escape char ${unknown}` };
  return { ok: true, name: token.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter) };
}

function stepInto(schema: Schema | null, name: string): Schema | null | undefined {
  if (schema === null) return undefined;
  if (propertiesOf(schema).length > 0) return propertyOf(schema, name) ?? undefined;
  return isSet(schema.additionalProperties) ? restSchemaOf(schema) : undefined;
}
