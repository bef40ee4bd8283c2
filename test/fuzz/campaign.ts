import type { Prng } from '../simulation/prng.js';

/** What is fuzzed, each by a campaign of its own that runs beside the others. */
export const campaignNames = ['http1', 'http2', 'bodies', 'peer'] as const;
export type CampaignName = (typeof campaignNames)[number];

/** What a step did: shown when it found something. `wrong` says what is wrong with what came back; null when nothing is. */
export interface Step {
  readonly did: string;
  readonly wrong: string | null;
  /** How it was answered, for the count of outcomes: a status, or how the connection ended. */ readonly outcome: string;
}

export interface Campaign {
  readonly name: CampaignName;
  /** All that it does is drawn from `prng`, which is new for each step. Never rejects for what a server does. */
  step(prng: Prng): Promise<Step>;
}

/** After so long without an answer that must come, it does not come. */
export const patienceMs = 30_000;

/** The seed of one step: steps can be repeated without those before. */
export const seedOf = (seed: number, name: CampaignName, step: number): number =>
  (Math.imul(seed, 0x9e3779b1) ^ Math.imul(campaignNames.indexOf(name) + 1, 0x85ebca6b) ^ Math.imul(step + 1, 0xc2b2ae35)) >>> 0;

/** How a client leaves that does not wait for its answers: at once, or when the first of them comes. */
export const leavings = ['with a reset', 'at the first answer'] as const;
export type Leaving = (typeof leavings)[number];

/** One client of four leaves so. */
export const leavingOf = (prng: Prng): Leaving | null => (prng.chance(250) ? prng.pick(leavings) : null);

/** What is awaited, or 'late' when it takes longer than a client waits. */
export async function within<T>(work: Promise<T>, ms = patienceMs): Promise<T | 'late'> {
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
