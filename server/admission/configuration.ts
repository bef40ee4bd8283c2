import { isObject } from '../../api/json/json.js';
import path from 'node:path';
import type { JsonObject } from '../../api/object.js';
import {
  configurationProblems,
  readConfiguration,
  readDocument,
  refuseConfiguration,
  type ConfigurationKind,
} from '../../program/files/configuration.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';
import { isKnownPlugin } from './names.js';

/** The operator's configuration of plugins, by name. */
export type PluginConfigurations = ReadonlyMap<string, JsonObject>;

export type PluginKind = Omit<ConfigurationKind, 'option'>;

const option = '--admission-control-config-file';
export const admissionKind: ConfigurationKind = {
  option,
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1alpha1'],
  fields: { plugins: { list: { fields: { name: 'text', path: 'text', configuration: 'object' } } } },
};

/**
 * Reads the file of `--admission-control-config-file` and the files named in it, relative to itself. Throws with file and error: an invalid configuration must
 * not give a plugin unintended rules.
 */
export function readPluginConfigurations(file: string): PluginConfigurations {
  const found = new Map<string, JsonObject>();
  const named = new Set<string>();
  for (const [position, entry] of itemsOf(readConfiguration(file, admissionKind)['plugins']).entries()) {
    const { name, configuration } = pluginOf(membersOf(entry), file, `plugins[${position}]`);
    if (named.has(name)) throw new Error(`${option}: ${file} configures plugin ${name} twice`);
    named.add(name);
    if (configuration !== null) found.set(name, configuration);
  }
  return found;
}

function pluginOf(entry: JsonObject, file: string, at: string): { readonly name: string; readonly configuration: JsonObject | null } {
  const [name, other] = [textAt(entry, 'name'), textAt(entry, 'path')];
  if (name === '') refuseConfiguration(file, option, [`${at}.name must be there`]);
  if (!isKnownPlugin(name)) refuseConfiguration(file, option, [`${at}.name: admission plugin ${JSON.stringify(name)} is unknown`]);
  const inline = entry['configuration'] ?? null;
  if (inline !== null) {
    const configuration = membersOf(inline);
    origins.set(configuration, { file, below: `${at}.configuration` });
    return { name, configuration };
  }
  return { name, configuration: other === '' ? null : objectIn(path.resolve(path.dirname(file), other)) };
}

function objectIn(file: string): JsonObject {
  const value = readDocument(file, option);
  if (!isObject<JsonObject>(value)) throw new Error(`${option}: ${file} must hold an object`);
  origins.set(value, { file, below: '' });
  return value;
}

/** Positions of plugin configurations, so that errors show their line. */
const origins = new WeakMap<JsonObject, { readonly file: string; readonly below: string }>();

/** Throws for another kind or an invalid configuration, with which the plugin would run under unintended rules. */
export function checkPluginConfiguration(plugin: string, configuration: JsonObject, kind: PluginKind): void {
  const problems = configurationProblems(configuration, kind);
  if (problems.length === 0) return;
  const origin = origins.get(configuration);
  if (origin !== undefined) refuseConfiguration(origin.file, `${option}: the configuration of ${plugin}`, problems, origin.below);
  throw new Error(`${option}: the configuration of ${plugin} ${problems.join('; ')}`);
}
