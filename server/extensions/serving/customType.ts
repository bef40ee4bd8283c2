import type { Steps } from '../../../api/steps.js';
import type { JsonMembers } from '../../../workers/codecs/value.js';
import { messageBytesMax } from '../../storage/requestSize.js';
import { storable } from './growth.js';
import { compile } from '../../../workers/schema/custom/compile.js';
import { unknownFieldText, type CompiledSchema, type MergeSchema, type ReceiveResult } from '../../../workers/schema/custom/contract.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { forbidden, type StatusError } from '../../../api/status.js';
import { compileRules } from '../../../cel/rules/compile.js';
import type { RuleTimes } from '../../../cel/rules/times.js';
import { embeddedRules } from '../../kinds/apiextensions.k8s.io/embeddedRules.js';
import { fieldsAt, fieldsOf } from '../../kinds/fields.js';
import type { Schema } from '../../patch/apply/schema.js';
import { schemaOfKind } from '../../patch/apply/typeSchema.js';
import { withMetadata, type Behaviour, type Received } from '../../registry/behaviour.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { itemsOf } from '../../../api/json/members.js';
import type { ResourceNames, ServedResource, Subresource } from '../../registry/resources.js';
import { wholeStrategy } from '../../registry/wholeStrategy.js';
import type { FieldsOf } from '../../storage/storedObject.js';
import type { Converter, WebhookConverters } from '../conversion/contract.js';
import type { DefinedVersion, Definition } from '../definition.js';
import { compareVersions } from '../versions.js';
import { tableColumns } from './columns.js';
import { Presenter } from './presenter.js';
import { ownedPath, scaleForm } from './scale.js';
import { customRules } from './rules.js';
import { versionedStorage } from './versionedStorage.js';

/** Ordered as in the reference. */
const verbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']);
const endingVerbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch']);
const subresourceVerbs: ReadonlySet<string> = new Set(['get', 'patch', 'update']);

/** Compiled on first use. */
interface CompiledVersion {
  readonly defined: DefinedVersion;
  readonly apiVersion: string;
  readonly schema: () => CompiledSchema;
  readonly mergeTypes: () => Schema;
  readonly rules: () => ReturnType<typeof compileRules>;
}

export interface CustomTypeOptions {
  readonly definition: Definition;
  readonly webhooks: WebhookConverters;
  readonly ruleTimes: RuleTimes;
  readonly isTerminating: () => boolean;
}

/** Catalogue entries and behaviour of one definition. A change of specification or accepted names replaces and retires it. */
export class CustomType {
  readonly #options: CustomTypeOptions;

  /** Served versions, the preferred one first. */
  readonly resources: readonly ServedResource[];
  /** The same while the definition is being deleted. */
  readonly endingResources: readonly ServedResource[];
  /** The written version, served or not, for work on all objects. */
  readonly whole: ServedResource | null;
  /** Values for field selectors of stored objects, for all versions. */
  readonly fieldsOf: FieldsOf | null;
  /** Null where versions differ only in name. */
  readonly converter: Converter | null;
  readonly #versions: ReadonlyMap<string, CompiledVersion>;
  readonly #retirement = new AbortController();

  constructor(options: CustomTypeOptions) {
    this.#options = options;
    const { definition } = options;
    this.converter = converterOf(options);
    this.#versions = new Map(
      definition.versions.map((defined) => {
        const apiVersion = apiVersionOf({ group: definition.group, version: defined.name });
        return [apiVersion, compiledVersion(defined, apiVersion, options)];
      }),
    );
    const fields = [...new Set(definition.versions.flatMap(({ selectableFields }) => selectableFields))];
    this.fieldsOf = fields.length === 0 ? null : fieldsOf(fieldsAt(...fields));
    const served = definition.versions.filter((version) => version.served).sort((a, b) => compareVersions(a.name, b.name));
    this.resources = served.map((version) => this.#serve(version));
    this.endingResources = this.resources.map((resource) => ({ ...resource, listedVerbs: endingVerbs }));
    const written = definition.versions.find(({ name }) => name === definition.storageVersion);
    this.whole =
      this.resources.find(({ version }) => version === definition.storageVersion) ?? (written === undefined ? null : this.#serve(written));
  }

  get definition(): Definition {
    return this.#options.definition;
  }

  /** Compiles served versions before their first request, in steps. */
  *compileAhead(): Steps<void> {
    for (const { defined, schema, mergeTypes, rules } of this.#versions.values()) {
      if (!defined.served) continue;
      for (const step of [schema, mergeTypes, rules]) {
        if (this.#retirement.signal.aborted) return;
        step();
        yield;
      }
    }
  }

  /** Ends watches, which would otherwise show an outdated form. */
  retire(): void {
    this.#retirement.abort();
    this.converter?.close();
  }

  #serve(version: DefinedVersion): ServedResource {
    const names = namesOf(this.definition, version);
    return { ...names, behaviour: this.#behaviourOf(names, version) };
  }

  get #merging(): Behaviour['versions'] {
    return {
      schemaOf: (name) => this.#versions.get(name)?.mergeTypes() ?? null,
      convert: renamed,
      // getStatusResetFields of customresource_handler.go.
      resets: (subresource, name) => subresource === 'status' && this.#versions.get(name)?.defined.hasStatus === true,
    };
  }

  #behaviourOf(names: ResourceNames, version: DefinedVersion): Behaviour {
    const { definition, converter } = this;
    const options = this.#options;
    const apiVersion = apiVersionOf(names);
    const schema = (): CompiledSchema => this.#compiled(apiVersion).schema();
    const rules = (): ReturnType<typeof compileRules> => this.#compiled(apiVersion).rules();
    const presenter = new Presenter({
      kind: names.kind,
      apiVersion,
      writtenApiVersion: apiVersionOf({ group: definition.group, version: definition.storageVersion }),
      schemaOf: (name) => this.#versions.get(name)?.schema() ?? null,
      converter,
      fieldsOf: this.fieldsOf,
    });
    const receive = (object: JsonObject): Steps<Received> => received(object, (members) => schema().receive(members));
    return {
      strategy: wholeStrategy(customRules({ version, apiVersion, kind: names.kind, schema, rules }), names),
      versions: this.#merging,
      asks: converter === null ? null : (objects, name) => converter.convert(objects, name),
      receive,
      receiveApplied: (object) => received(object, (members) => schema().receiveApplied(members)),
      receiveDecoded: receive,
      conversion: null,
      columns: tableColumns(version),
      rowConditions: null,
      contentAnnotations: [],
      fieldNames: null,
      scale: scaleForm(version.scale ?? { specReplicas: '', statusReplicas: '', labelSelector: null }, (name) => this.#replicasPath(name)),
      deprecation: version.deprecated
        ? { text: version.deprecationWarning ?? usualWarning(definition, version), removedRelease: '' }
        : null,
      hasMessages: false,
      selfDescribed: true,
      storage: (storage) => versionedStorage(storage, presenter),
      creationRefusal: (name) => (options.isTerminating() ? terminating(names, name) : null),
      retired: this.#retirement.signal,
    };
  }

  #replicasPath(apiVersion: string): readonly string[] | null | undefined {
    const scale = this.#versions.get(apiVersion)?.defined.scale;
    return scale == null ? scale : ownedPath(scale);
  }

  #compiled(apiVersion: string): CompiledVersion {
    const version = this.#versions.get(apiVersion);
    if (version === undefined) throw new Error(`broken invariant: ${apiVersion} of ${this.definition.name} is served and not defined`);
    return version;
  }
}

function namesOf(
  { group, names, namespaced, storageVersion }: Definition,
  { name: version, hasStatus, scale }: DefinedVersion,
): ResourceNames {
  const { plural: resource, kind, listKind, singular, shortNames, categories } = names;
  const subresources: readonly Subresource[] = [
    ...(hasStatus ? [{ name: 'status', group, version, kind, verbs: subresourceVerbs }] : []),
    ...(scale === null ? [] : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs }]),
  ];
  return {
    group,
    version,
    resource,
    kind,
    listKind,
    singular,
    namespaced,
    verbs: verbs,
    shortNames,
    categories,
    subresources: new Map(subresources.map((each) => [each.name, each])),
    // Code above storage sees each version as stored.
    storage: { group, version, resource, kind },
    writtenVersion: storageVersion,
  };
}

function compiledVersion(
  defined: DefinedVersion,
  apiVersion: string,
  { definition: { preserveUnknownFields }, ruleTimes }: CustomTypeOptions,
): CompiledVersion {
  const schema = once(() =>
    compile(defined.schema as JsonMembers, { preserveUnknownFields, embedded: embeddedRules, grownBytesMax: messageBytesMax }),
  );
  return {
    defined,
    apiVersion,
    schema,
    mergeTypes: once(() => schema().mergeTypes(metadataTypes()) as Schema),
    rules: once(() => compileRules(defined.schema, ruleTimes)),
  };
}

const renamed = (object: ApiObject, apiVersion: string): ApiObject => ({ ...object, apiVersion });

function metadataTypes(): MergeSchema {
  const type = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' });
  const metadata = type?.kind === 'struct' ? type.field('metadata') : undefined;
  if (metadata === undefined) throw new Error('broken invariant: the type of metadata is not known');
  return metadata as MergeSchema;
}

/** `receive` changes the object in place. */
function* received(object: JsonObject, receive: (members: JsonMembers) => Steps<ReceiveResult>): Steps<Received> {
  const result = yield* storable(receive(object as JsonMembers));
  return result.ok ? { ok: true, object: withMetadata(object) as ApiObject, strict: result.unknown.map(unknownFieldText) } : result;
}

function converterOf({ definition: { conversion, name, group, names }, webhooks }: CustomTypeOptions): Converter | null {
  const webhook = conversion['strategy'] === 'Webhook' ? objectAt(conversion, 'webhook') : null;
  if (webhook === null) return null;
  return webhooks({
    definition: name,
    group,
    kind: names.kind,
    clientConfig: objectAt(webhook, 'clientConfig') ?? {},
    conversionReviewVersions: itemsOf(webhook['conversionReviewVersions']).map(String),
  });
}

/** Names the newest version that is neither deprecated nor older. */
function usualWarning({ group, names: { kind }, versions }: Definition, { name }: DefinedVersion): string {
  const [newest] = versions
    .filter((version) => version.served && !version.deprecated && compareVersions(version.name, name) < 0)
    .map((version) => version.name)
    .sort(compareVersions);
  return `${group}/${name} ${kind} is deprecated${newest === undefined ? '' : `; use ${group}/${newest} ${kind}`}`;
}

const terminating = (resource: ResourceNames, name: string): StatusError =>
  forbidden(resource, name, 'create not allowed while custom resource definition is terminating');

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
