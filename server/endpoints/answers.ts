import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Status } from '../api/status.js';
import { StatusError } from '../api/status.js';
import { apiVersionOf } from '../api/resource.js';
import type { ServedResource } from '../catalogue/resources.js';
import type { ListPage } from '../registry/contract.js';
import type { StoredObject } from '../storage/contract.js';
import type { RequestContext, Response } from './context.js';
import type { EncodedList, ListMeta, TypeMeta } from './encoders/encoder.js';
import { encodeContinue } from './options/continueToken.js';
import type { Representation } from './negotiation.js';
import { tableOf } from './table/table.js';

/** Lists are written in pieces of about this size: large enough to be cheap, small enough not to hold up other requests. */
const CHUNK_BYTES = 128 * 1024;

export const PARTIAL = 'PartialObjectMetadata';

export const typeOf = (resource: ServedResource): TypeMeta => ({ kind: resource.kind, apiVersion: apiVersionOf(resource) });

/** A single stored object in the form that the client asked for, with kind and apiVersion. */
export function encodeObject({ encoder, form }: Representation, resource: ServedResource, stored: StoredObject): Buffer {
  switch (form.form) {
    case 'object': return encoder.object(typeOf(resource), encoder.item(resource, stored, false));
    case 'partial': return encoder.object({ kind: PARTIAL, apiVersion: form.apiVersion }, encoder.item(resource, stored, true));
    case 'table': return encoder.document(tableOf(resource, [stored], { resourceVersion: String(stored.version) }, form));
  }
}

/** Answers with one object. Throws 406 when the client asked for a list. */
export function sendObject(context: RequestContext, representation: Representation, resource: ServedResource, stored: StoredObject, code = 200): void {
  const { form } = representation;
  if (form.form === 'partial' && form.list) throw new StatusError(406, 'NotAcceptable', `you requested ${PARTIAL}List, but the requested object is not a list (*${internalName(resource)})`);
  send(context, code, representation.encoder.mediaType, encodeObject(representation, resource, stored));
}

const internalName = ({ group, kind }: ServedResource): string => `${group.split('.')[0] === '' ? 'core' : group.split('.')[0]}.${kind}`;

/** Answers with a document that is no stored object. */
export function sendDocument(context: RequestContext, { encoder }: Representation, value: object, code = 200): void {
  send(context, code, encoder.mediaType, encoder.document(value));
}

/** The Status that says a deletion is complete. */
export function deletedStatus({ group, resource }: ServedResource, name: string, uid: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, ...(group === '' ? {} : { group }), kind: resource, uid } };
}

/** Answers with a list, in pieces when it is large. `allNamespaces` decides what a continue token has to name. */
export async function sendList(context: RequestContext, representation: Representation, resource: ServedResource, page: ListPage, allNamespaces: boolean): Promise<void> {
  const { encoder, form } = representation;
  const meta = listMeta(page, allNamespaces);
  if (form.form === 'table') return send(context, 200, encoder.mediaType, encoder.document(tableOf(resource, page.items, meta, form)));
  const metadataOnly = form.form === 'partial';
  if (metadataOnly && !form.list) throw new StatusError(406, 'NotAcceptable', `you requested ${PARTIAL}, but the requested object is a list (*${internalName(resource)}List)`);
  const type = metadataOnly ? { kind: `${PARTIAL}List`, apiVersion: form.apiVersion } : { kind: resource.listKind, apiVersion: apiVersionOf(resource) };
  await sendParts(context, encoder.mediaType, encoder.list(type, meta, page.items.map(stored => encoder.item(resource, stored, metadataOnly))));
}

export function listMeta({ version, items, more, remaining }: ListPage, allNamespaces: boolean): ListMeta {
  const last = items.at(-1);
  if (!more || last === undefined) return { resourceVersion: String(version) };
  const token = encodeContinue(version, last, allNamespaces);
  return { resourceVersion: String(version), continue: token, ...(remaining === null || remaining <= 0 ? {} : { remainingItemCount: remaining }) };
}

/** Small lists go out in one piece; large ones in several, between which other requests get their turn. */
async function sendParts(context: RequestContext, contentType: string, { parts, size }: EncodedList): Promise<void> {
  const { response } = context;
  if (size !== null && size <= CHUNK_BYTES) return send(context, 200, contentType, Buffer.concat([...parts], size));
  writeHead(context, 200, contentType, size);
  let pending: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    pending.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    await writeAll(response, Buffer.concat(pending, bytes));
    if (isGone(response)) return;
    pending = [];
    bytes = 0;
  }
  response.end(Buffer.concat(pending, bytes));
}

/** Nobody reads the answer any more. Responses over HTTP/2 know it only of the stream below them. */
export const isGone = (response: Response): boolean => ('stream' in response ? response.stream.destroyed : response.destroyed);

/** Both kinds of response are streams that take bytes; their overloads merely do not unify. */
export const asWritable = (response: Response): Writable => response as unknown as Writable;

/** Writes, and gives other requests their turn; waits for a client that reads slowly. */
async function writeAll(response: Response, bytes: Buffer): Promise<void> {
  const more = asWritable(response).write(bytes);
  if (more) await setImmediate();
  else await drained(response);
}

/** Settles once the client has taken what was written, or has gone. */
export function drained(response: Response): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (isGone(response)) done();
  });
}

export function send(context: RequestContext, code: number, contentType: string, bytes: Buffer): void {
  if (context.response.headersSent || isGone(context.response)) return;
  writeHead(context, code, contentType, bytes.length);
  context.response.end(bytes);
}

/** The page that the reference shows for paths of which nothing at all is known. */
export function sendPageNotFound(context: RequestContext): void {
  send(context, 404, 'text/plain; charset=utf-8', Buffer.from('404 page not found\n'));
}

/** `length` is null for a stream. */
export function writeHead({ response, warnings }: RequestContext, code: number, contentType: string, length: number | null): void {
  response.statusCode = code;
  response.setHeader('content-type', contentType);
  if (length !== null) response.setHeader('content-length', length);
  if (warnings.length > 0) response.setHeader('warning', [...new Set(warnings)].map(warningHeader));
}

/** RFC 9111, section 5.5: code 299, the agent as "-", the text quoted. Characters that no header may carry become spaces. */
const warningHeader = (text: string): string => `299 - "${text.replace(/[^\u0020-\u007e]/g, ' ').replace(/["\\]/g, '\\$&')}"`;
