import type { User } from '../../api/user.js';
import type { Live } from '../files/liveFile.js';
import { withAuthenticatedGroup } from './authenticator.js';
import type { Authentication, Authenticator } from './authenticator.js';
import { peerOf, subjectValues, vouchedBy, type Anchors, type Peer } from './peer.js';

/** Distinguishes two credentials of one user in audit logs. */
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** The subject attribute of a uid, below Kubernetes' number. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

const certificateIdPrefix = 'X509SHA256=';

/** Unlike a token, a browser sends a certificate wherever a page leads it. */
export const isByCertificate = ({ extra }: User): boolean =>
  extra[credentialIdKey]?.some((id) => id.startsWith(certificateIdPrefix)) ?? false;

const absent: Authentication = { outcome: 'absent' };
const invalid = (why: string): Authentication => ({ outcome: 'invalid', reason: `client certificate: ${why}` });

export interface CertificateOptions {
  /** Accepts the user's uid from the subject (feature AllowParsingUserUIDFromCertAuth). */
  readonly uids: boolean;
  /** Receives the seconds for which a certificate remains valid, also of a refused one (request/x509/x509.go). */
  readonly observe?: (secondsLeft: number) => void;
}

/** Reads a user from a certificate: common name, organizations (groups), and Kubernetes' uid attribute. */
export function certificateAuthenticator(anchors: Live<Anchors>, { uids, observe }: CertificateOptions): Authenticator {
  const problem = vouchedBy(anchors);
  const users = new WeakMap<Peer, Authentication>();
  return (request) => {
    const peer = peerOf(request);
    if (peer === null) return absent;
    observe?.((peer.notAfter - Date.now()) / 1000);
    const wrong = problem(peer);
    if (wrong !== null) return invalid(wrong);
    let user = users.get(peer);
    if (user === undefined) users.set(peer, (user = readUser(peer, uids)));
    return user;
  };
}

function readUser(peer: Peer, uids: boolean): Authentication {
  const name = subjectValues(peer, 'CN').at(-1) ?? '';
  if (name === '') return absent;
  const said = uids ? subjectValues(peer, uidAttribute) : [];
  if (said.length > 1) return invalid(`its subject has ${said.length} uids`);
  if (said[0] === '') return invalid('the uid in its subject is empty');
  const extra = { [credentialIdKey]: [`${certificateIdPrefix}${peer.certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { outcome: 'user', user: withAuthenticatedGroup({ name, uid: said[0] ?? '', groups: subjectValues(peer, 'O'), extra }) };
}
