import { apiVersionOf } from '../api/resource.js';
import type { GroupVersion } from '../api/resource.js';

/** Keys that stand for many versions, most particular first; a version named by itself wins over all of them. */
const stages: readonly (readonly [key: string, covers: (version: string) => boolean])[] = [
  ['api/alpha', (version) => version.includes('alpha')],
  ['api/beta', (version) => version.includes('beta')],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/all', () => true],
];

/** What `--runtime-config` says of a group version, or else what the release does. Keys are `group/version`, `v1` or one of the stages. Pure. */
export function servedBy(config: Readonly<Record<string, string>>): (groupVersion: GroupVersion, byDefault: boolean) => boolean {
  return (groupVersion, byDefault) => {
    const keys = [apiVersionOf(groupVersion), ...(groupVersion.group === '' ? ['api/v1'] : []), ...stages.filter(([, covers]) => covers(groupVersion.version)).map(([key]) => key)];
    const said = keys.map((key) => config[key]).find((value) => value !== undefined);
    return said === undefined ? byDefault : said !== 'false';
  };
}

/** Keys that name nothing that could be served. */
export function unknownKeys(config: Readonly<Record<string, string>>, known: readonly GroupVersion[]): string[] {
  const names = new Set([...known.map(apiVersionOf), 'api/v1', ...stages.map(([key]) => key)]);
  return Object.keys(config).filter((key) => !names.has(key));
}
