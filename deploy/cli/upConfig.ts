import fs from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { shapeProblems } from '../../program/files/configuration.js';
import { withLines } from '../../program/files/places.js';
import { fileSchema, type Shape } from '../../program/files/schema.js';
import { nodesMax } from '../nodes/node.js';
import { replicaCounts, type ReplicaCount } from '../settings.js';
import { errorText } from '../../api/errorText.js';

export const managersMax = 100;

interface UpConfig {
  readonly port?: number;
  readonly replicas?: ReplicaCount;
  readonly managers?: number;
  readonly nodes?: number;
  readonly apiserverFlags: readonly string[];
  readonly managerFlags: readonly string[];
}

const shape = {
  fields: {
    port: { from: 0, to: 65_535 },
    replicas: { oneOf: replicaCounts },
    managers: { from: 0, to: managersMax },
    nodes: { from: 0, to: nodesMax },
    apiserverFlags: 'texts',
    managerFlags: 'texts',
  },
} as const satisfies Shape;

/** Throws with the file's name and every error. */
export function readUpConfig(file: string): UpConfig {
  try {
    const text = fs.readFileSync(file, 'utf8');
    const document = (parse(text) ?? {}) as JsonObject;
    const problems = shapeProblems(document, shape);
    if (problems.length > 0) throw new Error(withLines(text, problems).join('; '));
    const given = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
    return { ...given, apiserverFlags: flagsIn(document['apiserverFlags']), managerFlags: flagsIn(document['managerFlags']) };
  } catch (error) {
    throw new Error(`${file} cannot be used: ${errorText(error)}`, { cause: error });
  }
}

const flagsIn = (flags: JsonValue | undefined): readonly string[] => [flags ?? []].flat().flatMap((flag) => parseFlag(String(flag)));

export const upConfigSchema = (): JsonObject => fileSchema('raftplane up --config', shape);

export function parseFlag(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^--[a-z0-9]/.test(text))
    throw new InvalidArgumentError(
      `${JSON.stringify(text)} is no flag: write it with its dashes and an equals sign, as in --apiserver-flag=--feature-gates=X=true`,
    );
  return [...before, text];
}
