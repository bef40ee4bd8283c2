import { silencesIn, workingTimes, type Sight } from './availability.js';
import { limited, type Finding } from './finding.js';

/** A client has renewed its lease. */
export interface Renewal {
  readonly client: string;
  /** The replica that took it; null where a balancer chose one. */
  readonly member: string | null;
  readonly atMs: number;
}

/**
 * How long a client may take to renew its lease while its replica belongs to a working majority: `silenceMaxMs`, two seconds between renewals, and five for an
 * earlier request.
 */
export const renewalMaxMs = 20_000;

/** Whoever is well serves its clients, whatever others do to it meanwhile: each renews its lease. Pure. */
export function checkRenewals(sights: readonly Sight[], renewals: readonly Renewal[], maxMs = renewalMaxMs): readonly Finding[] {
  const working = workingTimes(sights);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return limited(
    [...new Set(renewals.map(({ client }) => client))].flatMap((client) => {
      const own = renewals.filter((renewal) => renewal.client === client);
      // A client that is bound to a replica can ask for no more than that one is able to do.
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
