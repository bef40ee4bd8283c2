export type Json = null | boolean | number | bigint | string | NumberLiteral | Json[] | JsonMembers;
export interface JsonMembers {
  [member: string]: Json;
}

/**
 * A number whose spelling matters until its field's type is known: in the reference `1.0` is no integer, and `1e3` stays `1e3` in a quantity. It never leaves
 * the structure check.
 */
export class NumberLiteral {
  constructor(readonly text: string) {}
}

export const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
