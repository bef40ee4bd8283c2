import { isObject } from '../../api/json/json.js';
import { escaped } from './pointers.js';
import type { Pointer } from './recordings.js';

export interface Difference {
  readonly at: Pointer;
  readonly want: unknown;
  readonly got: unknown;
}

/** Where two values differ. */
export function differencesOf(want: unknown, got: unknown): Difference[] {
  return collect(comparable(want), comparable(got), '', []);
}

function collect(want: unknown, got: unknown, at: Pointer, found: Difference[]): Difference[] {
  if ((isObject(want) && isObject(got)) || (Array.isArray(want) && Array.isArray(got))) {
    const [a, b] = [want, got] as [Record<string, unknown>, Record<string, unknown>];
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) collect(a[name], b[name], `${at}/${escaped(name)}`, found);
  } else if (JSON.stringify(want) !== JSON.stringify(got)) found.push({ at: at === '' ? '/' : at, want, got });
  return found;
}

/** Servers may word texts for people differently, but a missing description counts. */
export const isWording = ({ at, want, got }: Difference): boolean =>
  /\/(message|metadata\/warnings)$/.test(at) || /\/warning\/\d+$/.test(at) || (/description$/.test(at) && Boolean(want) && Boolean(got));

/** Sorts what has no order and omits the work of controllers. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, comparable(member)]));
  // Entries are in order of time, to the second.
  if (Array.isArray(members['managedFields'])) {
    members['managedFields'] = sortedBy(
      (members['managedFields'] as Record<string, unknown>[]).filter((each) => each?.['manager'] !== 'kube-controller-manager'),
      ['manager', 'operation', 'subresource', 'fieldsV1'],
    );
  }
  unorderedSchemaFindings(members);
  const causes = members['causes'];
  if (Array.isArray(causes) && causes.some((cause) => isObject(cause) && cause['reason'] === 'FieldManagerConflict'))
    members['causes'] = sortedBy(causes as Record<string, unknown>[], ['field', 'message']);
  return members;
}

/** The reference visits schema properties in random order, so several findings are a set, and so is their message. */
function unorderedSchemaFindings(members: Record<string, unknown>): void {
  const details = members['details'];
  const causes = isObject(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes) || causes.length < 2 || !causes.some(isOfSchema)) return;
  members['details'] = {
    ...(details as Record<string, unknown>),
    causes: sortedBy(causes as Record<string, unknown>[], ['field', 'message']),
  };
  members['message'] = String(members['message']).replace(/: \[.*/s, '');
}

const isOfSchema = (cause: unknown): boolean => isObject(cause) && String(cause['field']).includes('openAPIV3Schema');

function sortedBy(list: readonly Record<string, unknown>[], names: readonly string[]): unknown[] {
  const keyed = list.map((each) => ({ each, key: JSON.stringify(names.map((name) => each?.[name])) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ each }) => each);
}
