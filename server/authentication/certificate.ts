import type { Live } from '../files/liveFile.js';
import { withAuthenticatedGroup } from './authenticator.js';
import type { Authentication, Authenticator } from './authenticator.js';
import { peerOf, subjectValues, vouchedBy, type Anchors, type Peer } from './peer.js';

/** Names the certificate in use, so that audit logs can tell two credentials of one user apart. */
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

const absent: Authentication = { outcome: 'absent' };

/** Authenticates by client certificate of these authorities: common name = user, organizations = groups. */
export function certificateAuthenticator(anchors: Live<Anchors>): Authenticator {
  const complaint = vouchedBy(anchors);
  const users = new WeakMap<Peer, Authentication>();
  return (request) => {
    const peer = peerOf(request);
    if (peer === null) return absent;
    const wrong = complaint(peer);
    if (wrong !== null) return { outcome: 'invalid', reason: `client certificate: ${wrong}` };
    let user = users.get(peer);
    if (user === undefined) users.set(peer, (user = readUser(peer)));
    return user;
  };
}

function readUser(peer: Peer): Authentication {
  const name = subjectValues(peer, 'CN').at(-1) ?? '';
  if (name === '') return absent;
  const extra = { [credentialIdKey]: [`X509SHA256=${peer.certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { outcome: 'user', user: withAuthenticatedGroup({ name, uid: '', groups: subjectValues(peer, 'O'), extra }) };
}
