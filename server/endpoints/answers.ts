import type { ShardSelector } from '../../api/shards.js';
import { turns } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import { apiVersionOf } from '../../api/resource.js';
import type { JsonObject } from '../../api/object.js';
import type { Status } from '../../api/status.js';
import { measured, timed, type LatencyPart } from '../../program/tracing/requestLatency.js';
import type { ListPage } from '../registry/contract.js';
import type { ServedResource } from '../registry/resources.js';
import type { StoredObject } from '../storage/contract.js';
import type { RequestContext } from './context.js';
import type { EncodedList, Encoder, ListMeta, TypeMeta } from './encoders/encoder.js';
import { jsonEncoder } from './encoders/json.js';
import { ListBodies } from './listBodies.js';
import { partial, refuseMetadataOf, type Representation } from './negotiation.js';
import { encodeContinue } from './options/continueToken.js';
import { send, sendParts } from './sending.js';
import { tableOf, tableOfMany, type TableForm } from './table/table.js';

export { send, sendPageNotFound, sendShared } from './sending.js';

const sliceItems = 32;

export const typeOf = (resource: ServedResource): TypeMeta => ({ kind: resource.kind, apiVersion: apiVersionOf(resource) });

export function encodeObject({ encoder, form }: Representation, resource: ServedResource, stored: StoredObject): Buffer {
  switch (form.form) {
    case 'object':
      return encoder.object(typeOf(resource), encoder.item(resource, stored, false));
    case 'partial':
      return encoder.object({ kind: partial, apiVersion: form.apiVersion }, encoder.item(resource, stored, true));
    case 'table':
      return encoder.document(tableOf(resource, [stored], { resourceVersion: String(stored.version) }, { form }));
  }
}

interface Served {
  readonly resource: ServedResource;
  readonly stored: StoredObject;
}

/** Throws 406 when the client requested a list. */
export function sendObject(context: RequestContext, representation: Representation, served: Served, code = 200): void {
  const bytes = measured(context.latency, encoding(representation), () => singleObject(representation, served));
  context.audit?.responseBody(() => singleObject({ ...representation, encoder: jsonEncoder }, served));
  send(context, code, representation.encoder.mediaType, bytes);
}

/** The same, compressed if large and `compress` is set. */
export function sendObjectRead(context: RequestContext, representation: Representation, served: Served, compress: boolean): Promise<void> {
  const bytes = measured(context.latency, encoding(representation), () => singleObject(representation, served));
  context.audit?.responseBody(() => singleObject({ ...representation, encoder: jsonEncoder }, served));
  return sendParts(context, representation.encoder.mediaType, { parts: [bytes], size: bytes.length }, compress);
}

/** The cells of a table take most of its time. */
const encoding = ({ form }: Representation): LatencyPart =>
  form.form === 'table' ? 'transform-response-object' : 'serialize-response-object';

function singleObject(representation: Representation, { resource, stored }: Served): Buffer {
  refuseMetadataOf(representation, resource, 'object');
  return encodeObject(representation, resource, stored);
}

/** Sends a Status unchanged, other documents in the requested form. Those with a table supply it. */
export function sendDocument(
  context: RequestContext,
  { encoder, form }: Representation,
  value: object,
  { code = 200, table }: DocumentOptions = {},
): void {
  const shown = inForm(value, form, table);
  context.audit?.responseBody(() => jsonEncoder.document(shown));
  send(context, code, encoder.mediaType, encoder.document(shown));
}

interface DocumentOptions {
  readonly code?: number;
  readonly table?: (form: TableForm) => object;
}

function inForm(
  value: { readonly kind?: string; readonly metadata?: object },
  form: Representation['form'],
  table: DocumentOptions['table'],
): object {
  if (value.kind === 'Status' || form.form === 'object') return value;
  return form.form === 'partial'
    ? { kind: partial, apiVersion: form.apiVersion, metadata: value.metadata ?? {} }
    : (table?.(form) ?? value);
}

export function deletedStatus({ group, resource }: ServedResource, name: string, uid: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind: resource, uid },
  };
}

interface ServedPage {
  readonly resource: ServedResource;
  readonly page: ListPage;
  readonly allNamespaces: boolean;
  /** The requested part, which the list names; null for all. */
  readonly shard?: ShardSelector | null;
}

export async function sendList(
  context: RequestContext,
  representation: Representation,
  served: ServedPage,
  compress = false,
): Promise<void> {
  const encoded = await timed(context.latency, encoding(representation), () => encodeList(representation, served));
  if (context.audit?.wantsResponse === true) {
    const { parts } = await encodeList({ ...representation, encoder: jsonEncoder }, served);
    context.audit.responseBody(() => Buffer.concat([...parts]));
  }
  await sendParts(context, representation.encoder.mediaType, encoded, compress);
}

async function encodeList(
  { encoder, form }: Representation,
  { resource, page, allNamespaces, shard = null }: ServedPage,
): Promise<EncodedList> {
  const meta = {
    ...listMeta(page, allNamespaces, form.form === 'object' && resource.behaviour.selfDescribed),
    ...(shard === null ? {} : { shardInfo: { selector: shard.text } }),
  };
  if (form.form === 'table') {
    const { head, rows } = tableOfMany(resource, page.items, meta, { form });
    return rows === null ? wholeDocument(encoder, { ...head, rows }) : encoder.table(head, rows, page.items.length);
  }
  const metadataOnly = form.form === 'partial';
  refuseMetadataOf({ encoder, form }, resource, 'list');
  const type = metadataOnly
    ? { kind: `${partial}List`, apiVersion: form.apiVersion }
    : { kind: resource.listKind, apiVersion: apiVersionOf(resource) };
  const items = await bodies.of(
    page.items,
    `${encoder.mediaType} ${apiVersionOf(resource)} ${metadataOnly ? `metadata ${form.apiVersion}` : ''}`,
    async () => encoder.items(await turns.run(encodeItems(encoder, resource, page.items, metadataOnly)), itemType(resource, form)),
  );
  return encoder.list(type, meta, items, page.items.length);
}

function wholeDocument(encoder: Encoder, document: JsonObject): EncodedList {
  const bytes = encoder.document(document);
  return { parts: [bytes], size: bytes.length };
}

function itemType(resource: ServedResource, form: Representation['form']): TypeMeta | null {
  if (form.form === 'partial') return { kind: partial, apiVersion: form.apiVersion };
  return resource.behaviour.selfDescribed ? typeOf(resource) : null;
}

/** A list depends on the state alone. */
const bodies = new ListBodies();

/** Usually all items are encoded; if not, other requests run in between. */
function* encodeItems(encoder: Encoder, resource: ServedResource, items: readonly StoredObject[], metadataOnly: boolean): Steps<Buffer[]> {
  const encoded: Buffer[] = [];
  for (const stored of items) {
    encoded.push(encoder.item(resource, stored, metadataOnly));
    if (encoded.length % sliceItems === 0) yield;
  }
  return encoded;
}

/** `complete`: the token is present even if it is empty. */
function listMeta({ version, items, more, remaining }: ListPage, allNamespaces: boolean, complete: boolean = false): ListMeta {
  const last = items.at(-1);
  if (!more || last === undefined) return { resourceVersion: String(version), ...(complete ? { continue: '' } : {}) };
  const token = encodeContinue(version, last, allNamespaces);
  return {
    resourceVersion: String(version),
    continue: token,
    ...(remaining === null || remaining <= 0 ? {} : { remainingItemCount: remaining }),
  };
}
