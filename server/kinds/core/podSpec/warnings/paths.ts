import { withoutTrailing } from '../../../../../api/trailing.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import { isSet, itemsOf, type Writable } from '../../../language.js';

/** Pairs of files are quadratic, and warnings are only advice. */
const comparisonsMax = 100_000;
/** The cost of a warning, which limits their number to a hundred. */
const warningComparisons = 1_000;
interface Comparisons {
  left: number;
}

/** `source`: the one of several sources that has the file; empty where a volume has one. */
interface File {
  readonly path: string;
  readonly source: string;
}

interface Holder {
  readonly items?: readonly { readonly path?: string }[];
}
const filesOf = ({ items }: Holder, source = ''): readonly File[] => itemsOf(items).map(({ path = '' }) => ({ path, source }));

export function overlappingPaths(spec: Writable<v1.PodSpec>): string[] {
  const comparisons = { left: comparisonsMax };
  return itemsOf(spec.volumes).flatMap((volume) => overlapsOfVolume(volume, comparisons));
}

function overlapsOfVolume(
  { name = '', configMap, secret, downwardAPI, projected }: Writable<v1.Volume>,
  comparisons: Comparisons,
): string[] {
  const called = `volume ${JSON.stringify(name)}`;
  const ofOne = (holder: Holder, what: string): string[] => overlaps(filesOf(holder), [], `${called} (${what})`, comparisons);
  return [
    ...(isSet(configMap) ? ofOne(configMap, named('ConfigMap', configMap.name)) : []),
    ...(isSet(secret) ? ofOne(secret, named('Secret', secret.secretName)) : []),
    ...(isSet(downwardAPI) ? ofOne(downwardAPI, 'DownwardAPI') : []),
    ...(isSet(projected) ? projectedOverlaps(itemsOf(projected.sources), `${called} (Projected)`, comparisons) : []),
  ];
}

const named = (what: string, name = ''): string => `${what} ${JSON.stringify(name)}`;

/** The files of all sources are in one folder. */
function projectedOverlaps(sources: readonly Writable<v1.VolumeProjection>[], called: string, comparisons: Comparisons): string[] {
  const seen: File[] = [];
  return sources.flatMap((source) =>
    Object.keys(source).length === 0 ? [`${called} has no sources provided`] : overlaps(filesOfSource(source), seen, called, comparisons),
  );
}

/** A source that takes all keys of its object has no files that are known. */
function filesOfSource({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken: token,
  clusterTrustBundle: bundle,
  podCertificate,
}: Writable<v1.VolumeProjection>): readonly File[] {
  if (isSet(configMap?.items)) return filesOf(configMap, named('ConfigMap', configMap.name));
  if (isSet(secret?.items)) return filesOf(secret, named('Secret', secret.name));
  if (isSet(downwardAPI?.items)) return filesOf(downwardAPI, 'DownwardAPI');
  if (isSet(token)) return [{ path: token.path ?? '', source: 'ServiceAccountToken' }];
  if (isSet(bundle))
    return [{ path: bundle.path ?? '', source: named('ClusterTrustBundle', 'name' in bundle ? bundle.name : bundle.signerName) }];
  return isSet(podCertificate) ? filesOfCertificate(podCertificate) : [];
}

const filesOfCertificate = (certificate: Writable<v1.PodCertificateProjection>): readonly File[] =>
  [
    { path: certificate.certificateChainPath ?? '', source: 'PodCertificate chain' },
    { path: certificate.keyPath ?? '', source: 'PodCertificate key' },
    { path: certificate.credentialBundlePath ?? '', source: 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '');

const printed = ({ path, source }: File): string => `${JSON.stringify(path)}${source === '' ? '' : ` (${source})`}`;

/** Compares each file with those before it, and adds it to `seen`. */
function overlaps(files: readonly File[], seen: File[], what: string, comparisons: Comparisons): string[] {
  const warnings: string[] = [];
  for (const { path, source } of files) {
    const file = { path: withoutTrailing(path, '/'), source };
    for (const other of seen) {
      if (--comparisons.left < 0) return warnings;
      if (!overlap(file.path, other.path)) continue;
      comparisons.left -= warningComparisons;
      warnings.push(`${what}: overlapping paths: ${printed(file)} with ${printed(other)}`);
    }
    seen.push(file);
  }
  return warnings;
}

const overlap = (a: string, b: string): boolean => a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
