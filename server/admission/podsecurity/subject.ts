import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';

/** A pod or pod template, as the checks read it. */
export interface Subject {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  readonly security: JsonObject;
  readonly containers: readonly { readonly name: string; readonly container: JsonObject; readonly security: JsonObject }[];
  readonly onWindows: boolean;
  /** It has a user namespace of its own. */
  readonly ownUsers: boolean;
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'];

export const subjectOf = (spec: JsonObject, annotations: Readonly<Record<string, string>>): Subject => ({
  annotations,
  spec,
  security: objectAt(spec, 'securityContext') ?? {},
  containers: lists
    .flatMap((list) => objectsIn(spec, list))
    .map((container) => ({
      name: textAt(container, 'name'),
      container,
      security: objectAt(container, 'securityContext') ?? {},
    })),
  onWindows: textAt(spec, 'os', 'name') === 'windows',
  ownUsers: spec['hostUsers'] === false,
});

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}
/** Null when nothing is wrong. */
export type Check = (subject: Subject) => Violation | null;

/** The reference escapes nothing in these. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');
export const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
export const plural = (one: string, count: number, many = `${one}s`): string => (count === 1 ? one : many);
export const containersText = (names: readonly string[]): string => `${plural('container', names.length)} ${quoted(names)}`;

/** Containers with their violations; others are omitted. */
export function offenders(
  subject: Subject,
  find: (each: Subject['containers'][number]) => readonly string[],
): { readonly names: string[]; readonly values: string[] } {
  const found = subject.containers.map((each) => ({ name: each.name, values: find(each) })).filter(({ values }) => values.length > 0);
  return { names: found.map(({ name }) => name), values: found.flatMap(({ values }) => values) };
}

/** The same for a setting of pods and containers; `setters` are named like `pod and container "a"`. */
export function setters(
  subject: Subject,
  find: (security: JsonObject) => readonly string[],
): { readonly text: string; readonly values: string[] } | null {
  const ofPod = find(subject.security);
  const { names, values } = offenders(subject, ({ security }) => find(security));
  const parts = [...(ofPod.length === 0 ? [] : ['pod']), ...(names.length === 0 ? [] : [containersText(names)])];
  return parts.length === 0 ? null : { text: parts.join(' and '), values: sorted([...ofPod, ...values]) };
}

/** Lists a security context's member as text if it violates. */
export const unless = (security: JsonObject, path: readonly string[], isFine: (value: string) => boolean): string[] => {
  const value = memberAt(security, ...path);
  return value === undefined || value === null || isFine(String(value)) ? [] : [String(value)];
};
