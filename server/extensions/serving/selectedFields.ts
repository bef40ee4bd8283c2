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
 * Selectors on fields of custom resources that a webhook converts. Storage compares fields of objects as they are stored, where a field of another version may have another
 * value or none; so it is asked for all that the rest of the selection fits, and what is shown is compared here, in the version of the request.
 */

/** Objects that are read at once when only some of them may fit. */
const pageSize = 500;

/** These are the same in all versions. */
const common: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

/** Requirements that storage cannot judge; none for those that it can. */
export const ownFields = (presenter: Presenter, fields: FieldSelector): FieldSelector =>
  presenter.converts ? fields.filter(({ field }) => !common.has(field)) : [];

const commonFields = (fields: FieldSelector): FieldSelector => fields.filter(({ field }) => common.has(field));
const fits = (fields: FieldSelector, object: StoredObject): boolean => matchesFields(fields, (field) => fieldValue(object, field));

/** A list with such requirements: pages are read, at one version, until there is enough. */
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

/** What storage is asked to watch in place of this. */
export const withoutOwnFields = (request: WatchRequest): WatchRequest => ({ ...request, fields: commonFields(request.fields) });

/** An event as its watcher sees it. */
export interface SelectedEvent {
  readonly type: WatchEventType;
  readonly object: StoredObject;
}

/** Events of a watch with such requirements: an object that begins or ceases to fit comes or goes. */
export class SelectedEvents {
  /** What the client has, as it was last shown. */
  private readonly shown = new Map<string, StoredObject>();
  private readonly fields: FieldSelector;

  constructor(
    private readonly storage: Storage,
    private readonly presenter: Presenter,
    private readonly request: WatchRequest,
  ) {
    this.fields = ownFields(presenter, request.fields);
  }

  /** Finds out what the client has that goes on from a version. Null: nothing. */
  begin(): Promise<Failure | null> | null {
    const { start, initialEvents, resource, namespace, labels, fields, shard = null } = this.request;
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
    return listSelected(this.storage, this.presenter, request).then((result) => {
      if (result.outcome !== 'found') return result;
      for (const object of result.items) this.shown.set(keyOf(object), object);
      return null;
    });
  }

  /** What the watcher sees of an event whose object looks like this; null for nothing. */
  seen({ type, version }: WatchEvent, object: StoredObject): SelectedEvent | null {
    const key = keyOf(object);
    const before = this.shown.get(key);
    if (type !== 'DELETED' && fits(this.fields, object)) {
      this.shown.set(key, object);
      return { type: before === undefined ? 'ADDED' : 'MODIFIED', object };
    }
    if (before === undefined) return null;
    this.shown.delete(key);
    return { type: 'DELETED', object: type === 'DELETED' ? object : lastState(before, version) };
  }
}

const keyOf = ({ namespace, name }: StoredObject): string => `${namespace}/${name}`;

/** What goes is shown as it was, with the version in which it went. */
function lastState(object: StoredObject, version: number): StoredObject {
  const content = object.decode();
  content.metadata.resourceVersion = String(version);
  return { ...transientObject({ ...content, apiVersion: object.apiVersion }, version), fields: object.fields };
}
