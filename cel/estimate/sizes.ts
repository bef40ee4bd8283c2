/** An unknown size extends to the 64-bit maximum. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const most = 2 ** 64;
export const unknownSize: Size = { min: 0, max: most };
export const exactly = (size: number): Size => ({ min: size, max: size });

export const capped = (value: number): number => Math.min(value, most);

export const plus = (one: Size, other: Size): Size => ({ min: capped(one.min + other.min), max: capped(one.max + other.max) });
export const times = (one: Size, other: Size): Size => ({ min: capped(one.min * other.min), max: capped(one.max * other.max) });
export const union = (one: Size, other: Size): Size => ({ min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) });

/** Returns a part of the size, rounded up. As in the reference, products such as `3 * 0.1` are inexact. */
export const share = (size: number, factor: number): number => capped(Math.ceil(size * factor));

/** Sizes of a new list's or map's keys (or positions) and values. */
export interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

/** Unknown when either is. */
export const unionOfEntries = (one: EntrySizes | null, other: EntrySizes | null): EntrySizes | null =>
  one === null || other === null
    ? null
    : { container: one.container, key: union(one.key, other.key), value: union(one.value, other.value) };
