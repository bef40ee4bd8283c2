import { isIPv6 } from 'node:net';

/** From one address so many sign-ins by link are under way at once: each is one guess. */
const atOnceMax = 4;
/** From all addresses together: so many are counted, and no more is kept of any of them. */
const allMax = 256;

/** Counts sign-ins by address, so that whoever guesses keeps nobody else from signing in. An address is forgotten with its last sign-in. */
export class SignIns {
  readonly #underWay = new Map<string, number>();
  #all = 0;

  /** How to leave again; null where there are too many already. */
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

/** A host has as many addresses of version 6 as it likes, all in one network of 64 bits. */
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
