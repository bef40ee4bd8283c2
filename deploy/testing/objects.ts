import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { applyPatch } from '../../controllers/client/api.js';
import { discover, type DiscoveredType } from '../../controllers/client/discovery.js';
import { ApiError, ConnectionError, isNotFound, StoppedError, unless } from '../../controllers/client/errors.js';
import type { JsonValue } from '../../api/object.js';
import type { Condition, KubeObject } from '../../api/meta/object.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';
import type { RestApi } from '../../controllers/client/rest.js';
import { createScope } from '../../server/cel/environment.js';
import { eventually, NotInTime, timeoutOf, type WaitOptions } from './waiting.js';

/** YAML of one or more documents, an object, or several; of any library's types with apiVersion, kind and metadata. */
export type Manifests = string | object | readonly object[];

export interface ApplyOptions {
  /** The owner of the fields; `raftplane-testing` unless given. */
  readonly fieldManager?: string;
  /** The namespace of namespaced objects that name none; `default` unless given. */
  readonly namespace?: string;
}

/** Names one object: an object itself suffices. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/**
 * A condition that must be True, such as `Ready`; `deleted`; an expression in CEL over `object`, such as `object.status.replicas == 3`; or the desired part of
 * the object. `null` stands for a missing object.
 */
export type Wanted<T extends KubeObject> = string | ((object: T | null) => boolean);

/** No leader, or one that was lost during the request. */
const lostWithServer: ReadonlySet<number> = new Set([503, 504]);
/** Longer than a request hangs at an isolated member, until the balancer notices and breaks the connection. */
const persistMs = 60_000;
/** Bound on the printed part of an invalid object. */
const shownCharactersMax = 200;
const definitionsGroup = 'apiextensions.k8s.io';

/** Objects of every served type, by their manifests. */
export class Objects {
  readonly #api: RestApi;
  #types: readonly DiscoveredType[] = [];

  constructor(api: RestApi) {
    this.#api = api;
  }

  /**
   * Applies each in turn by server-side apply. Waits for types that one of them defines (custom resource definitions). Resolves with the objects as the server
   * has them.
   */
  async apply(
    manifests: Manifests,
    { fieldManager = 'raftplane-testing', namespace = 'default' }: ApplyOptions = {},
  ): Promise<KubeObject[]> {
    const applied: KubeObject[] = [];
    for (const object of inOrder(objectsOf(manifests))) {
      const type = await this.typeOf(object);
      const body = type.namespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;
      const key = { namespace: body.metadata.namespace ?? '', name: body.metadata.name ?? '' };
      applied.push(await this.#persist(() => this.#api.patch(type, key, applyPatch(body, { fieldManager, force: true }))));
    }
    return applied;
  }

  /** Asks for the deletion of objects, one after the other, as far as they exist. */
  async delete(manifests: Manifests): Promise<void> {
    for (const object of objectsOf(manifests)) {
      const type = await this.typeOf(object);
      const { namespace = type.namespaced ? 'default' : '', name = '' } = object.metadata;
      await this.#persist(() => unless(isNotFound, this.#api.delete(type, { namespace, name }, { propagationPolicy: 'Background' })));
    }
  }

  /** Applies the custom resource definitions in files and folders (below them as well), and waits until all are served. */
  async installCRDs(...sources: readonly (string | object)[]): Promise<KubeObject[]> {
    const objects = sources.flatMap((source) =>
      typeof source === 'string' ? manifestFiles(source).flatMap((file) => objectsOf(fs.readFileSync(file, 'utf8'))) : objectsOf(source),
    );
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
        await this.typeOf({ apiVersion: `${spec.group}/${name}`, kind: spec.names.kind, metadata: {} });
    }
    return definitions;
  }

  /** Resolves with the object once it matches; rejects with its last state. */
  async waitFor<T extends KubeObject>(reference: ObjectReference, wanted: Wanted<T>, options: WaitOptions = {}): Promise<T | null> {
    const type: Resource<T> = (await this.typeOf(reference)) as Resource as Resource<T>;
    const { name = '', namespace = type.namespaced ? 'default' : '' } = reference.metadata;
    const holds = predicateOf(wanted);
    const signal = AbortSignal.timeout(timeoutOf(options));
    const api = this.#api.with({ signal });
    let last: T | null = null;
    try {
      for (;;) {
        const {
          items: [object = null],
          metadata: { resourceVersion },
        } = await api.list<T>(type, { namespace, fieldSelector: `metadata.name=${name}` });
        last = object;
        if (holds(last)) return last;
        const watch = await api.watch<T>(type, {
          namespace,
          fieldSelector: `metadata.name=${name}`,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        });
        for await (const event of watch) {
          if (event.type === 'ERROR') break;
          if (event.type === 'BOOKMARK') continue;
          last = event.type === 'DELETED' ? null : event.object;
          if (holds(last)) return last;
        }
      }
    } catch (error) {
      // A response that the timeout has cut off resembles a broken connection.
      if (!signal.aborted && !(error instanceof StoppedError)) throw error;
      const state = last === null ? 'it does not exist' : `it is ${JSON.stringify(last)}`;
      throw new NotInTime(
        `${reference.kind ?? 'object'} ${name} was not ${typeof wanted === 'string' ? wanted : 'as wanted'} within ${timeoutOf(options)} ms: ${state}`,
      );
    }
  }

  /** Applying twice equals applying once: so a request can be retried when a server dies with it. Refusals are the caller's. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const result = await eventually(
      () =>
        work().then(
          (value) => ({ value }),
          (error: unknown) => {
            if (error instanceof ConnectionError || (error instanceof ApiError && lostWithServer.has(error.code))) throw error;
            return { error };
          },
        ),
      { timeoutMs: persistMs },
    );
    if ('error' in result) throw result.error;
    return result.value;
  }

  /** Retries for a while where a type is unknown: it may be about to be served. */
  async typeOf({ apiVersion = '', kind = '' }: ObjectReference): Promise<DiscoveredType> {
    const find = (): DiscoveredType | undefined => this.#types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
    const known = find();
    if (known) return known;
    return eventually(async () => {
      this.#types = (await discover(this.#api)).all;
      const found = find();
      if (!found) throw new Error(`the server knows no kind ${kind} of ${apiVersion || 'an unnamed version'}`);
      return found;
    });
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

/** Throws for an expression that can never hold. One that fails, because a member is missing, does not hold yet. */
function expressionOf(expression: string): (object: KubeObject | null) => boolean {
  const compiled = createScope({ object: 'dyn' }).compile(expression, ['bool']);
  if (!compiled.ok) throw new Error(`waitFor ${JSON.stringify(expression)}: ${compiled.message}`);
  return (object) => {
    const result = compiled.program.evaluate({ object: object as JsonValue });
    return result.ok && result.value === true;
  };
}

/** Throws for YAML that cannot be read. Lists are taken apart. */
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

function manifestFiles(source: string): string[] {
  if (!fs.statSync(source).isDirectory()) return [source];
  return fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort()
    .map((file) => path.join(source, file));
}
