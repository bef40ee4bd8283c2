import { limited, type Finding } from './finding.js';

export interface ReplicaDigest {
  readonly replica: string;
  readonly revision: number;
  readonly sha256: string;
}

/** Checks that replicas have equal content at equal revisions. */
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
