import { quoted } from '../../../workers/codecs/goQuotes.js';
import { isRecognized } from '../../../workers/schema/custom/formats.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { anySchema, typeOf } from './schema/nodes.js';

/** Unknown formats are accepted with a warning, unless they were there before. */
export function formatWarnings(spec: JsonObject, old: JsonObject | null): string[] {
  const known = new Set(old === null ? [] : unrecognized(old));
  return [...new Set(unrecognized(spec))].filter((format) => !known.has(format)).map((format) => `unrecognized format ${quoted(format)}`);
}

function unrecognized(spec: JsonObject): string[] {
  const formats: string[] = [];
  for (const version of objectsIn(spec, 'versions')) {
    const schema = objectAt(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
    if (schema !== null)
      anySchema(schema, (node) => {
        const format = textAt(node, 'format');
        if (format !== '' && !isRecognized(format, typeOf(node))) formats.push(format);
        return false;
      });
  }
  return formats;
}
