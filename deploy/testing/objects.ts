import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { applyPatch, type PatchType, type PropagationPolicy, type Watch, type WatchOptions } from '../../controllers/client/api.js';
import { discover, type DiscoveredType } from '../../controllers/client/discovery.js';
import { ApiError, ConnectionError, isNotFound, StoppedError, unless } from '../../controllers/client/errors.js';
import type { JsonValue } from '../../api/object.js';
import type { Condition, KubeObject, ObjectKey } from '../../api/meta/object.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';
import type { RestApi } from '../../controllers/client/rest.js';
import { createScope } from '../../cel/environment.js';
import type { KindReference, ObjectReference } from './typed.js';
import { manifestFilesIn } from '../manifestFiles.js';
import { eventually, NotInTime, timeoutOf, type WaitOptions } from './waiting.js';

/** YAML of one or more documents, an object, or several; objects of any library's types with apiVersion, kind and metadata. */
export type Manifests = string | object | readonly object[];

export interface ApplyOptions {
  /** The owner of the fields; `raftplane-testing` unless given. */
  readonly fieldManager?: string;
  /** The namespace of namespaced objects without one. Default: `default`. */
  readonly namespace?: string;
}

/**
 * A condition that must be True, such as `Ready`; `deleted`; a CEL expression over `object`, such as `object.status.replicas == 3`; or the desired part of the
 * object. `null` is a missing object.
 */
export type Wanted<T extends KubeObject> = string | ((object: T | null) => boolean);

/** No leader, or one that was lost during the request. */
const lostWithServer: ReadonlySet<number> = new Set([503, 504]);
const persistMs = 60_000;
/** The first response timeout, doubled with each attempt for slow servers. */
const waitFirstMs = 500;
/** Bound on the printed part of an invalid object. */
const shownCharactersMax = 200;
const definitionsGroup = 'apiextensions.k8s.io';

export interface DeletionOptions {
  /** The fate of dependents; `Background` unless given. */
  readonly propagationPolicy?: PropagationPolicy;
  readonly gracePeriodSeconds?: number;
}

export interface PatchOptions {
  /** Default: a merge patch, or a JSON patch for a list. */
  readonly type?: PatchType;
  /** Such as `status`. */
  readonly subresource?: string;
}

/** Clients of the servers that answer. */
export interface Reach {
  /** Chooses anew for each attempt. */
  readonly api: () => RestApi;
  /** Called when a server did not answer, so that further requests use another connection. */
  readonly leave: () => void;
}

/** Objects of every served type, by their manifests. */
export class Objects {
  readonly #reach: Reach;
  #types: readonly DiscoveredType[] = [];

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  /**
   * Applies each manifest by server-side apply, namespaces and definitions first, and waits for types defined among them. Resolves with the stored objects in
   * the given order.
   */
  async apply(
    manifests: Manifests,
    { fieldManager = 'raftplane-testing', namespace = 'default' }: ApplyOptions = {},
  ): Promise<KubeObject[]> {
    const objects = objectsOf(manifests);
    const applied = new Map<KubeObject, KubeObject>();
    for (const object of inOrder(objects)) {
      const type = await this.typeOf(object);
      const body = type.namespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;
      const key = { namespace: body.metadata.namespace ?? '', name: body.metadata.name ?? '' };
      applied.set(object, await this.#persist((api) => api.patch(type, key, applyPatch(body, { fieldManager, force: true }))));
    }
    return objects.map((object) => applied.get(object)!);
  }

  /** Requests the deletion of existing objects, one after the other. */
  async delete(manifests: Manifests, options: DeletionOptions = {}): Promise<void> {
    for (const object of objectsOf(manifests)) {
      const { type, key } = await this.#place(object);
      await this.#persist((api) => unless(isNotFound, api.delete(type, key, { propagationPolicy: 'Background', ...options })));
    }
  }

  async get(reference: ObjectReference): Promise<KubeObject | null> {
    const { type, key } = await this.#place(reference);
    return (await this.#persist((api) => unless(isNotFound, api.get(type, key)))) ?? null;
  }

  async list({ apiVersion, kind, ...options }: KindReference): Promise<readonly KubeObject[]> {
    const type = await this.typeOf({ apiVersion, kind });
    return (await this.#persist((api) => api.list(type, options))).items;
  }

  /** Repeats a merge patch when its server dies. */
  async patch(reference: ObjectReference, body: object, { type: given, ...options }: PatchOptions = {}): Promise<KubeObject> {
    const { type, key } = await this.#place(reference);
    const form = given ?? (Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json');
    const send = (api: RestApi): Promise<KubeObject> => api.patch(type, key, { type: form, body }, options);
    return form === 'application/merge-patch+json' ? this.#persist(send) : send(this.#reach.api());
  }

  async watch({ apiVersion, kind, ...options }: KindReference): Promise<Watch<KubeObject>> {
    return this.#reach.api().watch(await this.typeOf({ apiVersion, kind }), options);
  }

  async #place(reference: ObjectReference): Promise<{ readonly type: DiscoveredType; readonly key: ObjectKey }> {
    const type = await this.typeOf(reference);
    const { namespace = type.namespaced ? 'default' : '', name = '' } = reference.metadata;
    return { type, key: { namespace, name } };
  }

  /** Applies the custom resource definitions in files and folders (recursively), and waits until all are served. */
  async installCRDs(...sources: readonly (string | object)[]): Promise<KubeObject[]> {
    const objects = readSources(sources);
    const definitions = await this.apply(objects.filter(({ kind }) => kind === 'CustomResourceDefinition'));
    if (definitions.length === 0)
      throw new Error(
        `no CustomResourceDefinition in ${sources.filter((source) => typeof source === 'string').join(', ') || 'what was given'}`,
      );
    for (const definition of definitions) {
      await this.waitFor(definition, 'Established');
      const { spec } = definition as KubeObject & {
        readonly spec: {
          readonly group: string;
          readonly names: { readonly kind: string };
          readonly versions: readonly { readonly name: string; readonly served: boolean }[];
        };
      };
      for (const { name } of spec.versions.filter(({ served }) => served))
        await this.typeOf({ apiVersion: `${spec.group}/${name}`, kind: spec.names.kind });
    }
    return definitions;
  }

  /** Resolves with the object once it matches; rejects with its last state. */
  async waitFor<T extends KubeObject>(reference: ObjectReference, wanted: Wanted<T>, options: WaitOptions = {}): Promise<T | null> {
    const { type, key } = await this.#place(reference);
    const at = { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}` };
    const holds = predicateOf(wanted);
    const signal = AbortSignal.timeout(timeoutOf(options));
    let last: T | null = null;
    try {
      for (;;) {
        const { items, metadata } = await this.#persist((api) => api.with({ signal }).list<T>(type as Resource as Resource<T>, at));
        last = items[0] ?? null;
        if (holds(last)) return last;
        const { resourceVersion } = metadata;
        const since = resourceVersion === undefined ? {} : { resourceVersion };
        const api = this.#reach.api().with({ signal });
        for await (const object of states<T>(api, { type: type as Resource as Resource<T>, ...at, ...since })) {
          last = object;
          if (holds(last)) return last;
        }
      }
    } catch (error) {
      // A response cut off by the timeout resembles a broken connection.
      if (!signal.aborted && !(error instanceof StoppedError)) throw error;
      const state = last === null ? 'it does not exist' : `it is ${JSON.stringify(last)}`;
      throw new NotInTime(
        `${reference.kind ?? 'object'} ${key.name} was not ${typeof wanted === 'string' ? wanted : 'as wanted'} within ${timeoutOf(options)} ms: ${state}`,
      );
    }
  }

  /** Sends an idempotent request. Switches to another server when one does not answer; the caller handles refusals. */
  async #persist<T>(work: (api: RestApi) => Promise<T>): Promise<T> {
    let timeoutMs = waitFirstMs;
    const attempt = (): Promise<{ readonly value: T } | { readonly error: unknown }> =>
      work(this.#reach.api().with({ timeoutMs, retries: 0 })).then(
        (value) => ({ value }),
        async (error: unknown) => {
          if (error instanceof ApiError && error.code === 429 && error.retryAfterSeconds !== null) {
            await delay(error.retryAfterSeconds * 1000);
            throw error;
          }
          if (!(error instanceof ConnectionError) && !(error instanceof ApiError && lostWithServer.has(error.code))) return { error };
          timeoutMs *= 2;
          this.#reach.leave();
          throw error;
        },
      );
    const result = await eventually(attempt, { timeoutMs: persistMs });
    if ('error' in result) throw result.error;
    return result.value;
  }

  /** Retries an unknown type for a while, since it may soon be served. */
  async typeOf({ apiVersion = '', kind = '' }: Omit<ObjectReference, 'metadata'>): Promise<DiscoveredType> {
    const find = (): DiscoveredType | undefined => this.#types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
    const known = find();
    if (known) return known;
    return eventually(async () => {
      this.#types = (await this.#persist(discover)).all;
      const found = find();
      if (!found) throw new Error(`the server knows no kind ${kind} of ${apiVersion || 'an unnamed version'}`);
      return found;
    });
  }
}

/** Yields each state of the watched object, null when missing, until the watch ends or breaks. */
async function* states<T extends KubeObject>(
  api: RestApi,
  { type, ...options }: WatchOptions & { readonly type: Resource<T> },
): AsyncGenerator<T | null> {
  try {
    for await (const event of await api.watch<T>(type, options)) {
      if (event.type === 'ERROR') return;
      if (event.type !== 'BOOKMARK') yield event.type === 'DELETED' ? null : event.object;
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  }
}

function predicateOf<T extends KubeObject>(wanted: Wanted<T>): (object: T | null) => boolean {
  if (typeof wanted === 'function') return wanted;
  if (wanted === 'deleted') return (object) => object === null;
  if (/\bobject\b/.test(wanted)) return expressionOf(wanted);
  const conditions = (object: T | null): readonly Condition[] =>
    (object as { readonly status?: { readonly conditions?: readonly Condition[] } } | null)?.status?.conditions ?? [];
  return (object) => conditions(object).some(({ type, status }) => type === wanted && status === 'True');
}

/** Throws for an invalid expression. An expression that fails because of a missing member does not hold yet. */
function expressionOf(expression: string): (object: KubeObject | null) => boolean {
  const compiled = createScope({ object: 'dyn' }).compile(expression, ['bool']);
  if (!compiled.ok) throw new Error(`waitFor ${JSON.stringify(expression)}: ${compiled.message}`);
  return (object) => {
    const result = compiled.program.evaluate({ object: object as JsonValue });
    return result.ok && result.value === true;
  };
}

/** Throws for invalid YAML. Lists are split into objects. */
export function objectsOf(manifests: Manifests): KubeObject[] {
  const all =
    typeof manifests === 'string'
      ? parseAllDocuments(manifests).flatMap((document) => {
          if (document.errors[0]) throw document.errors[0];
          return [document.toJS() as KubeObject | null];
        })
      : ([manifests].flat() as KubeObject[]);
  const flat = all
    .filter((object) => object !== null)
    .flatMap((object) => (object.kind === 'List' ? (object as unknown as { readonly items: readonly KubeObject[] }).items : [object]));
  const nameless = flat.find(
    ({ apiVersion, kind, metadata }) => !apiVersion || !kind || !(metadata as Partial<KubeObject['metadata']> | undefined)?.name,
  );
  if (nameless)
    throw new Error(`what is applied needs apiVersion, kind and metadata.name: ${JSON.stringify(nameless).slice(0, shownCharactersMax)}`);
  return flat;
}

/** Prerequisites come first. */
function inOrder(objects: readonly KubeObject[]): KubeObject[] {
  const rank = ({ kind, apiVersion = '' }: KubeObject): number =>
    kind === 'Namespace' ? 0 : apiVersion.startsWith(definitionsGroup) ? 1 : 2;
  return [...objects].sort((a, b) => rank(a) - rank(b));
}

export const readSources = (sources: readonly (string | object)[]): KubeObject[] =>
  sources.flatMap((source) =>
    typeof source === 'string' ? manifestFilesIn(source).flatMap((file) => objectsOf(fs.readFileSync(file, 'utf8'))) : objectsOf(source),
  );
