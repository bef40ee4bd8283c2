import { limited, type Finding } from './finding.js';

/** A revision that a client was told, in the order in which it was told: that of a consistent list, or of its own write. */
export interface Sighting {
  readonly client: string;
  readonly revision: number;
  readonly from: string;
}

/** A client that waits for each answer never sees the cluster's revision go back, whichever replica it asks. */
export function checkSessions(sightings: readonly Sighting[]): readonly Finding[] {
  const newest = new Map<string, Sighting>();
  return limited(sightings.flatMap((sighting) => {
    const before = newest.get(sighting.client) ?? sighting;
    if (sighting.revision >= before.revision) newest.set(sighting.client, sighting);
    return sighting.revision >= before.revision ? []
      : [{ promise: 'revisions never go back', details: `${sighting.client} was told ${sighting.revision} (${sighting.from}) after ${before.revision} (${before.from})` }];
  }));
}
