/** An object with members, as opposed to a list, a scalar or null. */
export const isObject = <T extends object = Readonly<Record<string, unknown>>>(value: unknown): value is T =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
