import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { ApiObject } from '../../../../api/object.js';
import type { GroupResource } from '../../../../api/resource.js';
import type { FieldsOf, LiveFields } from '../../../../server/storage/storedObject.js';
import type { Admission } from '../../../../server/registry/admission.js';
import { builtInResources, createCatalogue } from '../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../server/registry/resources.js';
import type { Converter, WebhookConverters } from '../../../../server/extensions/conversion/contract.js';
import { CustomResources, definitionsResource } from '../../../../server/extensions/definitions.js';
import { LifeCycles } from '../../../../server/extensions/lifecycle/controller.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import type { Change, Registry } from '../../../../server/registry/contract.js';
import type { Target } from '../../../../server/registry/target.js';
import { createRegistry } from '../../../../server/registry/store.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import type { Storage, StoredObject } from '../../../../server/storage/contract.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

export const definitionFixture = (name: string): ApiObject =>
  parse(fs.readFileSync(path.join(packageRoot, 'test', 'fixtures', 'definitions', `${name}.yaml`), 'utf8')) as ApiObject;

/** A definition, by default with one version. */
export function definition(plural: string, kind: string, more: Readonly<Record<string, unknown>> = {}, group = 'example.com'): ApiObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } },
        status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [{ name: 'v1', served: true, storage: true, schema }], ...more },
  } as ApiObject;
}

export const noWebhooks: WebhookConverters = () => {
  throw new Error('no definition of this test has a webhook');
};

/** Custom resources over storage in memory, without HTTP: one server, or several over the same storage. */
export class ExtensionServer {
  readonly registry: Registry;
  readonly custom: CustomResources;
  readonly #builtIn = createCatalogue();
  #lifeCycles: LifeCycles | null = null;
  readonly reported: unknown[] = [];

  private constructor(
    readonly storage: Storage,
    webhooks: WebhookConverters,
    admission: Admission | null,
  ) {
    this.custom = new CustomResources({
      storage,
      builtIn: this.#builtIn,
      isBuiltIn: builtInResources(),
      webhooks,
      report: (error) => {
        this.reported.push(error);
      },
    });
    this.registry = createRegistry({ storage, admission });
  }

  static async start({
    storage: shared,
    webhooks = noWebhooks,
    admission = null,
    alone = true,
  }: {
    readonly storage?: Storage;
    readonly webhooks?: WebhookConverters;
    readonly admission?: Admission | null;
    readonly alone?: boolean;
  } = {}): Promise<ExtensionServer> {
    const storage: Storage =
      shared ??
      createStorage((resource) => ({
        get current(): FieldsOf | null {
          return server.custom.fieldsOf(resource).current;
        },
      }));
    const server: ExtensionServer = new ExtensionServer(storage, webhooks, admission);
    if (alone)
      await server.registry.create(
        { resource: server.#entry('', 'v1', 'namespaces'), namespace: '', name: '' },
        { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default' } },
        ownWrites,
      );
    await server.custom.synced;
    const definitions = server.#entry(definitionsResource.group, 'v1', definitionsResource.resource);
    server.#lifeCycles = new LifeCycles({
      resources: server.custom,
      storage,
      registry: server.registry,
      definitions,
      apiServices: server.#entry('apiregistration.k8s.io', 'v1', 'apiservices'),
      now: () => '2026-01-01T00:00:00Z',
      report: (_, error) => {
        server.reported.push(error);
      },
    });
    return server;
  }

  stop(): void {
    this.#lifeCycles?.stop();
    this.custom.stop();
  }

  #entry(group: string, version: string, resource: string): ServedResource {
    const found = this.#builtIn.resource(group, version, resource);
    if (found === null) throw new Error(`${resource} is not served`);
    return found;
  }

  apiServiceTarget(name: string): Target {
    return { resource: this.#entry('apiregistration.k8s.io', 'v1', 'apiservices'), namespace: '', name };
  }

  definitionTarget(name: string): Target {
    return { resource: this.#entry(definitionsResource.group, 'v1', definitionsResource.resource), namespace: '', name };
  }

  /** Creates a definition and waits until it is served. */
  async define(object: ApiObject): Promise<void> {
    await this.registry.create(this.definitionTarget(''), object, ownWrites);
    const {
      group,
      names: { plural },
    } = object['spec'] as unknown as { readonly group: string; readonly names: { readonly plural: string } };
    await this.until(() => this.custom.typeOf({ group, resource: plural }) !== null);
  }

  async changeDefinition(name: string, change: (object: ApiObject) => ApiObject): Promise<StoredObject> {
    const written = await this.update(this.definitionTarget(name), { apply: (current) => change(current ?? { metadata: {} }) });
    await this.custom.settled();
    return written;
  }

  async update(target: Target, change: Pick<Change, 'apply'> & Partial<Change>): Promise<StoredObject> {
    return (await this.registry.update(target, { subresource: '', uid: null, mayCreate: null, ...change }, ownWrites)).object;
  }

  target(version: string, resource: string, name = '', group = 'example.com'): Target {
    const found = this.custom.catalogue.resource(group, version, resource);
    if (found === null) throw new Error(`${resource} of ${group}/${version} is not served`);
    return { resource: found, namespace: found.namespaced ? 'default' : '', name };
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.custom.onChange(() => {
        look();
      });
      const look = (): void => {
        if (!holds()) return;
        unsubscribe();
        resolve();
      };
      look();
    });
  }
}

/** `definedFields`: selectable fields of custom types; none by default. */
export const createStorage = (definedFields: (resource: GroupResource) => LiveFields | null = () => null): Storage =>
  createMemoryStorage({ selectableFields: (resource) => selectableFieldsOf(resource) ?? definedFields(resource), startVersion: 1000 });

/** Converts by a function and counts calls; calls may wait for a gate. */
export class FakeConverter implements Converter {
  readonly #change: (object: ApiObject, apiVersion: string) => ApiObject;
  calls = 0;
  gate: Promise<void> = Promise.resolve();

  constructor(change: (object: ApiObject, apiVersion: string) => ApiObject) {
    this.#change = change;
  }

  async convert(objects: ApiObject[], apiVersion: string): Promise<ApiObject[]> {
    this.calls++;
    await this.gate;
    return objects.map((object) => (object.apiVersion === apiVersion ? object : this.#change({ ...object, apiVersion }, apiVersion)));
  }

  close(): void {}
}
