/** Plain assignment to `__proto__` would let a client change the object's prototype. */
export function setMember<V>(target: Record<string, V>, name: string, value: V): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}
