const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Whether an object is the lock of a leader election, which clients before 1.24 kept in Endpoints and ConfigMaps. */
export const locksElection = (metadata: { readonly annotations?: Readonly<Record<string, string>> } | undefined): boolean =>
  metadata?.annotations?.[leaderAnnotation] !== undefined;
