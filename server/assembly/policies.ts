import type { AdmissionPlugin } from '../registry/admission.js';
import type { ConvertObject } from '../admission/matching/versions.js';
import { followPolicies, type FollowedPolicies, type PolicyResources } from '../admission/policies/following.js';
import type { PolicyParts } from '../admission/policies/matching.js';
import { uncounted, type PolicyMetrics } from '../admission/policies/metrics.js';
import { mutatingPolicies } from '../admission/policies/mutating.js';
import { mutatingPolicyOf, validatingPolicyOf, type Policy } from '../admission/policies/policy.js';
import { validatingPolicies } from '../admission/policies/validating.js';
import type { ApiObject } from '../../api/object.js';
import { askAuthorizer } from '../authorization/askAuthorizer.js';
import type { Authorizer } from '../authorization/authorizer.js';
import type { Logger } from '../../program/log/logger.js';
import type { Catalogue } from '../registry/resources.js';
import type { Storage } from '../storage/contract.js';
import type { AdmissionManifests } from './manifests.js';

export interface AdmissionPolicies {
  readonly steps: readonly AdmissionPlugin[];
  stop(): void;
}

export interface AdmissionPolicyParts {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  readonly convert: ConvertObject;
  readonly authorize: Authorizer;
  readonly enabled: ReadonlySet<string>;
  readonly manifests?: AdmissionManifests | null;
  /** Default: not counted. */
  readonly metrics?: PolicyMetrics;
  readonly log: Logger;
}

const validating: PolicyResources = { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' };
const mutating: PolicyResources = { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' };

/** Makes the admission steps of stored policies, and follows them. */
export function createAdmissionPolicies({
  storage,
  catalogue,
  convert,
  authorize,
  enabled,
  manifests = null,
  metrics = uncounted,
  log,
}: AdmissionPolicyParts): AdmissionPolicies {
  const parts: PolicyParts = { storage, catalogue, convert, askAuthorizer: askAuthorizer(authorize), metrics };
  const report = (error: unknown, name: string): void => {
    log.error('a policy or binding cannot be read; the earlier one stays', { name, error });
  };
  const running: { readonly step: AdmissionPlugin; stop(): void }[] = [];
  function run<P extends Policy>(
    plugin: string,
    resources: PolicyResources,
    read: (object: ApiObject) => P,
    stepOf: (followed: FollowedPolicies<P>, parts: PolicyParts) => AdmissionPlugin,
  ): void {
    if (!enabled.has(plugin)) return;
    const followed = followPolicies({ resources, read, storage, report, manifests: manifests?.policies(plugin, resources, read) ?? null });
    running.push({
      step: stepOf(followed, parts),
      stop: () => {
        followed.stop();
      },
    });
  }
  run('MutatingAdmissionPolicy', mutating, mutatingPolicyOf, mutatingPolicies);
  run('ValidatingAdmissionPolicy', validating, validatingPolicyOf, validatingPolicies);
  return {
    steps: running.map(({ step }) => step),
    stop: () => {
      for (const { stop } of running) stop();
    },
  };
}
