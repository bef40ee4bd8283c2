import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { configurationProblems, readDocument, refuseConfiguration, type Shape } from '../../program/files/configuration.js';
import { kindSchema, type Fields, type KindOfConfiguration } from '../../program/files/schema.js';
import type { Flag, FlagKind } from '../../program/flags/flag.js';
import { cloudTree, durationText, isConstant, isDerived, managerTree, type ComponentTree } from './componentTree.js';
import { controllerManagerFlags, type ControllerManagerOptions } from './flags.js';
import { leaderMigrationKind } from './migration.js';
import { readControllerManagerOptions } from './read.js';

const shapes: Readonly<Record<FlagKind, Shape>> = {
  bool: 'bool',
  int: 'integer',
  float: 'number',
  string: 'text',
  duration: 'text',
  quantity: 'text',
  strings: { list: 'text' },
  repeated: { list: 'text' },
  map: 'object',
  gates: 'object',
  version: 'text',
};

const flagOf = (name: keyof ControllerManagerOptions): Flag => controllerManagerFlags[name];

const fieldsOf = (tree: ComponentTree): Fields =>
  Object.fromEntries(
    Object.entries(tree).map(([member, node]): [string, Shape] => {
      if (typeof node === 'string') return [member, shapes[flagOf(node).kind]];
      return [member, isConstant(node) || isDerived(node) ? node.shape : { fields: fieldsOf(node) }];
    }),
  );

const kindOf = (kind: string, group: string, tree: ComponentTree): KindOfConfiguration & { readonly tree: ComponentTree } => ({
  kind,
  apiVersions: [`${group}/v1alpha1`],
  fields: fieldsOf(tree),
  tree,
});

const componentKinds = [
  kindOf('KubeControllerManagerConfiguration', 'kubecontrollermanager.config.k8s.io', managerTree),
  kindOf('CloudControllerManagerConfiguration', 'cloudcontrollermanager.config.k8s.io', cloudTree),
] as const;
const kinds: readonly KindOfConfiguration[] = [...componentKinds, leaderMigrationKind];

/** Null for an unknown kind of file. */
export function componentSchema(name: string): string | null {
  const found = kinds.find(({ kind }) => kind === name);
  return found === undefined ? null : `${JSON.stringify(kindSchema(found), null, 2)}\n`;
}

export const componentSchemaNames: readonly string[] = kinds.map(({ kind }) => kind);

/** The command line that a configuration stands for. */
export interface ComponentFlags {
  /** Options with values that are not the default ones. */
  readonly flags: readonly string[];
  /** A sentence for each value that no option can have. */
  readonly notes: readonly string[];
}

/**
 * Reads a KubeControllerManagerConfiguration or CloudControllerManagerConfiguration, with defaults for absent members. Throws with every error and its line.
 */
export function readComponentFile(file: string): ComponentFlags {
  const what = 'controller-manager flags';
  const document = readDocument(file, what);
  const named = isObject(document) ? document['kind'] : null;
  const kind = componentKinds.find((each) => each.kind === named);
  if (kind === undefined || !isObject(document))
    return refuseConfiguration(file, what, [`must hold one of the kinds ${componentKinds.map((each) => each.kind).join(' and ')}`]);
  const value = { ...respelled(document, kind.fields), kind: kind.kind, apiVersion: document['apiVersion'] ?? '' };
  const problems = configurationProblems(value, kind);
  if (problems.length > 0) return refuseConfiguration(file, what, problems);
  const found = flagsOf(kind.tree, value, '');
  const read = readControllerManagerOptions(found.flags);
  return read.ok ? found : refuseConfiguration(file, what, read.errors);
}

/** The reference's decoder tells no small letters from capitals, either. */
function respelled(value: JsonObject, fields: Fields): JsonObject {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => {
      const name = names.get(member.toLowerCase()) ?? member;
      return [name, inner === undefined ? null : respelledIn(inner, fields[name])];
    }),
  );
}

function respelledIn(value: JsonValue, shape: Shape | undefined): JsonValue {
  if (typeof shape !== 'object') return value;
  if ('fields' in shape) return isObject(value) ? respelled(value, shape.fields) : value;
  return 'list' in shape && Array.isArray(value) ? value.map((item) => respelledIn(item, shape.list)) : value;
}

function flagsOf(tree: ComponentTree, value: JsonObject, at: string): ComponentFlags {
  const flags: string[] = [];
  const notes: string[] = [];
  for (const [member, node] of Object.entries(tree)) {
    const [given, path] = [value[member] ?? null, `${at}${member}`];
    if (given === null) continue;
    if (typeof node === 'string') {
      if (!isDefault(node, given)) flags.push(`--${node}=${String(given)}`);
    } else if (isConstant(node)) {
      if (JSON.stringify(node.is) !== JSON.stringify(given)) notes.push(`${path} is ${JSON.stringify(node.is)} here, whatever is given`);
    } else if (!isDerived(node)) {
      const inner = flagsOf(node, given as JsonObject, `${path}.`);
      flags.push(...inner.flags);
      notes.push(...inner.notes);
    } else if (member === 'LeaderMigration') notes.push(...migrationNotes(given as JsonObject, path));
  }
  if (typeof value['ServiceCIDR'] === 'string') flags.push(...serviceRanges(value));
  return { flags, notes };
}

/** Zero and empty text mean "not given" without a default. */
function isDefault(name: keyof ControllerManagerOptions, given: JsonValue): boolean {
  const { kind, default: usual } = flagOf(name);
  if (usual === null) return given === '' || given === 0;
  return kind === 'duration' ? given === durationText(usual as number) : JSON.stringify(usual) === JSON.stringify(given);
}

function serviceRanges({ ServiceCIDR: first, SecondaryServiceCIDR: second }: JsonObject): readonly string[] {
  const ranges = [first, second].filter((range) => typeof range === 'string' && range !== '');
  return ranges.length === 0 ? [] : [`--service-cluster-ip-range=${ranges.join(',')}`];
}

const migrationNotes = ({ LeaderName: name }: JsonObject, path: string): readonly string[] =>
  typeof name === 'string' && name !== ''
    ? [`${path} belongs into a file of kind ${leaderMigrationKind.kind}, which --leader-migration-config names`]
    : [];
