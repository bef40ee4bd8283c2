import type * as v1beta1 from '../../../api/types/certificates/v1beta1.js';
import { X509Certificate } from 'node:crypto';
import {
  andThen,
  inOrder,
  invalid,
  maxBytes,
  members,
  nonZero,
  objectRules,
  orEmpty,
  subdomainName,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
} from '../language.js';
import { immutable } from '../immutable.js';
import { pemBlocks, type PemBlock } from './pem.js';
import { validateSignerName } from './signerName.js';

type Bundle = Draft<v1beta1.ClusterTrustBundle>;

const bundleBytesMax = 1024 * 1024;

const signerOf = ({ spec }: Bundle): string => spec?.signerName ?? '';
const bundleOf = ({ spec }: Bundle): string => spec?.trustBundle ?? '';

/** Begins with the signer's name, with colons in place of slashes. */
function bundleName(name: string, prefix: boolean, bundle: Bundle): string[] {
  const signer = signerOf(bundle);
  if (signer === '') {
    return name.includes(':') ? ['ClusterTrustBundle without signer name must not have ":" in its name'] : subdomainName(name, prefix);
  }
  const wanted = `${signer.replaceAll('/', ':')}:`;
  if (!name.startsWith(wanted)) return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${wanted}`];
  return subdomainName(name.slice(wanted.length), prefix);
}

const signer = objectRules<v1beta1.ClusterTrustBundle>({
  spec: members<v1beta1.ClusterTrustBundleSpec>({ signerName: nonZero(validateSignerName) }),
});
const content = objectRules<v1beta1.ClusterTrustBundle>({
  spec: members<v1beta1.ClusterTrustBundleSpec>({ trustBundle: orEmpty(andThen(maxBytes(bundleBytesMax), anchors)) }),
});

function anchors(text: string, path: Path): FieldError[] {
  const blocks = pemBlocks(text);
  const problems = blocks.flatMap((block, position) => blockProblem(block, position) ?? []);
  const found = problems.length > 0 ? problems : setProblems(blocks);
  return found.map((problem) => invalid(path, '<value omitted>', problem));
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock, position: number): string | null {
  if (type !== 'CERTIFICATE') return `entry ${position} has bad block type: ${type}`;
  if (hasHeaders) return `entry ${position} has PEM block headers`;
  const certificate = certificateIn(bytes);
  if (certificate === null) return `entry ${position} does not parse as X.509`;
  return certificate.ca ? null : `entry ${position} does not have the CA bit set`;
}

function certificateIn(bytes: Buffer): X509Certificate | null {
  try {
    const certificate = new X509Certificate(bytes);
    return certificate.raw.length === bytes.length ? certificate : null;
  } catch {
    return null;
  }
}

function setProblems(blocks: readonly PemBlock[]): string[] {
  if (blocks.length === 0) return ['at least one trust anchor must be provided'];
  const places = new Map<string, number[]>();
  for (const [position, { bytes }] of blocks.entries()) {
    const key = bytes.toString('base64');
    places.set(key, [...(places.get(key) ?? []), position]);
  }
  return [...places.values()]
    .filter(({ length }) => length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(' ')}])`);
}

export const clusterTrustBundles: Kind<Bundle> = {
  name: 'clustertrustbundles.certificates.k8s.io',
  metadata: { name: bundleName },
  validate: (bundle) => inOrder(signer(bundle), content(bundle)),
  update: {
    unconditional: false,
    review: [
      'objectMeta', // A changed signer no longer matches the name.
      signer, // Existing content stays acceptable under stricter rules.
      (bundle, old) => (bundleOf(bundle) === bundleOf(old) ? [] : content(bundle)),
      'objectMetaUpdate',
      immutable('spec.signerName', (name = '') => name),
    ],
  },
  fields: { values: { 'spec.signerName': signerOf } },
};
