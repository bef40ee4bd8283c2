import { formatDuration } from './flags/duration.js';
import type { Flag, FlagTable } from './flags/flag.js';

/** The component that describes itself, as the reference names it. */
export type Component = 'apiserver' | 'kube-controller-manager';
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

function written(flag: Flag, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (flag.kind === 'duration') return Number(value) === 0 ? '0s' : formatDuration(Number(value));
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, each]) => `${name}=${String(each)}`)
      .join(',');
  return String(value);
}

export const flagValues = (table: FlagTable, options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => name !== 'help')
      .map(([name, flag]) => [name, written(flag, options[name])] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

export const flagzText = (component: Component, flags: Readonly<Record<string, string>>): string =>
  `\n${component} flagz\n${warning}\n${Object.entries(flags)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')}`;

export const flagzObject = (component: Component, flags: Readonly<Record<string, string>>, version: string): object => ({
  kind: 'Flagz',
  apiVersion: `config.k8s.io/${version}`,
  metadata: { name: component },
  flags,
});

export interface ProcessFacts {
  readonly component: Component;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly upMs: number;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly runtime: string;
  readonly paths: readonly string[];
}

export function statuszText({ component, startedAt, upMs, binaryVersion, emulationVersion, runtime, paths }: ProcessFacts): string {
  const seconds = Math.floor(upMs / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const up = `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
  return [
    '',
    `${component} statusz`,
    warning,
    '',
    `Started: ${unixDate(new Date(startedAt))}`,
    `Up: ${up}`,
    `Go version: ${runtime}`,
    `Binary version: ${binaryVersion}`,
    `Emulation version: ${emulationVersion}`,
    `Paths: ${paths.join(' ')}`,
    '',
  ].join('\n');
}

function unixDate(date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}

export const statuszObject = (facts: ProcessFacts, version: string): object => ({
  kind: 'Statusz',
  apiVersion: `config.k8s.io/${version}`,
  metadata: { name: facts.component },
  startTime: new Date(facts.startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
  uptimeSeconds: Math.floor(facts.upMs / 1000),
  goVersion: facts.runtime,
  binaryVersion: facts.binaryVersion,
  emulationVersion: facts.emulationVersion,
  paths: facts.paths,
});

export type Zkind = 'Flagz' | 'Statusz';

/** Versions of the structured form; clients are warned of old ones. */
const versions: ReadonlyMap<string, { readonly isOld: boolean }> = new Map([
  ['v1beta1', { isOld: false }],
  ['v1alpha1', { isOld: true }],
]);
const objectTypes = ['application/json', 'application/yaml', 'application/cbor'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** Media types of the pages, as a refusal lists them. */
export const zpageTypes = (hasCbor: boolean): string =>
  ['application/json', 'application/yaml', 'text/plain', ...(hasCbor ? ['application/cbor'] : [])].join(', ');

export type Zform = 'text' | { readonly type: ObjectType; readonly version: string; readonly isOld: boolean };

/** Returns text, an object of a version, or no existing form. */
export function formOf(accept: string | undefined, kind: Zkind, hasCbor: boolean): Zform | null {
  for (const range of (accept === undefined || accept.trim() === '' ? '*/*' : accept).split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type === '*/*' || type === 'text/*' || type === 'text/plain') return 'text';
    const objectType = objectTypes.find((each) => each === type && (hasCbor || each !== 'application/cbor'));
    if (objectType === undefined) continue;
    const requested = Object.fromEntries(parameters.map((parameter) => parameter.split('=') as [string, string]));
    const version = requested['v'] ?? '';
    const known = versions.get(version);
    if (requested['g'] === 'config.k8s.io' && requested['as'] === kind && known !== undefined)
      return { type: objectType, version, ...known };
  }
  return null;
}
