/**
 * Puts the members of an object, but for some, behind those of another one, which it returns. For what happens with every request: rest and spread of objects
 * take several times as long where these are of many shapes.
 */
export function copyMembers<T extends object>(target: T, source: T, without: ReadonlySet<string>): T {
  const all = source as Readonly<Record<string, unknown>>;
  for (const name in all) {
    if (without.has(name)) continue;
    // Plain assignment would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(target, name, { value: all[name], enumerable: true, writable: true, configurable: true });
    else (target as Record<string, unknown>)[name] = all[name];
  }
  return target;
}
