import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { keyOf } from './fieldSet.js';
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
            .map((name) => `${name}=${spelled(key[name] ?? null)}`)
            .join(',')}]`;
        }
      }
    })
    .join('');
}

/** Members of an object stand side by side (`ToString` in structured-merge-diff's value/value.go). */
function spelled(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`;
  if (!isObject<JsonObject>(value)) return writeJson(value);
  return Object.entries(value)
    .map(([name, each = null]) => `${name}=${spelled(each)}`)
    .join('');
}

/** Names the manager in a conflict: updaters with their version, appliers without. */
export function describeConflict({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}
