import type { JsonObject } from '../../../../api/object.js';
import { withoutTrailing } from '../../../../api/trailing.js';
import { objectAt, objectsIn } from '../../../defaulting.js';
import { textAt } from '../../../members.js';

/** Files of one volume that would be written over each other, or stand in each other's way as a file and a folder. */

const filesOf = (source: JsonObject): string[] | null => (Array.isArray(source['items']) ? objectsIn(source, 'items').map(item => textAt(item, 'path')) : null);

export const overlappingPaths = (spec: JsonObject): string[] => objectsIn(spec, 'volumes').flatMap(volume => {
  const called = `volume ${JSON.stringify(textAt(volume, 'name'))}`;
  const [configMap, secret, downward, projected] = ['configMap', 'secret', 'downwardAPI', 'projected'].map(member => objectAt(volume, member));
  return [
    ...(configMap ? overlaps(filesOf(configMap) ?? [], `${called} (ConfigMap ${JSON.stringify(textAt(configMap, 'name'))})`) : []),
    ...(secret ? overlaps(filesOf(secret) ?? [], `${called} (Secret ${JSON.stringify(textAt(secret, 'secretName'))})`) : []),
    ...(downward ? overlaps(filesOf(downward) ?? [], `${called} (DownwardAPI)`) : []),
    ...(projected ? projectedOverlaps(objectsIn(projected, 'sources'), called) : []),
  ];
});

/** Each source by itself, then together with those before it. */
function projectedOverlaps(sources: readonly JsonObject[], called: string): string[] {
  const earlier = new Set<string>();
  return sources.flatMap(source => {
    if (Object.keys(source).length === 0) return [`${called} (Projected) has no sources provided`];
    const found = projection(source);
    if (found === null || found.files.length === 0) return [];
    const what = `${called} (Projected ${found.what})`;
    const own = [...new Set(found.files)];
    const warnings = [...overlaps(found.files, what), ...overlaps([...own, ...earlier].sort(), what)];
    for (const file of own) earlier.add(file);
    return warnings;
  });
}

function projection(source: JsonObject): { readonly what: string; readonly files: readonly string[] } | null {
  const [configMap, secret, downward, token] = ['configMap', 'secret', 'downwardAPI', 'serviceAccountToken'].map(member => objectAt(source, member));
  const named = (what: string, holder: JsonObject): string => `${what} ${JSON.stringify(textAt(holder, 'name'))}`;
  if (configMap && filesOf(configMap) !== null) return { what: named('ConfigMap', configMap), files: filesOf(configMap) ?? [] };
  if (secret && filesOf(secret) !== null) return { what: named('Secret', secret), files: filesOf(secret) ?? [] };
  if (downward && filesOf(downward) !== null) return { what: 'DownwardAPI', files: filesOf(downward) ?? [] };
  return token ? { what: 'ServiceAccountToken', files: [textAt(token, 'path')] } : null;
}

function overlaps(files: readonly string[], what: string): string[] {
  const seen = new Set<string>();
  return files.map(file => withoutTrailing(file, '/')).flatMap(file => {
    const other = file === '' ? undefined : [...seen].find(each => each !== '' && (each === file || `${each}/`.startsWith(file) || `${file}/`.startsWith(each)));
    seen.add(file);
    return other === undefined ? [] : [`${what}: overlapping paths: ${JSON.stringify(file)} with ${JSON.stringify(other)}`];
  });
}
