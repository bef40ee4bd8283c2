import { readFileSync } from 'node:fs';
import path from 'node:path';
import { yamlCodec } from '../../workers/codecs/yaml.js';
import type { JsonObject, JsonValue } from '../api/object.js';
import { isKnownPlugin } from './names.js';

/** What the operator says for single plug-ins, by name. */
export type PluginConfigurations = ReadonlyMap<string, JsonObject>;

const versions: ReadonlySet<string> = new Set(['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1alpha1']);
const depthMax = 100;

/**
 * Reads the file of `--admission-control-config-file` and the files that it names, relative to itself. Throws with the file and what is
 * wrong with it: a configuration that is not understood must not leave a plug-in running with other rules than its operator thinks.
 */
export function readPluginConfigurations(file: string): PluginConfigurations {
  const document = readDocument(file);
  const { apiVersion, kind, plugins } = document;
  if (kind !== 'AdmissionConfiguration' || typeof apiVersion !== 'string' || !versions.has(apiVersion)) {
    throw new Error(`${file} must hold an AdmissionConfiguration of apiserver.config.k8s.io/v1`);
  }
  if (plugins !== undefined && plugins !== null && !Array.isArray(plugins)) throw new Error(`${file}: plugins must be a list`);
  const found = new Map<string, JsonObject>();
  for (const entry of plugins ?? []) {
    const { name, configuration } = pluginOf(entry, file);
    if (found.has(name)) throw new Error(`${file}: plugin ${name} is configured twice`);
    if (configuration !== null) found.set(name, configuration);
  }
  return found;
}

function pluginOf(entry: JsonValue, file: string): { readonly name: string; readonly configuration: JsonObject | null } {
  if (!isObject(entry) || typeof entry['name'] !== 'string' || entry['name'] === '') throw new Error(`${file}: each plugin needs a name`);
  const { name, configuration, path: other } = entry;
  if (!isKnownPlugin(name)) throw new Error(`${file}: admission plugin ${JSON.stringify(name)} is unknown`);
  if (isObject(configuration)) return { name, configuration };
  if (configuration !== undefined && configuration !== null) throw new Error(`${file}: the configuration of ${name} must be an object`);
  if (other === undefined || other === null || other === '') return { name, configuration: null };
  if (typeof other !== 'string') throw new Error(`${file}: the path of ${name} must be a text`);
  return { name, configuration: readDocument(path.resolve(path.dirname(file), other)) };
}

function readDocument(file: string): JsonObject {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new Error(`cannot read ${file} (--admission-control-config-file)`, { cause });
  }
  const result = yamlCodec.decode(bytes, { findDuplicates: true, depthMax });
  if (!result.ok) throw new Error(`${file}: ${result.message}`);
  if (result.duplicates.length > 0) throw new Error(`${file}: ${result.duplicates.join(', ')}`);
  const value = result.value as JsonValue;
  if (!isObject(value)) throw new Error(`${file} must hold an object`);
  return value;
}

const isObject = (value: JsonValue | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
