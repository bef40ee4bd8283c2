import { X509Certificate, type KeyObject } from 'node:crypto';
import { formatDuration } from '../../../api/duration.js';
import { timeOf } from '../../../api/time.js';
import type * as v1beta1 from '../../../api/types/certificates/v1beta1.js';
import { invalid, Path, textAt, tooLong, type FieldError, type Writable } from '../language.js';
import { required } from '../../registry/validation/field.js';
import { pemBlocks } from './pem.js';
import { keyOf } from './podKey.js';

type Status = Writable<v1beta1.PodCertificateRequestStatus>;
type Spec = Writable<v1beta1.PodCertificateRequestSpec>;

const chainPath = Path.of('status', 'certificateChain');
const chainBytesMax = 100 * 1024;
const minute = 60_000;
const lifetimeMin = 60 * minute;
const refreshMargin = 10 * minute;
const clockSkew = 5 * minute;
const pemType = 'CERTIFICATE';
const times: readonly (readonly [member: 'notBefore' | 'notAfter' | 'beginRefreshAt', detail: string])[] = [
  ['notBefore', 'must be present and consistent with the issued certificate'],
  ['notAfter', 'must be present and consistent with the issued certificate'],
  ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
];

/** Checks the issued certificates. One error hides later ones. */
export function validateIssued(status: Status, spec: Spec, now: string): FieldError[] {
  const chain = textAt(status, 'certificateChain');
  const refuse = (detail: string): FieldError[] => [invalid(chainPath, chain, detail)];
  if (Buffer.byteLength(chain) > chainBytesMax) return [tooLong(chainPath, chainBytesMax)];
  const [first, ...others] = pemBlocks(chain);
  if (first === undefined) return refuse('issued certificate chain must contain at least one certificate');
  if (first.type !== pemType) return refuse('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const leaf = certificateIn(first.bytes);
  if (leaf === null) return refuse('leaf certificate does not parse as valid X.509');
  const names = nameFindings(leaf);
  if (!isFor(leaf, keyOf(spec))) return [...names, ...refuse('leaf certificate was not issued to the requested public key')];
  const missing = times
    .filter(([member]) => textAt(status, member) === '')
    .map(([member, detail]) => required(Path.of('status', member), detail));
  if (names.length + missing.length > 0) return [...names, ...missing];
  const untimely = timeFindings(status, spec, leaf, now);
  if (untimely.length > 0) return untimely;
  for (const { type, bytes } of others) {
    if (type !== pemType) return refuse('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    if (certificateIn(bytes) === null) return refuse('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

function certificateIn(bytes: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(bytes);
  } catch {
    return null;
  }
}

const isFor = (leaf: X509Certificate, key: KeyObject | null): boolean => key?.equals(leaf.publicKey) === true;

function nameFindings({ subjectAltName = '' }: X509Certificate): FieldError[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const [kind = '', ...rest] = entry.split(':');
    const name = rest.join(':');
    const refuse = (detail: string): FieldError => invalid(chainPath, name, detail);
    if (kind === 'email') return /^[^\s@]+@[^\s@]+$/.test(name) ? [] : [refuse('leaf certificate should not contain invalid EmailAddress')];
    if (kind !== 'DNS') return [];
    return [
      ...(name === '' ? [refuse('leaf certificate should not contain empty DNSName')] : []),
      ...(name.includes('..') ? [refuse("leaf certificate's DNSName should not contain '..'")] : []),
      ...(name.startsWith('.') || name.endsWith('.') ? [refuse("leaf certificate's DNSName should not start or end with '.'")] : []),
    ];
  });
}

const printedTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;

/** Times are not quoted, unlike texts. */
const misplaced = (path: Path, shown: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: `Invalid value: ${shown}: ${detail}`,
});

function timeFindings(status: Status, spec: Spec, leaf: X509Certificate, now: string): FieldError[] {
  const [notBefore, notAfter, refresh] = times.map(([member]) => timeOf(textAt(status, member))) as [number, number, number];
  const [begin, end] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const seconds = Number(spec.maxExpirationSeconds ?? 0);
  const at = (member: string, ms: number, detail: string): FieldError[] => [misplaced(Path.of('status', member), printedTime(ms), detail)];
  const lasting = (detail: string): FieldError[] => [misplaced(chainPath, formatDuration(end - begin), detail)];
  if (notBefore !== begin) return at('notBefore', notBefore, 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(notBefore - timeOf(now)) >= clockSkew)
    return at('notBefore', notBefore, "must be set to within 5 minutes of kube-apiserver's current time");
  if (notAfter !== end) return at('notAfter', notAfter, 'must be set to the NotAfter time encoded in the leaf certificate');
  if (end - begin < lifetimeMin) return lasting('leaf certificate lifetime must be >= 1 hour');
  if (end - begin > seconds * 1000) return lasting(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${seconds})`);
  if (refresh < notBefore + refreshMargin) return at('beginRefreshAt', refresh, 'must be at least 10 minutes after status.notBefore');
  if (refresh > notAfter - refreshMargin) return at('beginRefreshAt', refresh, 'must be at least 10 minutes before status.notAfter');
  return [];
}
