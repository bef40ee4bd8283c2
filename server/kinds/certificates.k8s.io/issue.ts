import { X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../../api/object.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import type { UpdateObserver } from '../../registry/observers.js';
import { pemBlocks } from './pem.js';

/** A certificate that was issued to somebody who has said for how long. */
export interface Issue {
  /** `other` for all but those of Kubernetes: names of signers are anybody's invention. */
  readonly signer: string;
  /** Whether it is good for about that long. */
  readonly honored: boolean;
}

/** Null where a change issues none, or nobody has said for how long. */
function issueIn(object: ApiObject, old: ApiObject): Issue | null {
  const wanted = memberAt(old, 'spec', 'expirationSeconds');
  const certificate = textAt(object, 'status', 'certificate');
  if (textAt(old, 'status', 'certificate') !== '' || certificate === '' || wanted === undefined) return null;
  const name = textAt(old, 'spec', 'signerName');
  const signer = name.startsWith('kubernetes.io/') ? name : 'other';
  return { signer, honored: isHonored(Number(wanted), secondsOf(certificate)) };
}

/** Signers set the beginning back a little, and round. */
const toleranceSeconds = 5 * 60;
const tolerancePart = 1 / 20;
const isHonored = (wanted: number, given: number): boolean => Math.abs(wanted - given) < toleranceSeconds + wanted * tolerancePart;

/** How long the first certificate is good for. Validation has found that it is one. */
function secondsOf(base64: string): number {
  const [first] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  const { validFrom, validTo } = new X509Certificate(first?.bytes ?? '');
  return (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
}

/** Tells of certificates that are issued. */
export const issueObserver = (issued: (issue: Issue) => void): UpdateObserver => ({
  resource: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' },
  subresource: 'status',
  updated(object, old) {
    const issue = issueIn(object.decode(), old.decode());
    if (issue !== null) issued(issue);
  },
});
