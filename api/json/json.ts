/** An object with members, as opposed to a list, a scalar or null. */
export const isObject = <T extends object = Readonly<Record<string, unknown>>>(value: unknown): value is T =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sorts names of members in place, by their UTF-16. Most come in order: then looking is all that it takes, and sorting takes memory even then. */
export function sortNames(names: string[]): string[] {
  for (let position = 1; position < names.length; position++)
    if ((names[position - 1] as string) > (names[position] as string)) return names.sort();
  return names;
}
