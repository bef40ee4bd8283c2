/** How large a value can be, as `size()` counts. What nobody knows may be as large as 64 bits can say. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const most = 2 ** 64;
export const unknownSize: Size = { min: 0, max: most };
export const exactly = (size: number): Size => ({ min: size, max: size });

/** Neither sums nor products grow beyond what there is. */
export const capped = (value: number): number => Math.min(value, most);

export const plus = (one: Size, other: Size): Size => ({ min: capped(one.min + other.min), max: capped(one.max + other.max) });
export const times = (one: Size, other: Size): Size => ({ min: capped(one.min * other.min), max: capped(one.max * other.max) });
export const union = (one: Size, other: Size): Size => ({ min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) });

/** A part of the size, rounded up. Products of the kind of `3 * 0.1` do not round as they are written, as in the reference. */
export const share = (size: number, factor: number): number => capped(Math.ceil(size * factor));

/** Sizes of the keys, or positions, and of the values of a list or map that an expression makes. */
export interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

/** Of a value that is either of two: nothing is known where nothing is known of one. */
export const unionOfEntries = (one: EntrySizes | null, other: EntrySizes | null): EntrySizes | null =>
  one === null || other === null
    ? null
    : { container: one.container, key: union(one.key, other.key), value: union(one.value, other.value) };
