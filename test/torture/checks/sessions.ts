import { limited, type Finding } from './finding.js';

/** A revision that a client received with a consistent list or its own write. Times are milliseconds of one clock. */
export interface Sighting {
  readonly client: string;
  readonly revision: number;
  readonly from: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Checks that a request never returns a revision older than one that any client received before it began, from any replica. */
export function checkSessions(sightings: readonly Sighting[]): readonly Finding[] {
  const ended = [...sightings].sort((a, b) => a.endMs - b.endMs);
  let newest: Sighting | null = null;
  let next = 0;
  return limited(
    [...sightings]
      .sort((a, b) => a.startMs - b.startMs)
      .flatMap((sighting) => {
        for (let other = ended[next]; other !== undefined && other.endMs <= sighting.startMs; other = ended[++next])
          if (newest === null || other.revision > newest.revision) newest = other;
        return newest === null || sighting.revision >= newest.revision
          ? []
          : [
              {
                promise: 'revisions never go back',
                details: `${sighting.client} saw ${sighting.revision} (${sighting.from}) after ${newest.client} saw ${newest.revision} (${newest.from})`,
              },
            ];
      }),
  );
}
