import type { Prng } from '../simulation/prng.js';

/** The fuzzed parts; their campaigns run concurrently. */
export const campaignNames = ['http1', 'http2', 'bodies', 'peer'] as const;
export type CampaignName = (typeof campaignNames)[number];

/** A step, printed with a finding. `wrong` is the error in the response, or null. */
export interface Step {
  readonly did: string;
  readonly wrong: string | null;
  /** The result for statistics: a status, or how the connection ended. */ readonly outcome: string;
}

export interface Campaign {
  readonly name: CampaignName;
  /** Draws everything from `prng`, a new one for each step. Never rejects because of the server. */
  step(prng: Prng): Promise<Step>;
}

/** The limit for an expected answer. */
export const timeLimitMs = 30_000;

/** The seed of one step, so that it can be repeated alone. */
export const seedOf = (seed: number, name: CampaignName, step: number): number =>
  (Math.imul(seed, 0x9e3779b1) ^ Math.imul(campaignNames.indexOf(name) + 1, 0x85ebca6b) ^ Math.imul(step + 1, 0xc2b2ae35)) >>> 0;

/** When a client leaves without reading its answers. */
export const leavings = ['with a reset', 'at the first answer'] as const;
export type Leaving = (typeof leavings)[number];

/** A quarter of the clients leaves early. */
export const leavingOf = (prng: Prng): Leaving | null => (prng.chance(250) ? prng.pick(leavings) : null);

/** Returns the result of `work`, or 'late' after the limit. */
export async function within<T>(work: Promise<T>, ms = timeLimitMs): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => {
      resolve('late');
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
