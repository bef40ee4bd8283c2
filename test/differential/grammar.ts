import type { JsonObject, JsonValue } from '../../api/object.js';
import type { Random } from './random.js';

/** Combinators for the values that areas send. */
export type Make<T extends JsonValue = JsonValue> = (random: Random) => T;

/** A random one of these values. */
export const of =
  (...values: readonly JsonValue[]): Make =>
  (random) =>
    random.pick(values);

/** The value of a random one of these. */
export const anyOf =
  (...makes: readonly Make[]): Make =>
  (random) =>
    random.pick(makes)(random);

/** An object with all these members. */
export const all =
  (members: Readonly<Record<string, Make>>): Make<JsonObject> =>
  (random) =>
    Object.fromEntries(Object.entries(members).map(([name, make]) => [name, make(random)]));

/** An object with some of these members and those of `always`. */
export const some =
  (members: Readonly<Record<string, Make>>, always: Readonly<Record<string, Make>> = {}, probability = 0.45): Make<JsonObject> =>
  (random) => {
    const chosen = Object.entries(members).filter(() => random.chance(probability));
    return all({ ...always, ...Object.fromEntries(chosen) })(random);
  };

/** A list of up to `most` items. */
export const list =
  (item: Make, most = 3): Make =>
  (random) =>
    random.times(random.below(most + 1), () => item(random));

/** An object with some of these keys. */
export const map =
  (keys: readonly string[], value: Make, probability = 0.5): Make<JsonObject> =>
  (random) =>
    some(Object.fromEntries(keys.map((key) => [key, value])), {}, probability)(random);
