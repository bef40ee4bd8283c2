import type { ExpiryClock } from '../storage/expiry.js';

/** The clocks of this machine. */
export const machineClock: ExpiryClock = { elapsed: () => performance.now(), now: () => Date.now() };
