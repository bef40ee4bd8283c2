import { noOverload } from '../values.js';
import { addresses } from './addresses.js';
import { authorization } from './authorization.js';
import { conversions } from './conversions.js';
import { formats } from './formats.js';
import type { Implementation, Library } from './library.js';
import { lists } from './lists.js';
import { optionals } from './optionals.js';
import { quantities } from './quantities.js';
import { semvers } from './semvers.js';
import { texts } from './texts.js';
import { times } from './times.js';
import { urls } from './urls.js';

function collect(libraries: readonly Library[]): ReadonlyMap<string, Implementation> {
  const found = new Map<string, Implementation>();
  for (const library of libraries) {
    for (const [key, implementation] of Object.entries(library)) {
      const before = found.get(key);
      found.set(key, before === undefined ? implementation : either(before, implementation));
    }
  }
  return found;
}

const either =
  (one: Implementation, other: Implementation): Implementation =>
  (args, run) => {
    const value = one(args, run);
    return value === noOverload ? other(args, run) : value;
  };

/** Libraries may share a function name for different types, and reject other types. */
const all = collect([texts, lists, conversions, times, optionals, quantities, addresses, urls, semvers, formats, authorization]);

export const functionFor = (name: string, args: number, onValue: boolean): Implementation | null =>
  all.get(`${onValue ? '.' : ''}${name}/${args}`) ?? null;

/** Returns all function names, with a leading `.` for methods, and argument counts (without the receiver). */
export const functionNames = (): readonly string[] => [...all.keys()];
