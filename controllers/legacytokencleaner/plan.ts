import { dayText, isDay } from '../../api/time.js';
import { createdAt, isTerminating, nameOf } from '../../api/meta/object.js';
import type { Pod, Secret, ServiceAccount, Volume } from '../../api/types/core/v1.js';

/** Decides which token secrets are unused. Days have the form 2026-01-31, in UTC. Pure. */

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
export const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const dayMs = 24 * 3_600_000;

/** Returns whether servers have recorded uses for long enough. `since` is the first day, which may be incomplete. */
export const knowsEnough = (since: string, periodMs: number, now: number): boolean =>
  isDay(since) && now >= Date.parse(since) + dayMs + periodMs;

export interface Usage {
  /** Null for an account that does not exist, or was recreated after the secret. */
  readonly account: ServiceAccount | null;
  readonly mounted: ReadonlySet<string>;
}

export type Verdict = 'keep' | 'mark' | 'delete';

/** Marks a secret that was not used for the period, so that servers refuse its token, and deletes it after another period. */
export function verdictOn(
  secret: Secret,
  { account, mounted }: Usage,
  { periodMs, now }: { readonly periodMs: number; readonly now: number },
): Verdict {
  const { [lastUsedLabel]: lastUsed, [invalidSinceLabel]: invalidSince = '' } = secret.metadata.labels ?? {};
  const keptDay = dayText(now - periodMs);
  if (isTerminating(secret) || createdAt(secret) >= now - periodMs) return 'keep';
  // A secret without a label was not used since recording began; a label that is not a day proves nothing.
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= keptDay)) return 'keep';
  // A secret not listed by its account was created by hand, and belongs to its creator.
  if (!account?.secrets?.some(({ name }) => name === nameOf(secret)) || mounted.has(nameOf(secret))) return 'keep';
  if (!isDay(invalidSince)) return 'mark';
  return invalidSince >= keptDay ? 'keep' : 'delete';
}

/** Returns names of a pod's secrets: in volumes, variables, and for images. */
export function secretsOf({ spec }: Pod): readonly string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
  return [
    ...(spec?.volumes ?? []).flatMap(secretsOfVolume),
    ...containers.flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...envFrom.map(({ secretRef }) => secretRef?.name),
    ]),
    ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
  ].filter((name) => name !== undefined);
}

/** Most storage drivers have a reference under the same name (api/v1/pod/util.go). */
function secretsOfVolume({ name: _, secret, projected, azureFile, csi, ...sources }: Volume): readonly (string | undefined)[] {
  const drivers = Object.values(sources) as readonly ({ readonly secretRef?: { readonly name?: string } } | null)[];
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ...drivers.map((source) => source?.secretRef?.name),
  ];
}
