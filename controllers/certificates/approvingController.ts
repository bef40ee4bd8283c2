import { timeText } from '../../api/time.js';
import { type SubjectAccessReview, subjectAccessReviews } from '../../api/types/authorization/v1.js';
import { type CertificateSigningRequest, certificateSigningRequests } from '../../api/types/certificates/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { isDecided, isIssued, withCondition } from './requestState.js';
import { kubeletClientRefusal, kubeletClientSigner } from './signers.js';

/** A permission needed for automatic approval, in the order of checks. */
export interface Approval {
  readonly permission: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

/** Returns the automatic approvals possible for a request. A node needs fewer permissions to renew its own certificate than to get another. */
async function possibleApprovals({ spec }: CertificateSigningRequest): Promise<readonly Approval[]> {
  if (spec.signerName !== kubeletClientSigner) return [];
  // The large code that reads certificates is loaded for the first one.
  const { readRequest } = await import('./request.js');
  const request = { ...readRequest(spec.request), usages: spec.usages ?? [] };
  if (kubeletClientRefusal(request) !== null) return [];
  const own: Approval = {
    permission: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  };
  const any: Approval = { permission: 'nodeclient', message: 'Auto approving kubelet client certificate after SubjectAccessReview.' };
  return request.commonName === spec.username ? [own, any] : [any];
}

const firstRetryMs = 200;
const workers = 5;

/** Returns the review of the requester's permission for an approval. Pure. */
const reviewOf = ({ username, uid, groups, extra }: CertificateSigningRequest['spec'], { permission }: Approval): SubjectAccessReview => ({
  metadata: {},
  spec: {
    ...(username === undefined ? {} : { user: username }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups ? { groups } : {}),
    ...(extra ? { extra } : {}),
    resourceAttributes: {
      group: certificateSigningRequests.group,
      resource: certificateSigningRequests.resource,
      subresource: permission,
      verb: 'create',
      version: '*',
    },
  },
});

export function approvingController(environment: ManagerEnvironment): Controller {
  const { api, informers, clock } = environment;
  const { cache } = informers.of(certificateSigningRequests);
  const mayHave = async ({ spec }: CertificateSigningRequest, approval: Approval): Promise<boolean> =>
    (await api.create(subjectAccessReviews, reviewOf(spec, approval))).status?.allowed === true;
  const sync = async (key: string): Promise<void> => {
    const request = cache.get(key);
    if (!request || isIssued(request) || isDecided(request)) return;
    const approvals = await possibleApprovals(request);
    for (const approval of approvals) {
      if (!(await mayHave(request, approval))) continue;
      const condition = { type: 'Approved', reason: 'AutoApproved', message: approval.message, lastUpdateTime: timeText(clock.now()) };
      await unless(isNotFound, api.update(certificateSigningRequests, withCondition(request, condition), { subresource: 'approval' }));
      return;
    }
    if (approvals.length > 0)
      throw new Error(
        `${request.spec.username ?? ''} may not create ${approvals.map(({ permission }) => permission).join(' or ')} requests`,
      );
  };
  return new QueueController(environment, { name: 'certificate', workers, sync, backoffFirstMs: firstRetryMs }).watch(
    certificateSigningRequests,
  );
}
