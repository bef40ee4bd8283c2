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

const filesOf = (source: JsonObject): string[] | null =>
  Array.isArray(source['items']) ? objectsIn(source, 'items').map((item) => textAt(item, 'path')) : null;

export function overlappingPaths(spec: JsonObject): string[] {
  const comparisons = { left: comparisonsMax };
  return objectsIn(spec, 'volumes').flatMap((volume) => overlapsOfVolume(volume, comparisons));
}

function overlapsOfVolume(volume: JsonObject, comparisons: Comparisons): string[] {
  const called = `volume ${JSON.stringify(textAt(volume, 'name'))}`;
  const [configMap, secret, downward, projected] = ['configMap', 'secret', 'downwardAPI', 'projected'].map((member) =>
    objectAt(volume, member),
  );
  return [
    ...(configMap
      ? overlaps(filesOf(configMap) ?? [], `${called} (ConfigMap ${JSON.stringify(textAt(configMap, 'name'))})`, comparisons)
      : []),
    ...(secret ? overlaps(filesOf(secret) ?? [], `${called} (Secret ${JSON.stringify(textAt(secret, 'secretName'))})`, comparisons) : []),
    ...(downward ? overlaps(filesOf(downward) ?? [], `${called} (DownwardAPI)`, comparisons) : []),
    ...(projected ? projectedOverlaps(objectsIn(projected, 'sources'), called, comparisons) : []),
  ];
}

/** Checks each source by itself, then with earlier ones. */
function projectedOverlaps(sources: readonly JsonObject[], called: string, comparisons: Comparisons): string[] {
  const earlier = new Set<string>();
  return sources.flatMap((source) => {
    if (Object.keys(source).length === 0) return [`${called} (Projected) has no sources provided`];
    const found = comparisons.left < earlier.size ? null : projection(source);
    if (found === null || found.files.length === 0) return [];
    // Earlier files are sorted for each source.
    comparisons.left -= earlier.size;
    const what = `${called} (Projected ${found.what})`;
    const own = [...new Set(found.files)];
    const warnings = [...overlaps(found.files, what, comparisons), ...overlaps([...own, ...earlier].sort(), what, comparisons)];
    for (const file of own) earlier.add(file);
    return warnings;
  });
}

function projection(source: JsonObject): { readonly what: string; readonly files: readonly string[] } | null {
  const [configMap, secret, downward, token] = ['configMap', 'secret', 'downwardAPI', 'serviceAccountToken'].map((member) =>
    objectAt(source, member),
  );
  const named = (what: string, holder: JsonObject): string => `${what} ${JSON.stringify(textAt(holder, 'name'))}`;
  if (configMap && filesOf(configMap) !== null) return { what: named('ConfigMap', configMap), files: filesOf(configMap) ?? [] };
  if (secret && filesOf(secret) !== null) return { what: named('Secret', secret), files: filesOf(secret) ?? [] };
  if (downward && filesOf(downward) !== null) return { what: 'DownwardAPI', files: filesOf(downward) ?? [] };
  return token ? { what: 'ServiceAccountToken', files: [textAt(token, 'path')] } : null;
}

function overlaps(files: readonly string[], what: string, comparisons: Comparisons): string[] {
  const seen = new Set<string>();
  const warnings: string[] = [];
  for (const file of files.map((each) => withoutTrailing(each, '/'))) {
    if (comparisons.left < 0) break;
    const other = file === '' ? undefined : inTheWay(file, seen, comparisons);
    seen.add(file);
    if (other === undefined) continue;
    comparisons.left -= warningComparisons;
    warnings.push(`${what}: overlapping paths: ${JSON.stringify(file)} with ${JSON.stringify(other)}`);
  }
  return warnings;
}

/** The first equal path, or a parent or child of it. */
function inTheWay(file: string, seen: Iterable<string>, comparisons: Comparisons): string | undefined {
  for (const each of seen) {
    if (--comparisons.left < 0) return undefined;
    if (each !== '' && (each === file || each.startsWith(`${file}/`) || file.startsWith(`${each}/`))) return each;
  }
  return undefined;
}
