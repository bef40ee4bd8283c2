import { inOneGo } from '../../api/steps.js';
import { groupVersionOf } from '../../api/meta/resource.js';
import { isObject } from '../../api/json/json.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { StatusError, type StatusCause } from '../../api/status.js';
import { timeText } from '../../api/time.js';
import { gatesOf, binaryMinor } from '../../program/features/gates.js';
import { turns } from '../../workers/turns/turns.js';
import { untimed } from '../../cel/rules/times.js';
import { readDefinition } from '../extensions/definition.js';
import { CustomType } from '../extensions/serving/customType.js';
import { createCatalogue } from '../kinds/index.js';
import { fromStorage, toStorage } from '../registry/conversion.js';
import { gatedFieldDropper } from '../registry/gatedFields.js';
import { generatedName } from '../registry/generatedName.js';
import { dropDeletion } from '../registry/metadata.js';
import type { Catalogue, ServedResource } from '../registry/resources.js';
import type { WriteContext } from '../registry/rules.js';
import { outcomeOf } from '../registry/stepwise.js';
import type { Target } from '../registry/target.js';
import { beginCreate, nameAndValidate, prepareCreate } from '../registry/writes.js';

export interface Finding {
  /** The reason of the cause in a Status, such as `FieldValueRequired`; `UnknownField` for an unknown field. */
  readonly type: string;
  /** The path of the field, such as `spec.ports[0].name`; empty for the object as a whole. */
  readonly path: string;
  /** The server's text, such as `Required value: name is needed`. */
  readonly message: string;
}

/** The outcome of a creation of an object. */
export interface Verdict {
  /** Empty for an object that a server accepts. */
  readonly findings: readonly Finding[];
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

/** The object has no kind, or one that is neither built in nor among the given definitions. */
export class UnknownKind extends Error {
  constructor(
    readonly apiVersion: string,
    readonly kind: string,
  ) {
    super(kind === '' ? 'the object has no kind' : `no kind ${JSON.stringify(kind)} is known for version ${JSON.stringify(apiVersion)}`);
    this.name = 'UnknownKind';
  }
}

/** The object cannot be read as one of its kind. */
export class MalformedObject extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedObject';
  }
}

const gates = gatesOf(binaryMinor);
const enabled = (feature: string): boolean => gates.get(feature)?.byDefault ?? false;
const dropGated = gatedFieldDropper(enabled);
/** Rules need a uid and a time, but do not compare them. */
const now = timeText(0);
const uid = '00000000-0000-4000-8000-000000000000';

/**
 * Checks and completes objects like an API server of this release, by its defaults, validation and warnings; without admission plug-ins, webhooks and other
 * objects of a cluster.
 */
export class ManifestChecker {
  readonly #builtIn: Catalogue = createCatalogue();
  readonly #custom = new Map<string, ServedResource>();

  /** Adds the kind of a CustomResourceDefinition. Throws MalformedObject if it cannot be read. */
  define(definition: object): void {
    const object = this.defaults(definition);
    const names = (object['spec'] as JsonObject | undefined)?.['names'] ?? {};
    const type = new CustomType({
      definition: readDefinition({ ...object, status: { acceptedNames: names } }),
      webhooks: () => {
        throw new Error('broken invariant: nothing is converted here');
      },
      ruleTimes: untimed,
      isTerminating: () => false,
    });
    for (const resource of type.resources) this.#custom.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  }

  /** Reports whether the object's kind is built in or defined. */
  knows(object: object): boolean {
    return this.#resourceOf(object) !== null;
  }

  /** Returns a copy with the defaults of its version. Throws UnknownKind or MalformedObject. */
  defaults(object: object): ApiObject {
    const { resource, received } = this.#read(object);
    const stored = toStorage(resource, received);
    inOneGo(outcomeOf(resource.behaviour.strategy.read.defaults(stored)));
    const { apiVersion: _apiVersion, kind: _kind, ...members } = fromStorage(resource, stored);
    return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...members };
  }

  /** Rejects with UnknownKind. */
  async check(object: object): Promise<Verdict> {
    const warnings: string[] = [];
    try {
      const { resource, received, unknownFields } = this.#read(object);
      const { deprecation } = resource.behaviour;
      if (deprecation !== null) warnings.push(deprecation.text);
      const findings = await refusalOf(() => create(resource, received, (text) => warnings.push(text)));
      return { findings: [...unknownFields, ...findings], warnings };
    } catch (error) {
      if (!(error instanceof MalformedObject)) throw error;
      return { findings: [{ type: 'FieldValueInvalid', path: '', message: error.message }], warnings };
    }
  }

  #read(object: object): { readonly resource: ServedResource; readonly received: ApiObject; readonly unknownFields: readonly Finding[] } {
    const copy: unknown = structuredClone(object);
    if (!isObject<JsonObject>(copy)) throw new MalformedObject('an object is a map of fields');
    const resource = this.#resourceOf(copy);
    if (resource === null) throw new UnknownKind(String(copy['apiVersion'] ?? ''), String(copy['kind'] ?? ''));
    const received = inOneGo(outcomeOf(resource.behaviour.receive(copy)));
    if (!received.ok) throw new MalformedObject(received.message);
    return { resource, received: received.object, unknownFields: received.strict.map(unknownField) };
  }

  #resourceOf(object: object): ServedResource | null {
    const { apiVersion, kind } = object as Readonly<Record<string, unknown>>;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return null;
    const { group, version } = groupVersionOf(apiVersion);
    const builtIn = this.#builtIn.kind(group, version, kind);
    return builtIn?.verbs.has('create') === true ? builtIn : (this.#custom.get(`${apiVersion} ${kind}`) ?? null);
  }
}

/** Runs a creation of an object up to the last finding. */
async function create(resource: ServedResource, received: ApiObject, warn: (text: string) => void): Promise<void> {
  const object = toStorage(resource, received);
  const namespace = resource.namespaced ? (object.metadata.namespace ?? 'default') : '';
  const { name = '', generateName = '' } = object.metadata;
  const target: Target = { resource, namespace, name };
  const context: WriteContext = {
    now,
    user: { name: '', uid: '', groups: [], extra: {} },
    manager: '',
    owners: [],
    dryRun: true,
    enabled,
    dropGated,
    warn,
  };
  dropDeletion(object.metadata);
  await turns.run(beginCreate(target, object, context, false));
  prepareCreate(target, object, context, { uid, owners: undefined });
  const given = object.metadata.name ?? '';
  const named = given === '' && generateName !== '' ? generatedName(generateName, () => 0) : given;
  resource.behaviour.strategy.create.warnings(object).forEach(warn);
  await nameAndValidate(target, object, { name: named, namespaceLabels: {}, enabled, ended: () => null });
}

/** Returns a StatusError's causes, or else its message. */
async function refusalOf(attempt: () => Promise<void>): Promise<Finding[]> {
  try {
    await attempt();
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.details?.causes?.map(ofCause) ?? [{ type: error.reason, path: '', message: error.message }];
  }
}

const ofCause = ({ reason = '', field = '', message = '' }: StatusCause): Finding => ({ type: reason, path: field, message });

const unknownField = (message: string): Finding => ({
  type: 'UnknownField',
  path: /^unknown field "(.*)"$/.exec(message)?.[1] ?? '',
  message,
});
