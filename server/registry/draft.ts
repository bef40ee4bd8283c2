import type { JsonValue, ObjectMeta } from '../../api/object.js';

/**
 * A generated type as rules see it: writable, with any member absent, since rules refuse that later. Everything in it is JSON, so that common rules accept it
 * as well.
 */
export type Draft<T> = Writable<Omit<T, 'metadata'>> & { metadata: ObjectMeta };
export type Writable<T> = unknown extends T
  ? JsonValue
  : T extends readonly (infer Item)[]
    ? Writable<Item>[]
    : string extends keyof T
      ? { -readonly [Key in keyof T]: Writable<T[Key]> }
      : T extends object
        ? { -readonly [Member in keyof T]?: Writable<T[Member]> }
        : T;
