import { matchesFields, type FieldSelector } from '../../../api/selectors/index.js';
import { transientObject } from '../../registry/transient.js';
import type {
  Failure,
  ListRequest,
  ListResult,
  Storage,
  StoredObject,
  WatchEvent,
  WatchEventType,
  WatchRequest,
} from '../../storage/contract.js';
import { fieldValue } from '../../storage/matching.js';
import type { Presenter } from './presenter.js';

/**
 * Field selectors of custom resources with conversion webhooks. Fields may differ in the stored form, so they are compared here; storage evaluates the rest of
 * the selection.
 */

const pageSize = 500;

/** These are the same in all versions. */
const common: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

/** Requirements that storage cannot evaluate. */
export const ownFields = (presenter: Presenter, fields: FieldSelector): FieldSelector =>
  presenter.converts ? fields.filter(({ field }) => !common.has(field)) : [];

const commonFields = (fields: FieldSelector): FieldSelector => fields.filter(({ field }) => common.has(field));
const fits = (fields: FieldSelector, object: StoredObject): boolean => matchesFields(fields, (field) => fieldValue(object, field));

/** Lists with such requirements: reads pages of one version until there are enough. */
export async function listSelected(storage: Storage, presenter: Presenter, request: ListRequest): Promise<ListResult> {
  const fields = ownFields(presenter, request.fields);
  const found: StoredObject[] = [];
  let next: ListRequest = { ...request, fields: commonFields(request.fields), limit: request.limit === null ? null : pageSize };
  for (;;) {
    const page = await storage.list(next);
    if (page.outcome !== 'found') return page;
    const { version, items, more } = page;
    const fitting = (await presenter.all(items)).filter((object) => fits(fields, object));
    found.push(...fitting);
    if (request.limit !== null && found.length >= request.limit && (more || found.length > request.limit))
      return { outcome: 'found', version, items: found.slice(0, request.limit), more: true, remaining: null };
    const last = items.at(-1);
    if (!more || last === undefined) return { outcome: 'found', version, items: found, more: false, remaining: null };
    next = { ...next, consistency: { at: 'exact', version }, after: { namespace: last.namespace, name: last.name } };
  }
}

/** The watch that storage receives instead. */
export const withoutOwnFields = (request: WatchRequest): WatchRequest => ({ ...request, fields: commonFields(request.fields) });

export interface SelectedEvent {
  readonly type: WatchEventType;
  readonly object: StoredObject;
}

/** Filters events with such requirements: objects that start or stop matching are added or deleted. */
export class SelectedEvents {
  readonly #storage: Storage;
  readonly #presenter: Presenter;
  readonly #request: WatchRequest;

  /** The client's objects, as last shown. */
  readonly #shown = new Map<string, StoredObject>();
  readonly #fields: FieldSelector;

  constructor(storage: Storage, presenter: Presenter, request: WatchRequest) {
    this.#storage = storage;
    this.#presenter = presenter;
    this.#request = request;
    this.#fields = ownFields(presenter, request.fields);
  }

  /** Determines a resuming client's objects. Null: nothing to do. */
  begin(): Promise<Failure | null> | null {
    const { start, initialEvents, resource, namespace, labels, fields, shard = null } = this.#request;
    if (start.at !== 'after' || initialEvents) return null;
    const request: ListRequest = {
      resource,
      namespace,
      labels,
      fields,
      shard,
      consistency: { at: 'exact', version: start.version },
      limit: null,
      after: null,
    };
    return listSelected(this.#storage, this.#presenter, request).then((result) => {
      if (result.outcome !== 'found') return result;
      for (const object of result.items) this.#shown.set(keyOf(object), object);
      return null;
    });
  }

  /** The event that the watcher receives, or null. */
  seen({ type, version }: WatchEvent, object: StoredObject): SelectedEvent | null {
    const key = keyOf(object);
    const before = this.#shown.get(key);
    if (type !== 'DELETED' && fits(this.#fields, object)) {
      this.#shown.set(key, object);
      return { type: before === undefined ? 'ADDED' : 'MODIFIED', object };
    }
    if (before === undefined) return null;
    this.#shown.delete(key);
    return { type: 'DELETED', object: type === 'DELETED' ? object : lastState(before, version) };
  }
}

const keyOf = ({ namespace, name }: StoredObject): string => `${namespace}/${name}`;

function lastState(object: StoredObject, version: number): StoredObject {
  const content = object.decode();
  content.metadata.resourceVersion = String(version);
  return { ...transientObject({ ...content, apiVersion: object.apiVersion }, version), fields: object.fields };
}
