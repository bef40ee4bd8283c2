import { quoted } from '../../../workers/codecs/goQuotes.js';
import { isRecognized } from '../../../workers/schema/custom/formats.js';
import type { Spec } from './hoisting.js';
import { schemasOf } from './oldSchemas.js';
import { anySchema, typeOf } from './schema/nodes.js';

/** Unknown formats are accepted with a warning, unless they were there before. */
export function formatWarnings(spec: Spec, old: Spec | null): string[] {
  const known = new Set(old === null ? [] : unrecognized(old));
  return [...new Set(unrecognized(spec))].filter((format) => !known.has(format)).map((format) => `unrecognized format ${quoted(format)}`);
}

function unrecognized(spec: Spec): string[] {
  const formats: string[] = [];
  for (const schema of schemasOf(spec))
    anySchema(schema, (node) => {
      const { format = '' } = node;
      if (format !== '' && !isRecognized(format, typeOf(node))) formats.push(format);
      return false;
    });
  return formats;
}
