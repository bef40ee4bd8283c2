import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { keyOf } from './fieldset.js';
import type { ManagerEntry } from './managers.js';

/** A path as people read it: `.spec.containers[name="c"].image`, `.metadata.finalizers[="x"]`. */
export function spellPath(path: readonly string[]): string {
  return path
    .map((element) => {
      const body = element.slice(2);
      switch (element[0]) {
        case 'f':
          return `.${body}`;
        case 'v':
          return `[=${body}]`;
        case 'i':
          return `[${body}]`;
        default: {
          const key = keyOf(element);
          return `[${Object.keys(key)
            .map((name) => `${name}=${writeJson(key[name])}`)
            .join(',')}]`;
        }
      }
    })
    .join('');
}

/** Whom a write collides with. Updaters are named with the version that they wrote in, appliers are known by their name alone. */
export function describeConflict({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}
