import { isObject } from '../../api/json/json.js';
import { readFileSync } from 'node:fs';
import { yamlCodec } from '../../workers/codecs/yaml.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { schemaErrors } from './checked.js';
import { withLines } from './places.js';
import { kindSchema, partSchema, type KindOfConfiguration, type Shape } from './schema.js';

export type { Shape } from './schema.js';

export interface ConfigurationKind extends KindOfConfiguration {
  readonly option: string;
}

const depthMax = 50;
const problemsMax = 20;

/** Reads YAML or JSON. Throws with option, file and every error. */
export function readConfiguration(file: string, wanted: ConfigurationKind): JsonObject {
  const value = readDocument(file, wanted.option);
  const problems = configurationProblems(value, wanted);
  return problems.length === 0 ? (value as JsonObject) : refuseConfiguration(file, wanted.option, problems);
}

/** Reads YAML or JSON of any kind. Throws with option and file, also for duplicate members. */
export function readDocument(file: string, option: string): JsonValue {
  const bytes = readBytes(file, (cause) => refuse(file, option, [`cannot be read: ${cause.message}`], cause));
  const result = yamlCodec.decode(bytes, { findDuplicates: true, depthMax });
  if (!result.ok) return refuse(file, option, [`is not YAML: ${result.message}`]);
  return result.duplicates.length === 0 ? (result.value as JsonValue) : refuse(file, option, result.duplicates);
}

/** Throws with every error and its line. Errors begin with a member's path, relative to `below`: `rules[0].level must be ...`. */
export function refuseConfiguration(file: string, option: string, problems: readonly string[], below = ''): never {
  return refuse(file, option, placed(file, problems.slice(0, problemsMax), below));
}

function placed(file: string, problems: readonly string[], below: string): readonly string[] {
  try {
    return withLines(readFileSync(file, 'utf8'), problems, below);
  } catch {
    return problems;
  }
}

function refuse(file: string, option: string, problems: readonly string[], cause?: unknown): never {
  throw new Error(`${option}: ${file} ${problems.slice(0, problemsMax).join('; ')}`, { cause });
}

/** Returns the errors, by the paths of their members. */
export function configurationProblems(value: JsonValue, wanted: KindOfConfiguration): readonly string[] {
  const { kind, apiVersions } = wanted;
  if (!isObject(value) || value['kind'] !== kind || !apiVersions.includes(String(value['apiVersion'])))
    return [`must hold kind ${kind} of apiVersion ${apiVersions.join(' or ')}`];
  return schemaErrors(value, wanted, () => kindSchema(wanted));
}

/** Tells these errors from others, for files in which they only earn a warning. */
export const isUnknownMember = (problem: string): boolean => / is unknown(?: \(did you mean .*\))?$/.test(problem);

/** `shape` must be the same object at each call. */
export const shapeProblems = (value: JsonValue, shape: Exclude<Shape, string>): readonly string[] =>
  schemaErrors(value, shape, () => partSchema(shape));

function readBytes(file: string, fail: (cause: Error) => never): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    return fail(cause as Error);
  }
}
