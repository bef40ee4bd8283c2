import type { JsonObject } from '../../api/object.js';
import { tracingKind } from '../../program/tracing/configuration.js';
import { fileSchema, kindSchema, type KindOfConfiguration } from '../../program/files/schema.js';
import { kubeconfigShape } from '../../program/kubeconfigShape.js';
import { admissionKind } from '../admission/configuration.js';
import { eventRateLimitKind } from '../admission/events/rateLimit.js';
import { tolerationRestrictionKind } from '../admission/pods/tolerationRestriction.js';
import { podSecurityKind } from '../admission/podsecurity/configuration.js';
import { quotaKinds } from '../admission/quota/configuration.js';
import { policyKind } from '../audit/policy.js';
import { authenticationKind } from '../authentication/jwt/configuration.js';
import { authorizationKind } from '../authorization/configuration.js';
import { egressKind } from '../egress/configuration.js';
import { encryptionKind } from '../storage/encryption/configuration.js';
import { policyKinds } from './manifests.js';
import { hookKinds } from './webhooks.js';

const kinds: readonly KindOfConfiguration[] = [
  admissionKind,
  authenticationKind,
  authorizationKind,
  egressKind,
  encryptionKind,
  eventRateLimitKind,
  podSecurityKind,
  policyKind,
  ...Object.values(policyKinds),
  ...quotaKinds,
  tolerationRestrictionKind,
  tracingKind,
  ...hookKinds,
];

/** The group distinguishes plug-ins' kinds that are all called `Configuration`. */
const nameOf = ({ kind, apiVersions }: KindOfConfiguration): string =>
  kinds.filter((other) => other.kind === kind).length === 1 ? kind : `${kind}.${apiVersions[0]?.split('/')[0]}`;

const schemas: ReadonlyMap<string, () => JsonObject> = new Map([
  ...kinds.map((kind) => [nameOf(kind), () => kindSchema(kind)] as const),
  // Its kind may be left out.
  ['Config', () => fileSchema('Config', kubeconfigShape)],
]);

/** Implements `apiserver schema KIND`: the JSON Schema of a kind, for editors. Null for an unknown name. */
export function configurationSchema(name: string): string | null {
  const schema = schemas.get(name);
  return schema === undefined ? null : `${JSON.stringify(schema(), null, 2)}\n`;
}

export const configurationNames = (): readonly string[] => [...schemas.keys()].sort();
