import type { User } from '../../api/user.js';
import type { Live } from '../files/liveFile.js';
import { withAuthenticatedGroup } from './authenticator.js';
import type { Authentication, Authenticator } from './authenticator.js';
import { peerOf, subjectValues, vouchedBy, type Anchors, type Peer } from './peer.js';

/** Names the certificate in use, so that audit logs can tell two credentials of one user apart. */
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** Object identifier of the attribute of a subject that holds a uid, below the number that the Kubernetes project has. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

const certificateIdPrefix = 'X509SHA256=';

/** Whether the user was found by a client certificate. Browsers show one wherever a page leads them, as no token is shown. */
export const isByCertificate = ({ extra }: User): boolean =>
  extra[credentialIdKey]?.some((id) => id.startsWith(certificateIdPrefix)) ?? false;

const absent: Authentication = { outcome: 'absent' };
const invalid = (why: string): Authentication => ({ outcome: 'invalid', reason: `client certificate: ${why}` });

export interface CertificateOptions {
  /** Whether a subject may say the uid of its user (feature AllowParsingUserUIDFromCertAuth). */
  readonly uids: boolean;
  /** Told, with every request, how long the certificate of a user is still good for, in seconds. */
  readonly observe?: (secondsLeft: number) => void;
}

/** Authenticates by client certificate of these authorities: common name = user, organizations = groups, an attribute of Kubernetes = uid. */
export function certificateAuthenticator(anchors: Live<Anchors>, { uids, observe }: CertificateOptions): Authenticator {
  const complaint = vouchedBy(anchors);
  const users = new WeakMap<Peer, Authentication>();
  return (request) => {
    const peer = peerOf(request);
    if (peer === null) return absent;
    const wrong = complaint(peer);
    if (wrong !== null) return invalid(wrong);
    observe?.((peer.notAfter - Date.now()) / 1000);
    let user = users.get(peer);
    if (user === undefined) users.set(peer, (user = readUser(peer, uids)));
    return user;
  };
}

function readUser(peer: Peer, uids: boolean): Authentication {
  const name = subjectValues(peer, 'CN').at(-1) ?? '';
  if (name === '') return absent;
  const said = uids ? subjectValues(peer, uidAttribute) : [];
  // Who says it twice or leaves it empty may be taken for somebody else.
  if (said.length > 1) return invalid(`its subject has ${said.length} uids`);
  if (said[0] === '') return invalid('the uid in its subject is empty');
  const extra = { [credentialIdKey]: [`${certificateIdPrefix}${peer.certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { outcome: 'user', user: withAuthenticatedGroup({ name, uid: said[0] ?? '', groups: subjectValues(peer, 'O'), extra }) };
}
