import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { keyOf } from './fieldset.js';
import type { ManagerEntry } from './managers.js';

/** Formats a path as `.spec.containers[name="c"].image`, `.metadata.finalizers[="x"]`. */
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

/** Names the manager in a conflict. Updaters are named with their version, appliers by name alone. */
export function describeConflict({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}
