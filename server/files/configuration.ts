import { readFileSync } from 'node:fs';
import { yamlCodec } from '../../workers/codecs/yaml.js';
import type { JsonObject, JsonValue } from '../api/object.js';

/** What a configuration may look like; members that are not named are refused. */
export type Shape = 'text' | 'bool' | 'integer' | { readonly list: Shape } | { readonly fields: Readonly<Record<string, Shape>> };

export interface ConfigurationKind {
  /** The option that names the file, for messages. */
  readonly option: string;
  readonly kind: string;
  readonly apiVersions: readonly string[];
  readonly fields: Readonly<Record<string, Shape>>;
}

const depthMax = 50;
const complaintsMax = 20;

/** Reads a configuration file in YAML or JSON. Throws with option, file and everything that is wrong: a word that is misspelt must not be ignored. */
export function readConfiguration(file: string, { option, kind, apiVersions, fields }: ConfigurationKind): JsonObject {
  const fail = (what: string, cause?: unknown): never => { throw new Error(`${option}: ${file} ${what}`, { cause }); };
  const bytes = readBytes(file, (cause) => fail(`cannot be read: ${cause.message}`, cause));
  const result = yamlCodec.decode(bytes, { findDuplicates: true, depthMax });
  if (!result.ok) return fail(`is not YAML: ${result.message}`);
  const value = result.value as JsonValue;
  if (!isObject(value) || value['kind'] !== kind || !apiVersions.includes(String(value['apiVersion']))) return fail(`must hold kind ${kind} of apiVersion ${apiVersions.join(' or ')}`);
  const complaints = [...result.duplicates, ...misfits(value, { fields: { apiVersion: 'text', kind: 'text', ...fields } }, '')];
  return complaints.length === 0 ? value : fail(complaints.slice(0, complaintsMax).join('; '));
}

function readBytes(file: string, fail: (cause: Error) => never): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    return fail(cause as Error);
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null stands for what is left out. */
function misfits(value: JsonValue | undefined, shape: Shape, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (shape === 'text') return typeof value === 'string' ? [] : [`${path} must be a text`];
  if (shape === 'bool') return typeof value === 'boolean' ? [] : [`${path} must be true or false`];
  if (shape === 'integer') return Number.isSafeInteger(value) ? [] : [`${path} must be a whole number`];
  if ('list' in shape) return Array.isArray(value) ? value.flatMap((item, index) => misfits(item, shape.list, `${path}[${index}]`)) : [`${path} must be a list`];
  if (!isObject(value)) return [`${path} must be an object`];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    return known === undefined ? [`${at} is unknown`] : misfits(member, known, at);
  });
}
