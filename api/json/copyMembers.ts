/** Appends the members of `source`, except some, to `target` and returns it. Object rest and spread take several times as long on objects of many shapes. */
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
