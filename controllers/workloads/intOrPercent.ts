import type { IntOrString } from '../../api/types/machinery.js';

/** `3` or `25%` of `total`, rounded as asked; what is neither counts as 0. Pure. */
export function scaled(value: IntOrString | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
