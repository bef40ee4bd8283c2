import type { Prng } from '../../simulation/prng.js';

export type RequestKind = 'list' | 'cachedList' | 'watch' | 'get' | 'update' | 'create' | 'delete';

/** Of 1,000 requests without lease renewals: 800 read, mostly lists and watches; of 200 writes, 90 % update, 5 % create and 5 % delete. */
export const mixPermille: Readonly<Record<RequestKind, number>> = {
  list: 320,
  cachedList: 180,
  watch: 140,
  get: 160,
  update: 180,
  create: 10,
  delete: 10,
};

export function drawRequest(prng: Prng): RequestKind {
  let left = prng.below(1_000);
  for (const [kind, permille] of Object.entries(mixPermille) as [RequestKind, number][]) if ((left -= permille) < 0) return kind;
  return 'list';
}
