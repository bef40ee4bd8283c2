/** A decoded value of any encoding. */
export type Json = null | boolean | number | bigint | string | NumberLiteral | Json[] | JsonMembers;
export interface JsonMembers {
  [member: string]: Json;
}

/**
 * A number whose spelling matters until the type of its field is known: `1.0` is no integer for the reference, and `1e3` stays
 * `1e3` in a quantity. It never leaves the structure check.
 */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

/** An object with members, as opposed to a list, a scalar or null. */
export const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
