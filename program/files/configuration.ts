import { isObject } from '../../api/json/json.js';
import { readFileSync } from 'node:fs';
import { yamlCodec } from '../../workers/codecs/yaml.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { closest } from '../flags/suggest.js';
import { withLines } from './places.js';

/** The schema of a configuration; unknown members are refused. The contents of an `object` are not checked. */
export type Shape =
  | 'text'
  | 'bool'
  | 'integer'
  | 'object'
  | { readonly oneOf: readonly string[] }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

export interface ConfigurationKind {
  readonly option: string;
  readonly kind: string;
  readonly apiVersions: readonly string[];
  readonly fields: Readonly<Record<string, Shape>>;
}

const depthMax = 50;
const complaintsMax = 20;

/** Reads a configuration file in YAML or JSON. Throws with option, file and every error: a misspelt word must not be ignored. */
export function readConfiguration(file: string, wanted: ConfigurationKind): JsonObject {
  const value = readDocument(file, wanted.option);
  const complaints = configurationComplaints(value, wanted);
  return complaints.length === 0 ? (value as JsonObject) : refuseConfiguration(file, wanted.option, complaints);
}

/** Reads a file of any kind in YAML or JSON. Throws with option and file, also for duplicate members. */
export function readDocument(file: string, option: string): JsonValue {
  const bytes = readBytes(file, (cause) => refuse(file, option, [`cannot be read: ${cause.message}`], cause));
  const result = yamlCodec.decode(bytes, { findDuplicates: true, depthMax });
  if (!result.ok) return refuse(file, option, [`is not YAML: ${result.message}`]);
  return result.duplicates.length === 0 ? (result.value as JsonValue) : refuse(file, option, result.duplicates);
}

/**
 * Throws with option, file and all errors, each with its line. An error begins with the path of a member, `rules[0].level must be ...`; `below` is the path
 * that these are relative to.
 */
export function refuseConfiguration(file: string, option: string, complaints: readonly string[], below = ''): never {
  return refuse(file, option, placed(file, complaints.slice(0, complaintsMax), below));
}

/** A file that has changed or gone since has no lines to report. */
function placed(file: string, complaints: readonly string[], below: string): readonly string[] {
  try {
    return withLines(readFileSync(file, 'utf8'), complaints, below);
  } catch {
    return complaints;
  }
}

function refuse(file: string, option: string, complaints: readonly string[], cause?: unknown): never {
  throw new Error(`${option}: ${file} ${complaints.slice(0, complaintsMax).join('; ')}`, { cause });
}

/** Returns the errors of a parsed document: a kind other than `wanted`, or each member of the wrong shape, by its path. Pure. */
export function configurationComplaints(
  value: JsonValue,
  { kind, apiVersions, fields }: Omit<ConfigurationKind, 'option'>,
): readonly string[] {
  if (!isObject(value) || value['kind'] !== kind || !apiVersions.includes(String(value['apiVersion'])))
    return [`must hold kind ${kind} of apiVersion ${apiVersions.join(' or ')}`];
  return shapeErrors(value, { fields: { apiVersion: 'text', kind: 'text', ...fields } }, '');
}

/** Returns the errors of a part of a configuration that has no kind, each by its path. Pure. */
export const shapeComplaints = (value: JsonValue, shape: Shape): readonly string[] => shapeErrors(value, shape, '');

function readBytes(file: string, fail: (cause: Error) => never): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    return fail(cause as Error);
  }
}

function shapeErrors(value: JsonValue | undefined, shape: Shape, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (shape === 'text') return typeof value === 'string' ? [] : [`${path} must be a text`];
  if (shape === 'bool') return typeof value === 'boolean' ? [] : [`${path} must be true or false`];
  if (shape === 'integer') return Number.isSafeInteger(value) ? [] : [`${path} must be a whole number`];
  if (shape === 'object') return isObject(value) ? [] : [`${path} must be an object`];
  if ('oneOf' in shape)
    return shape.oneOf.includes(value as string)
      ? []
      : [`${path} must be one of ${shape.oneOf.join(', ')}, not ${JSON.stringify(String(value))}`];
  if ('list' in shape)
    return Array.isArray(value)
      ? value.flatMap((item, index) => shapeErrors(item, shape.list, `${path}[${index}]`))
      : [`${path} must be a list`];
  if (!isObject(value)) return [`${path} must be an object`];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    return known === undefined ? [`${at} is unknown${suggestion(name, shape.fields)}`] : shapeErrors(member, known, at);
  });
}

function suggestion(name: string, fields: Readonly<Record<string, Shape>>): string {
  const meant = closest(name, Object.keys(fields));
  return meant === null ? '' : ` (did you mean ${meant}?)`;
}
