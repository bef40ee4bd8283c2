import { badRequest } from '../../../api/status.js';
import { jsonCodec } from '../../../workers/codecs/json.js';
import type { Version } from '../../storage/contract.js';

export interface ContinuePosition {
  readonly namespace: string;
  readonly name: string;
}

const format = 'meta.k8s.io/v1';
/** Continues at the latest state, like any version below zero. */
const inconsistent = -1;
const depthMax = 2;

const invalid = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);

/** Tokens contain nothing that a client could not request openly, and so need no signature. `version` null is an inconsistent continuation. */
export function encodeContinue(version: Version | null, last: ContinuePosition, allNamespaces: boolean): string {
  const start = `${allNamespaces ? `${last.namespace}/` : ''}${last.name}\u0000`;
  return Buffer.from(JSON.stringify({ v: format, rv: version ?? inconsistent, start })).toString('base64url');
}

/** Throws 400 for a token not made by this server. */
export function decodeContinue(
  token: string,
  allNamespaces: boolean,
  namespace: string,
): { readonly version: Version | null; readonly position: ContinuePosition } {
  const { v, rv, start } = fieldsOf(token);
  if (v !== format) throw invalid(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    throw invalid(`incorrect encoded start resourceVersion (version ${format})`);
  if (typeof start !== 'string' || start === '') throw invalid(`encoded start key empty (version ${format})`);
  if (start.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) throw invalid(start);
  return { version: rv < 0 ? null : rv, position: positionOf(start.replace(/\u0000$/, ''), allNamespaces, namespace) };
}

function positionOf(key: string, allNamespaces: boolean, namespace: string): ContinuePosition {
  if (!allNamespaces) return { namespace, name: key };
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: key, name: '' } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function fieldsOf(token: string): { v?: unknown; rv?: unknown; start?: unknown } {
  const foreign = token.search(/[^A-Za-z0-9_-]/);
  if (foreign >= 0) throw invalid(`illegal base64 data at input byte ${foreign}`);
  if (token.length % 4 === 1) throw invalid(`illegal base64 data at input byte ${token.length - 1}`);
  const decoded = jsonCodec.decode(Buffer.from(token, 'base64url'), { findDuplicates: false, depthMax: depthMax });
  if (!decoded.ok) throw invalid(decoded.message);
  const { value } = decoded;
  return typeof value === 'object' && value !== null ? value : {};
}

export const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - ' +
  'objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
