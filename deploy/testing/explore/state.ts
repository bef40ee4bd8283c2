import type { KubeObject, OwnerReference } from '../../../api/meta/object.js';

interface WithAddresses extends KubeObject {
  readonly spec?: { readonly clusterIPs?: readonly string[]; readonly volumes?: readonly { readonly name: string }[] };
  readonly status?: { readonly podIPs?: readonly { readonly ip: string }[] };
}

/** Objects by name, and their leaves by path, without versions, uids and times. */
export type State = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

export interface Difference {
  /** `v1 ConfigMap default/one` */
  readonly object: string;
  /** `data.text`; empty for a missing or unexpected object. */
  readonly path: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

export type Noise = ReadonlySet<string>;

export const ownAnnotation = 'explore.raftplane.dev/foreign';

/** Kinds that are written by a clock, named by chance (an IPAddress is a Service's random address), or a history. */
export const uncompared: ReadonlySet<string> = new Set(['ControllerRevision', 'Event', 'IPAddress', 'Lease']);
/** Controllers write the second by chance. */
const uncomparedAnnotations: ReadonlySet<string> = new Set([ownAnnotation, 'endpoints.kubernetes.io/last-change-trigger-time']);
const volatile: ReadonlySet<string> = new Set(['resourceVersion', 'uid', 'creationTimestamp', 'generation', 'managedFields', 'selfLink']);
const controllers = 'kube-controller-manager';
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function withoutOrphans(objects: readonly KubeObject[]): readonly KubeObject[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const kept = objects.filter(({ metadata: { ownerReferences = [] } }) => {
    const owners: readonly OwnerReference[] = ownerReferences;
    return owners.length === 0 || owners.some(({ uid }) => uids.has(uid));
  });
  return kept.length === objects.length ? objects : withoutOrphans(kept);
}

export function awaitingRemoval(objects: readonly KubeObject[]): boolean {
  const kept = new Set(withoutOrphans(objects));
  const isCompared = ({ kind = '', metadata: { finalizers = [] } }: KubeObject): boolean =>
    !uncompared.has(kind) && finalizers.length === 0;
  return objects.some((object) => !kept.has(object) && isCompared(object));
}

/** Objects that controllers alone wrote and the state lacks: late writes about what the last reset deleted. */
export function straysIn(objects: readonly KubeObject[], state: State): readonly KubeObject[] {
  const ofControllers = ({ kind = '', metadata: { managedFields = [] } }: KubeObject): boolean =>
    !uncompared.has(kind) && managedFields.length > 0 && managedFields.every(({ manager }) => manager === controllers);
  return withoutOrphans(objects).filter((object) => ofControllers(object) && !state.has(nameOf(object)));
}

export const nameOf = ({ apiVersion = '', kind = '', metadata: { namespace, name = '' } }: KubeObject, called = name): string =>
  `${apiVersion} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${called}`;

/** Generated names become `prefix*1`, `prefix*2` by age. */
function stableNames(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  const byAge = (a: KubeObject, b: KubeObject): number =>
    `${a.metadata.creationTimestamp} ${a.metadata.name}`.localeCompare(`${b.metadata.creationTimestamp} ${b.metadata.name}`);
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  for (const object of objects.filter(({ metadata }) => metadata.generateName).sort(byAge)) {
    const { generateName = '', name = '' } = object.metadata;
    const prefix = nameOf(object, generateName);
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    names.set(name, `${generateName}*${counts.get(prefix)}`);
  }
  return names;
}

export function stateOf(objects: readonly KubeObject[]): State {
  const shown = withoutOrphans(objects).filter(({ kind = '' }) => !uncompared.has(kind));
  const names = stableNames(shown);
  const replaced = new Map<string, string>(names);
  for (const object of shown) {
    const called = nameOf(object, names.get(object.metadata.name ?? ''));
    replaced.set(object.metadata.uid ?? '', `uid of ${called}`);
    for (const address of addressesOf(object)) replaced.set(address, `address of ${called}`);
    for (const volume of tokenVolumesOf(object)) replaced.set(volume, 'kube-api-access-*');
  }
  return new Map(
    shown
      .map((object) => [nameOf(object, names.get(object.metadata.name ?? '')), leavesOf(object, replaced)] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}

function addressesOf({ kind, spec, status }: WithAddresses): readonly string[] {
  if (kind === 'Pod') return (status?.podIPs ?? []).map(({ ip }) => ip);
  return kind === 'Service' ? (spec?.clusterIPs ?? []).filter((address) => address !== 'None') : [];
}

const tokenVolumesOf = ({ kind, spec }: WithAddresses): readonly string[] =>
  kind === 'Pod' ? (spec?.volumes ?? []).flatMap(({ name }) => (/^kube-api-access-\w{5}$/.test(name) ? [name] : [])) : [];

/** Equal for objects that differ in versions and times alone. */
export const contentOf = (object: KubeObject): string => JSON.stringify([...leavesOf(object, new Map())]);

function leavesOf(object: KubeObject, replaced: ReadonlyMap<string, string>): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'string') leaves.set(path, time.test(value) ? '(a time)' : (replaced.get(value) ?? value));
    else if (typeof value !== 'object' || value === null) leaves.set(path, value);
    else {
      const members = membersOf(value).filter(([name]) => !(path === 'metadata' && volatile.has(name)) && !uncomparedAnnotations.has(name));
      if (members.length === 0 && path !== 'metadata.annotations') leaves.set(path, Array.isArray(value) ? '[]' : '{}');
      for (const [name, member] of members) visit(member, path === '' ? name : `${path}.${name}`);
    }
  };
  visit(object, '');
  const { generation } = object.metadata;
  for (const [path, value] of leaves)
    if (/(^|\.)observedGeneration$/.test(path) && typeof value === 'number' && generation !== undefined)
      leaves.set(
        path,
        value === generation ? 'the generation' : `the generation ${value > generation ? '+' : '-'}${Math.abs(value - generation)}`,
      );
  return leaves;
}

/** Conditions are a map by type: their order says nothing (sig-architecture/api-conventions.md). */
function membersOf(value: object): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(value);
  const items: readonly unknown[] = value;
  const types = items.map(conditionType);
  if (new Set(types).size < items.length || types.includes(null)) return Object.entries(value);
  return items.map((item, index) => [types[index] ?? '', item] as const);
}

function conditionType(item: unknown): string | null {
  const { type, status } = (item ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  return typeof type === 'string' && ['True', 'False', 'Unknown'].some((known) => known === status) ? type : null;
}

const isSameInAnyOrder = (wanted: unknown, there: unknown): boolean =>
  Object.is(wanted, there) || (isText(wanted) && isText(there) && linesOf(wanted) === linesOf(there));
const isText = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');
const linesOf = (text: string): string => text.split('\n').sort().join('\n');

export function differencesOf(expected: State, actual: State, noise: Noise = new Set()): readonly Difference[] {
  const found: Difference[] = [];
  for (const object of new Set([...expected.keys(), ...actual.keys()])) {
    if (noise.has(object)) continue;
    const [wanted, there] = [expected.get(object), actual.get(object)];
    if (!wanted || !there) found.push({ object, path: '', ...(wanted ? { expected: 'it exists' } : { actual: 'it exists' }) });
    else
      for (const path of new Set([...wanted.keys(), ...there.keys()]))
        if (!isSameInAnyOrder(wanted.get(path), there.get(path)) && !noise.has(`${object} ${path}`))
          found.push({ object, path, expected: wanted.get(path), actual: there.get(path) });
  }
  return found;
}

export const noiseOf = (differences: readonly Difference[]): Noise =>
  new Set(differences.map(({ object, path }) => (path === '' ? object : `${object} ${path}`)));

export function differenceText({ object, path, expected, actual }: Difference, where = 'in the undisturbed run'): string {
  const [, kind, name] = object.split(' ');
  if (path === '') return `${kind} ${name} ${expected === undefined ? 'is too many' : 'is missing'}`;
  const said = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value));
  return `${kind} ${name}: ${path} is ${said(actual)}, and ${said(expected)} ${where}`;
}
