import { limited, type Finding } from './finding.js';

/** The fingerprint of everything that a replica has stored at a revision. */
export interface ReplicaDigest {
  readonly replica: string;
  readonly revision: number;
  readonly sha256: string;
}

/** Replicas that have come to the same revision hold the same, whenever they were asked. */
export function checkReplicas(digests: readonly ReplicaDigest[]): readonly Finding[] {
  const first = new Map<number, ReplicaDigest>();
  return limited(
    digests.flatMap((digest) => {
      const other = first.get(digest.revision) ?? digest;
      first.set(digest.revision, other);
      return other.sha256 === digest.sha256
        ? []
        : [
            {
              promise: 'equal replicas',
              details: `${digest.replica} and ${other.replica} differ at revision ${digest.revision}: ${digest.sha256}, ${other.sha256}`,
            },
          ];
    }),
  );
}
