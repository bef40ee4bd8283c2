import { isIPv6 } from 'node:net';

/** Parallel sign-ins from one address. */
const atOnceMax = 4;
const allMax = 256;

/** Limits sign-ins by address, so that a guessing client does not block others. Addresses are forgotten with their last sign-in. */
export class SignIns {
  readonly #underWay = new Map<string, number>();
  #all = 0;

  /** Returns the function that ends the sign-in; null beyond the limits. */
  enter(address: string | undefined): (() => void) | null {
    const key = networkOf(address ?? '');
    const count = this.#underWay.get(key) ?? 0;
    if (count >= atOnceMax || this.#all >= allMax) return null;
    this.#underWay.set(key, count + 1);
    this.#all += 1;
    return () => {
      this.#leave(key);
    };
  }

  #leave(key: string): void {
    const left = (this.#underWay.get(key) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(key);
    else this.#underWay.set(key, left);
    this.#all -= 1;
  }
}

/** A host has any number of IPv6 addresses in a 64-bit network. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = '', after] = address.split('::', 2);
  const first = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
