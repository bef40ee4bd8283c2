import type { ApiObject } from '../../api/object.js';
import { forbidden, invalidObject } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { Authorizer } from './authorizer.js';
import { onlyBookkeepingChanged } from './bookkeeping.js';
import { organizationsOf } from '../kinds/certificates.k8s.io/request.js';
import { sameValue } from '../../api/json/equality.js';
import { memberAt, textAt } from '../../api/json/members.js';
import { forbidden as fieldForbidden, Path, toCause } from '../registry/validation/field.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission.js';

/** The signer determines who may approve and sign certificates; no certificate makes an administrator. */

const group = 'certificates.k8s.io';
const resources = [`certificatesigningrequests.${group}`];
const podRequests = `podcertificaterequests.${group}`;
const clientSigner = 'kubernetes.io/kube-apiserver-client';
const administrators = 'system:masters';

const signerOf = (request: ApiObject | null): string => textAt(request ?? undefined, 'spec', 'signerName');

/** A permission covers one signer, or all of a domain. */
async function demand({ resource, name, old, user }: AdmissionRequest, verb: 'approve' | 'sign', authorize: Authorizer): Promise<void> {
  const signer = signerOf(old);
  if (await mayUseSigner({ user, verb, signer, authorize })) return;
  throw forbidden(resource.storage, name, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}

interface SignerUse {
  readonly user: User;
  readonly verb: 'approve' | 'sign' | 'attest';
  readonly signer: string;
  readonly authorize: Authorizer;
}

async function mayUseSigner({ user, verb, signer, authorize }: SignerUse): Promise<boolean> {
  return (await mayUse(user, verb, signer, authorize)) || mayUse(user, verb, `${signer.split('/')[0] ?? ''}/*`, authorize);
}

async function mayUse(user: User, verb: string, signer: string, authorize: Authorizer): Promise<boolean> {
  const { decision } = await authorize({
    isResource: true,
    user,
    verb,
    group,
    version: '*',
    namespace: '',
    resource: 'signers',
    subresource: '',
    name: signer,
  });
  return decision === 'allow';
}

const issues = ({ object, old }: AdmissionRequest): boolean =>
  ['certificate', 'conditions'].some(
    (member) => !sameValue(memberAt(object ?? undefined, 'status', member), memberAt(old ?? undefined, 'status', member)),
  );

export const certificateGuards = (authorize: Authorizer): readonly AdmissionPlugin[] => [
  {
    name: 'CertificateApproval',
    resources,
    async validate(request) {
      if (request.operation === 'UPDATE' && request.subresource === 'approval') await demand(request, 'approve', authorize);
    },
  },
  {
    name: 'CertificateSigning',
    resources,
    async validate(request) {
      if (request.operation === 'UPDATE' && request.subresource === 'status' && issues(request)) await demand(request, 'sign', authorize);
    },
  },
  podRequestSigning(authorize),
  subjectRestriction,
  bundleAttestation(authorize),
];

/** Not a plugin of the reference, which checks this in validation as an invalid status. */
const podRequestSigning = (authorize: Authorizer): AdmissionPlugin => ({
  name: 'PodCertificateRequestSigning',
  resources: [podRequests],
  async validate({ operation, subresource, object, old, resource, name, user }) {
    if (operation !== 'UPDATE' || subresource !== 'status' || object === null || old === null) return;
    const signer = signerOf(old);
    if (sameValue(object['status'], old['status']) || (await mayUseSigner({ user, verb: 'sign', signer, authorize }))) return;
    const problem = `User ${JSON.stringify(user.name)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`;
    throw invalidObject(resource.storage, name, [toCause(fieldForbidden(Path.of('spec', 'signerName'), problem))]);
  },
});

const subjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources,
  validate({ operation, object, resource, name }) {
    if (
      operation !== 'CREATE' ||
      object === null ||
      signerOf(object) !== clientSigner ||
      !organizationsOf(textAt(object, 'spec', 'request')).includes(administrators)
    )
      return;
    throw forbidden(resource.storage, name, `use of ${clientSigner} signer with ${administrators} group is not allowed`);
  },
};

/** The bundle's writer decides which certificates its users trust. */
const bundleAttestation = (authorize: Authorizer): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  resources: [`clustertrustbundles.${group}`],
  async validate({ operation, object, old, resource, name, user }) {
    if (object === null || operation === 'DELETE' || (old !== null && onlyBookkeepingChanged(object, old))) return;
    const signer = signerOf(object);
    if (signer === '' || (await mayUseSigner({ user, verb: 'attest', signer, authorize }))) return;
    throw forbidden(resource.storage, name, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
  },
});
