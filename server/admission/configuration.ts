import { isObject } from '../../api/json.js';
import path from 'node:path';
import type { JsonObject } from '../api/object.js';
import { configurationComplaints, readConfiguration, readDocument, type ConfigurationKind } from '../files/configuration.js';
import { itemsOf, membersOf, textAt } from '../registry/members.js';
import { isKnownPlugin } from './names.js';

/** What the operator says for single plug-ins, by name. */
export type PluginConfigurations = ReadonlyMap<string, JsonObject>;

/** The kind that a plug-in reads its rules from. */
export type PluginKind = Omit<ConfigurationKind, 'option'>;

const option = '--admission-control-config-file';
const admission: ConfigurationKind = {
  option: option,
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1alpha1'],
  fields: { plugins: { list: { fields: { name: 'text', path: 'text', configuration: 'object' } } } },
};

/**
 * Reads the file of `--admission-control-config-file` and the files that it names, relative to itself. Throws with the file and what is
 * wrong with it: a configuration that is not understood must not leave a plug-in running with other rules than its operator thinks.
 */
export function readPluginConfigurations(file: string): PluginConfigurations {
  const found = new Map<string, JsonObject>();
  const named = new Set<string>();
  for (const entry of itemsOf(readConfiguration(file, admission)['plugins'])) {
    const { name, configuration } = pluginOf(membersOf(entry), file);
    if (named.has(name)) throw new Error(`${option}: ${file} configures plugin ${name} twice`);
    named.add(name);
    if (configuration !== null) found.set(name, configuration);
  }
  return found;
}

function pluginOf(entry: JsonObject, file: string): { readonly name: string; readonly configuration: JsonObject | null } {
  const [name, other] = [textAt(entry, 'name'), textAt(entry, 'path')];
  if (name === '') throw new Error(`${option}: ${file}: each plugin needs a name`);
  if (!isKnownPlugin(name)) throw new Error(`${option}: ${file}: admission plugin ${JSON.stringify(name)} is unknown`);
  const inline = entry['configuration'] ?? null;
  if (inline !== null) return { name, configuration: membersOf(inline) };
  return { name, configuration: other === '' ? null : objectIn(path.resolve(path.dirname(file), other)) };
}

function objectIn(file: string): JsonObject {
  const value = readDocument(file, option);
  if (!isObject<JsonObject>(value)) throw new Error(`${option}: ${file} must hold an object`);
  return value;
}

/** Throws when a plug-in's rules are of another kind, or say something that is not understood: then it would run with rules that nobody wrote. */
export function checkPluginConfiguration(plugin: string, configuration: JsonObject, kind: PluginKind): void {
  const complaints = configurationComplaints(configuration, kind);
  if (complaints.length > 0) throw new Error(`${option}: the configuration of ${plugin} ${complaints.join('; ')}`);
}
