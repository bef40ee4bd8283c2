import { hostname } from 'node:os';
import type { ApiServerOptions } from '../options/flags.js';
import { leaseName } from '../presence/serverLease.js';

/** Identifies this server: the name of its identity lease. Metrics carry its hash. */
export const ownName = (options: ApiServerOptions): string => leaseName({ hostname: hostname(), memberId: options['raft-member-id'] });
