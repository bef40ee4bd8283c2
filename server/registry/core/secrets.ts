import type { ApiObject } from '../../api/object.js';
import { membersOf, textAt } from '../members.js';
import type { Strategy } from '../strategy.js';

const DEFAULT_TYPE = 'Opaque';

/** `stringData` is a way to write `data` without base64; it is never kept. */
function foldStringData(secret: ApiObject): void {
  const { stringData, ...rest } = secret;
  const texts = Object.entries(membersOf(stringData));
  delete secret['stringData'];
  if (texts.length === 0) return;
  secret['data'] = { ...membersOf(rest['data']), ...Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])) };
}

export const secrets: Strategy = {
  setDefaults(secret) {
    foldStringData(secret);
    if ((secret['type'] ?? '') === '') secret['type'] = DEFAULT_TYPE;
  },
  selectableFieldNames: ['type'],
  selectableFields: secret => ({ type: textAt(secret['type']) }),
};
