import type { KubeObject } from '../../../api/meta/object.js';
import type { Write } from '../../fixtures/memoryApi.js';

/**
 * Differences between two runs with the same result: times, server-made numbers, and random suffixes. A manager that missed a change does not know the time of
 * an endpoints trigger.
 */
const chance = [
  [/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"'],
  [/\buid-\d+\b/g, 'UID'],
  [/"endpoints\.kubernetes\.io\/last-change-trigger-time":"TIME",?/g, ''],
] as const;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

const generatedName = ({ metadata: { name = '', generateName } }: KubeObject): string | null =>
  generateName !== undefined && name.startsWith(generateName) ? name : null;

/** All objects as sorted texts without random parts. */
export function stateOf(objects: readonly (readonly [type: string, object: KubeObject])[]): readonly string[] {
  const generated = objects.flatMap(([, object]) => generatedName(object) ?? []);
  return objects
    .map(([type, { metadata, ...rest }]) => {
      const { uid: _uid, resourceVersion: _version, generation: _generation, creationTimestamp: _time, ...kept } = metadata;
      let text = `${type} ${JSON.stringify(sorted({ metadata: kept, ...rest }))}`;
      for (const [pattern, replacement] of chance) text = text.replace(pattern, replacement);
      for (const name of generated) text = text.replaceAll(`"${name}"`, `"${name.replace(/[^-]+$/, 'NAME')}"`);
      return text;
    })
    .sort();
}

/** Successful creates, deletes and posts, which must not happen twice. */
export const thingsMade = (writes: readonly Write[]): readonly string[] =>
  writes
    .filter(({ verb, refused }) => refused === undefined && ['create', 'delete', 'post'].includes(verb))
    .map(({ verb, type, key, subresource = '' }) =>
      [verb, type, verb === 'create' ? key : key.replace(/\d{5}$/, 'NAME'), subresource].join(' '),
    )
    .sort();
