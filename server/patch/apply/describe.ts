import type { JsonValue } from '../../api/object.js';
import type { ManagerEntry } from './managers.js';

/** A path as people read it: `.spec.containers[name="c"].image`, `.metadata.finalizers[="x"]`. */
export function spellPath(path: readonly string[]): string {
  return path.map((element) => {
    const body = element.slice(2);
    switch (element[0]) {
      case 'f': return `.${body}`;
      case 'v': return `[=${body}]`;
      case 'i': return `[${body}]`;
      default: {
        const key = JSON.parse(body) as Record<string, JsonValue>;
        return `[${Object.keys(key).map((name) => `${name}=${JSON.stringify(key[name])}`).join(',')}]`;
      }
    }
  }).join('');
}

/** Whom a write collides with. Updaters are named with the version that they wrote in, appliers are known by their name alone. */
export function describeConflict({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}
