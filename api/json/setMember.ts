/**
 * Sets a member whatever its name is: plain assignment to `__proto__` would change the object's prototype instead,
 * which a client must never be able to do.
 */
export function setMember<V>(target: Record<string, V>, name: string, value: V): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}
