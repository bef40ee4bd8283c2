import { X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../api/object.js';
import { textAt } from '../../registry/members.js';
import { invalid, Path, required, tooLong, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { subdomainName } from '../../registry/validation/names.js';
import type { Kind } from '../kind.js';
import { pemBlocks } from './pem.js';
import { validateSignerName } from './signerName.js';

const signer = Path.of('spec', 'signerName');
const bundle = Path.of('spec', 'trustBundle');
/** Characters; as in the reference. */
const bundleLengthMax = 1024 * 1024;

const signerOf = (bundle: ApiObject): string => textAt(bundle, 'spec', 'signerName');
const bundleOf = (bundle: ApiObject): string => textAt(bundle, 'spec', 'trustBundle');

/** A bundle of a signer has a name that begins with the signer's, with colons in place of slashes; other names have no colon. */
function bundleName(name: string, prefix: boolean, bundle: ApiObject): string[] {
  const signer = signerOf(bundle);
  if (signer === '') {
    return name.includes(':') ? ['ClusterTrustBundle without signer name must not have ":" in its name'] : subdomainName(name, prefix);
  }
  const wanted = `${signer.replaceAll('/', ':')}:`;
  if (!name.startsWith(wanted)) return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${wanted}`];
  return subdomainName(name.slice(wanted.length), prefix);
}

function bundleFindings(text: string): FieldError[] {
  if (text === '') return [required(bundle, 'at least one trust anchor must be provided')];
  if (text.length > bundleLengthMax) return [tooLong(bundle, bundleLengthMax)];
  const blocks = pemBlocks(text);
  if (blocks.length === 0) return [invalid(bundle, '<value omitted>', 'at least one trust anchor must be provided')];
  const seen = new Set<string>();
  return blocks.flatMap(({ type, hasHeaders, bytes }, position) => {
    const complaint =
      blockComplaint(type, hasHeaders, bytes, position) ??
      (seen.has(bytes.toString('base64')) ? `duplicate trust anchor (indices [${position}])` : null);
    seen.add(bytes.toString('base64'));
    return complaint === null ? [] : [invalid(bundle, '<value omitted>', complaint)];
  });
}

function blockComplaint(type: string, hasHeaders: boolean, bytes: Buffer, position: number): string | null {
  if (type !== 'CERTIFICATE') return `entry ${position} has bad block type: ${type}`;
  if (hasHeaders) return `entry ${position} has PEM block headers`;
  try {
    return new X509Certificate(bytes).raw.length === bytes.length ? null : `entry ${position} does not parse as X.509: trailing data`;
  } catch (error) {
    return `entry ${position} does not parse as X.509: ${(error as Error).message}`;
  }
}

const signerFindings = (bundle: ApiObject): FieldError[] => (signerOf(bundle) === '' ? [] : validateSignerName(signerOf(bundle), signer));

export const clusterTrustBundles: Kind = {
  name: 'clustertrustbundles.certificates.k8s.io',
  metadata: { name: bundleName },
  validate: (bundle) => [...signerFindings(bundle), ...bundleFindings(bundleOf(bundle))],
  update: {
    unconditional: false,
    validate: (bundle, old) => [
      // What is there already stays acceptable: rules may have become stricter since.
      ...(bundleOf(bundle) === bundleOf(old) ? [] : bundleFindings(bundleOf(bundle))),
      ...unchanged(signerOf(bundle), signerOf(old), signer),
    ],
  },
  fields: { values: { 'spec.signerName': signerOf } },
};
