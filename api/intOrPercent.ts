import type { IntOrString } from './types/machinery.js';

/** Values that are a number or a percentage, such as `maxSurge`. Pure. */

const percentPattern = /^(\d+)%$/;

export const isPercent = (value: unknown): boolean => typeof value === 'string' && percentPattern.test(value);

/** Reads a number, or the number before the percent sign; other values are 0. */
export function amountOf(value: unknown): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return isPercent(value) || /^[+-]?[0-9]+$/.test(value) ? Number.parseInt(value, 10) : 0;
}

/** Takes percentages of `total`; other values are 0. */
export function scaled(value: IntOrString | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = percentPattern.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
