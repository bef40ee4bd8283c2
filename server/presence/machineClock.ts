import type { ExpiryClock } from '../storage/expiry.js';

export const machineClock: ExpiryClock = { elapsed: () => performance.now(), now: () => Date.now() };
