import type { ApiObject } from '../../api/object.js';

/** Returns the class annotated as default: the latest of several, then the first by name. */
export function latestDefault(classes: readonly ApiObject[], annotations: readonly string[]): ApiObject | null {
  const marked = classes.filter((each) => annotations.some((annotation) => each.metadata.annotations?.[annotation] === 'true'));
  const made = (each: ApiObject): string => each.metadata.creationTimestamp ?? '';
  const [latest] = marked.sort((a, b) => compare(made(b), made(a)) || compare(a.metadata.name ?? '', b.metadata.name ?? ''));
  return latest ?? null;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
