import type { ApiObject } from '../api/object.js';
import type { GroupResource } from '../api/resource.js';
import type { ObjectKey, StoredObject, Version } from './contract.js';
import { DamagedValueError, decodeItem, itemAtVersion, itemFrom, itemOf, type Item, type JsonLayout } from './encoding.js';

/** Extracts the values for field selectors beyond `metadata.name` and `metadata.namespace`. */
export type FieldsOf = (object: ApiObject) => Record<string, string>;

/** Says how field values of a resource are extracted; null for resources that select on metadata only, which then are never decoded for it. */
export type SelectableFields = (resource: GroupResource) => FieldsOf | null;

export const noSelectableFields: SelectableFields = () => null;

/** What all objects of one resource share. */
export interface ResourceFacts { readonly resource: GroupResource; readonly fieldsOf: FieldsOf | null }

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The one implementation of StoredObject. Labels and fields are extracted when first asked for: most objects are never selected on,
 * and parsing only the labels' few bytes costs less than keeping them for all.
 */
export class StoredItem implements StoredObject {
  readonly apiVersion: string;
  readonly item: Buffer;
  private readonly versionAt: number;
  private readonly labelsAt: number;
  private readonly labelsLength: number;
  private readonly bigIntegers: boolean;
  private labelsFound: Readonly<Record<string, string>> | null = null;
  private fieldsFound: Readonly<Record<string, string>> | null = null;
  private forms: Map<string, Buffer> | null = null;

  constructor(readonly facts: ResourceFacts, readonly namespace: string, readonly name: string, readonly version: Version, item: Item) {
    this.apiVersion = item.apiVersion;
    this.item = item.bytes;
    this.versionAt = item.versionAt;
    this.labelsAt = item.labelsAt;
    this.labelsLength = item.labelsLength;
    this.bigIntegers = item.bigIntegers;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.labelsFound ??= this.labelsLength === 0 ? noLabels
      : JSON.parse(this.item.toString('utf8', this.labelsAt, this.labelsAt + this.labelsLength)) as Record<string, string>;
  }

  get fields(): Readonly<Record<string, string>> {
    return this.fieldsFound ??= { ...this.facts.fieldsOf?.(this.decode()), 'metadata.name': this.name, 'metadata.namespace': this.namespace };
  }

  decode(): ApiObject {
    return decodeItem(this.item, this.bigIntegers);
  }

  encoded(form: string, make: (object: StoredObject) => Buffer): Buffer {
    const known = this.forms?.get(form);
    if (known !== undefined) return known;
    const made = make(this);
    (this.forms ??= new Map()).set(form, made);
    return made;
  }

  /** The same state at another version: what a deletion shows. */
  atVersion(version: Version): StoredItem {
    const { apiVersion, item: bytes, versionAt, labelsAt, labelsLength, bigIntegers } = this;
    return new StoredItem(this.facts, this.namespace, this.name, version,
      itemAtVersion({ bytes, apiVersion, versionAt, labelsAt, labelsLength, bigIntegers }, this.version, version));
  }
}

/** Stands for an object whose stored value cannot be read. Reading it fails; it can be deleted, and then shows only its name. */
export class DamagedItem extends StoredItem {
  constructor(facts: ResourceFacts, key: ObjectKey, version: Version, readonly damage: DamagedValueError) {
    super(facts, key.namespace, key.name, version, bareItem(key, version));
    damage.version = version;
  }

  override atVersion(version: Version): StoredItem {
    return new DamagedItem(this.facts, { resource: this.facts.resource, namespace: this.namespace, name: this.name }, version, this.damage);
  }
}

/** The object that a stored value stands for. Copies the bytes. A damaged value gives a DamagedItem. `json` spares reading the value where it is known. */
export function storedObjectOf(facts: ResourceFacts, key: ObjectKey, version: Version, value: Uint8Array, json: JsonLayout | null = null): StoredItem {
  if (json !== null) return new StoredItem(facts, key.namespace, key.name, version, itemFrom(json, version));
  try {
    return new StoredItem(facts, key.namespace, key.name, version, itemOf(key, value, version));
  } catch (error) {
    if (error instanceof DamagedValueError) return new DamagedItem(facts, key, version, error);
    throw error;
  }
}

function bareItem({ namespace, name }: ObjectKey, version: Version): Item {
  const head = JSON.stringify({ metadata: { name, ...(namespace === '' ? {} : { namespace }) } }).slice(0, -2) + ',"resourceVersion":"';
  return { bytes: Buffer.from(`${head}${version}"}}`), apiVersion: '', versionAt: Buffer.byteLength(head), labelsAt: 0, labelsLength: 0, bigIntegers: false };
}
