import { X509Certificate } from 'node:crypto';
import { memberAt, textAt, type ApiObject } from '../language.js';
import type { UpdateObserver } from '../../registry/observers.js';
import { pemBlocks } from './pem.js';

export interface Issue {
  /** `other` for signers outside Kubernetes, whose names are unlimited. */
  readonly signer: string;
  /** Whether its lifetime is about the requested one. */
  readonly honored: boolean;
}

/** Null where a change issues none, or no duration was requested. */
function issueIn(object: ApiObject, old: ApiObject): Issue | null {
  const wanted = memberAt(old, 'spec', 'expirationSeconds');
  const certificate = textAt(object, 'status', 'certificate');
  if (textAt(old, 'status', 'certificate') !== '' || certificate === '' || wanted === undefined) return null;
  const name = textAt(old, 'spec', 'signerName');
  const signer = name.startsWith('kubernetes.io/') ? name : 'other';
  return { signer, honored: isHonored(Number(wanted), secondsOf(certificate)) };
}

/** Signers set the start back a little, and round. */
const toleranceSeconds = 5 * 60;
const tolerancePart = 1 / 20;
const isHonored = (wanted: number, given: number): boolean => Math.abs(wanted - given) < toleranceSeconds + wanted * tolerancePart;

/** The lifetime of the first certificate, which has been validated. */
function secondsOf(base64: string): number {
  const [first] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  const { validFrom, validTo } = new X509Certificate(first?.bytes ?? '');
  return (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
}

export const issueObserver = (issued: (issue: Issue) => void): UpdateObserver => ({
  resource: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' },
  subresource: 'status',
  updated(object, old) {
    const issue = issueIn(object.decode(), old.decode());
    if (issue !== null) issued(issue);
  },
});
