import type { Facts, ResourceFacts, VersionFacts } from './facts.js';
import { byText } from './model.js';

/**
 *   resources.json   groups in discovery order: [{ name, versions: [{ version, servedByDefault, resources: [R...] }] }], versions by preference,
 *                    R = [resource, kind, singular, namespaced, verbs, shortNames, categories, subresources],
 *                    subresources = [[name, kind, verbs, group?, version?]...] with group and version only where its body belongs to another one
 *   tables.json      "GROUPVERSION RESOURCE" -> [[column, type, format, priority]...]
 */
export interface GroupRow {
  readonly name: string;
  readonly versions: readonly VersionRow[];
}
interface VersionRow {
  readonly version: string;
  readonly servedByDefault: boolean;
  readonly resources: readonly unknown[];
}
type ServingVersion = VersionFacts & Required<Pick<VersionFacts, 'group' | 'version' | 'resources'>>;

const isServing = (facts: VersionFacts): facts is ServingVersion => facts.resources !== undefined;

/** Sorted by falling priority of their API services, then by name; groups without a service come last. The group of the API services leads. */
export function groupRows(facts: Facts): GroupRow[] {
  const priorities = prioritiesOf(facts);
  const groups = new Map<string, ServingVersion[]>();
  for (const version of [...facts.versions.values()].filter(isServing))
    groups.set(version.group, [...(groups.get(version.group) ?? []), version]);
  return [...groups]
    .sort(([a], [b]) => (priorities.get(b) ?? 0) - (priorities.get(a) ?? 0) || byText(a, b))
    .map(([name, versions]) => ({
      name,
      versions: versions.sort(byPreference).map((each) => ({
        version: each.version,
        servedByDefault: each.served === true,
        resources: Object.entries(each.resources).map(resourceRow),
      })),
    }));
}

interface ApiService {
  readonly spec: { readonly group?: string; readonly groupPriorityMinimum: number };
}

function prioritiesOf({ bootstrap }: Facts): ReadonlyMap<string, number> {
  const priorities = new Map([
    ['', Infinity],
    ['apiregistration.k8s.io', Number.MAX_SAFE_INTEGER],
  ]);
  for (const {
    spec: { group = '', groupPriorityMinimum },
  } of (bootstrap.get('apiservices') ?? []) as readonly ApiService[]) {
    priorities.set(group, Math.max(priorities.get(group) ?? 0, groupPriorityMinimum));
  }
  return priorities;
}

/** The preferred version first, then stable ones before beta and alpha, newer before older. */
const byPreference = (a: ServingVersion, b: ServingVersion): number =>
  Number(b.preferred ?? false) - Number(a.preferred ?? false) || rankOf(b.version) - rankOf(a.version);

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const numbersPerPlace = 1_000;

function rankOf(version: string): number {
  const [, major = '', stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return ((stages[stage ?? ''] ?? 2) * numbersPerPlace + Number(major)) * numbersPerPlace + Number(minor);
}

function resourceRow([name, { kind, singular, scope, verbs, shortNames = [], categories = [], subresources = {} }]: [
  string,
  ResourceFacts,
]): unknown {
  const rows = Object.entries(subresources).map(([sub, entry]) => [
    sub,
    entry.kind,
    entry.verbs.join(','),
    ...(entry.of === undefined ? [] : splitGroupVersion(entry.of)),
  ]);
  return [name, kind, singular, scope === 'Namespaced', verbs.join(','), shortNames, categories, rows];
}

const splitGroupVersion = (text: string): string[] => (text.includes('/') ? text.split('/') : ['', text]);

export function columnTable({ versions }: Facts): [string, unknown][] {
  return [...versions.values()]
    .filter(isServing)
    .flatMap(({ group, version, resources }) =>
      Object.entries(resources).flatMap(([name, { columns }]): [string, unknown][] =>
        columns === undefined
          ? []
          : [
              [
                `${group === '' ? version : `${group}/${version}`} ${name}`,
                columns.map((each) => [each.name, each.type, each.format ?? '', each.priority ?? 0]),
              ],
            ],
      ),
    )
    .sort(([a], [b]) => byText(a, b));
}
