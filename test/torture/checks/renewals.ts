import { silencesIn, workingTimes, type Sight } from './availability.js';
import { limited, type Finding } from './finding.js';

export interface Renewal {
  readonly client: string;
  /** The replica that accepted it; null behind a balancer. */
  readonly member: string | null;
  readonly atMs: number;
}

/** The longest time between renewals at a working majority: `silenceMaxMs`, the interval (2 s) and an earlier request (5 s). */
export const renewalMaxMs = 20_000;

/** Checks that healthy members serve: each client renews its lease. Pure. */
export function checkRenewals(sights: readonly Sight[], renewals: readonly Renewal[], maxMs = renewalMaxMs): readonly Finding[] {
  const working = workingTimes(sights);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return limited(
    [...new Set(renewals.map(({ client }) => client))].flatMap((client) => {
      const own = renewals.filter((renewal) => renewal.client === client);
      // A pinned client depends on its replica.
      return [...new Set(own.map(({ member }) => member))].flatMap((member) => {
        const times =
          member === null ? working : working.filter(({ members }) => members.split(', ').some((each) => each.startsWith(`${member} (`)));
        return silencesIn(
          times,
          own.map(({ atMs }) => atMs),
        )
          .filter(({ ms }) => ms > maxMs)
          .map(({ members, ms }) => ({
            promise: 'leases',
            details: `${client} could not renew its lease for ${seconds(ms)}${member === null ? '' : ` at ${member}`} although ${members} were a majority, well and connected`,
          }));
      });
    }),
  );
}
