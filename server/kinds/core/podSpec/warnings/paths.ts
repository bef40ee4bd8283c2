import type { JsonObject } from '../../../../../api/object.js';
import { withoutTrailing } from '../../../../../api/trailing.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';

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

const filesOf = (holder: JsonObject, source = ''): readonly File[] =>
  objectsIn(holder, 'items').map((item) => ({ path: textAt(item, 'path'), source }));

export function overlappingPaths(spec: JsonObject): string[] {
  const comparisons = { left: comparisonsMax };
  return objectsIn(spec, 'volumes').flatMap((volume) => overlapsOfVolume(volume, comparisons));
}

function overlapsOfVolume(volume: JsonObject, comparisons: Comparisons): string[] {
  const called = `volume ${JSON.stringify(textAt(volume, 'name'))}`;
  const [configMap, secret, downward, projected] = ['configMap', 'secret', 'downwardAPI', 'projected'].map((member) =>
    objectAt(volume, member),
  );
  const ofOne = (holder: JsonObject, what: string): string[] => overlaps(filesOf(holder), [], `${called} (${what})`, comparisons);
  return [
    ...(configMap ? ofOne(configMap, named('ConfigMap', configMap)) : []),
    ...(secret ? ofOne(secret, named('Secret', secret, 'secretName')) : []),
    ...(downward ? ofOne(downward, 'DownwardAPI') : []),
    ...(projected ? projectedOverlaps(objectsIn(projected, 'sources'), `${called} (Projected)`, comparisons) : []),
  ];
}

const named = (what: string, holder: JsonObject, member = 'name'): string => `${what} ${JSON.stringify(textAt(holder, member))}`;

/** The files of all sources are in one folder. */
function projectedOverlaps(sources: readonly JsonObject[], called: string, comparisons: Comparisons): string[] {
  const seen: File[] = [];
  return sources.flatMap((source) =>
    Object.keys(source).length === 0 ? [`${called} has no sources provided`] : overlaps(filesOfSource(source), seen, called, comparisons),
  );
}

/** A source that takes all keys of its object has no files that are known. */
function filesOfSource(source: JsonObject): readonly File[] {
  const [configMap, secret, downward, token, bundle, certificate] = [
    'configMap',
    'secret',
    'downwardAPI',
    'serviceAccountToken',
    'clusterTrustBundle',
    'podCertificate',
  ].map((member) => objectAt(source, member));
  if (configMap && Array.isArray(configMap['items'])) return filesOf(configMap, named('ConfigMap', configMap));
  if (secret && Array.isArray(secret['items'])) return filesOf(secret, named('Secret', secret));
  if (downward && Array.isArray(downward['items'])) return filesOf(downward, 'DownwardAPI');
  if (token) return [{ path: textAt(token, 'path'), source: 'ServiceAccountToken' }];
  if (bundle)
    return [{ path: textAt(bundle, 'path'), source: named('ClusterTrustBundle', bundle, 'name' in bundle ? 'name' : 'signerName') }];
  return certificate ? filesOfCertificate(certificate) : [];
}

const filesOfCertificate = (certificate: JsonObject): readonly File[] =>
  [
    { path: textAt(certificate, 'certificateChainPath'), source: 'PodCertificate chain' },
    { path: textAt(certificate, 'keyPath'), source: 'PodCertificate key' },
    { path: textAt(certificate, 'credentialBundlePath'), source: 'PodCertificate credential bundle' },
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

/** Returns whether two files have one path, or one needs the other as a folder. */
const overlap = (a: string, b: string): boolean => a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
