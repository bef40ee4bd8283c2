import { BoundedMap } from '../../api/boundedMap.js';

/** A fast 64-bit hash of a text in two halves. It does not resist flow names chosen for their hash. */
function hashes(text: string): readonly [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a >>> 0, b >>> 0];
}

/**
 * Deals a flow `size` different queues of `deck`, always the same. Two flows hardly ever share all of theirs, so a flow that fills its own leaves room for the
 * other (shuffle sharding). Pure.
 */
export function deal(flow: string, size: number, deck: number): readonly number[] {
  const [high, low] = hashes(flow);
  let rest = BigInt(high) * 2n ** 32n + BigInt(low);
  const hand: number[] = [];
  for (let dealt = 0; dealt < Math.min(size, deck); dealt++) {
    const left = BigInt(deck - dealt);
    let card = Number(rest % left);
    rest /= left;
    // The index counts only undealt cards.
    for (const taken of [...hand].sort((x, y) => x - y)) if (card >= taken) card++;
    hand.push(card);
  }
  return hand;
}

const knownMax = 4_096;

export function dealer(size: number, deck: number): (flow: string) => readonly number[] {
  const known = new BoundedMap<string, readonly number[]>(knownMax);
  const dealt = (flow: string): readonly number[] => deal(flow, size, deck);
  return (flow) => known.of(flow, dealt);
}
