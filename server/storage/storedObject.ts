import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { CommonForm, CommonForms, FormNotes, MadeForm } from './commonForms.js';
import type { ObjectKey, StoredObject, Version } from './contract.js';
import {
  DamagedValueError,
  decodeItem,
  itemAtVersion,
  itemFrom,
  ownCopy,
  ownValue,
  readItem,
  sourceOf,
  unreadIn,
  type Allocate,
  readVersion,
  type Completion,
  type Item,
  type UnreadValue,
} from './encoding.js';
import type { JsonLayout } from './jsonLayout.js';
import type { SegmentValue, Segment } from './segment.js';

/** Extracts the values for field selectors beyond `metadata.name` and `metadata.namespace`. */
export type FieldsOf = (object: ApiObject) => Record<string, string>;

/** Serves resources whose fields may change at run time. */
export interface LiveFields {
  readonly current: FieldsOf | null;
}

/** Null for metadata only, for which objects are never decoded. */
export type SelectableFields = (resource: GroupResource) => FieldsOf | LiveFields | null;

export const noSelectableFields: SelectableFields = () => null;

/** Completes objects stored by kube-apiserver, perhaps long ago; null if nothing was ever added. */
export type Completions = (resource: GroupResource) => Completion | null;

const noCompletions: Completions = () => null;

export interface ResourceFacts {
  readonly resource: GroupResource;
  readonly fieldsOf: FieldsOf | null;
  readonly completion?: Completion | null;
  readonly commonForms?: CommonForms | null;
}

export function resourceFacts(
  { group, resource }: GroupResource,
  selectableFields: SelectableFields,
  {
    completions = noCompletions,
    commonForms = null,
  }: { readonly completions?: Completions; readonly commonForms?: CommonForms | null } = {},
): ResourceFacts {
  const fields = selectableFields({ group, resource });
  const completion = completions({ group, resource });
  if (fields === null || typeof fields === 'function') return { resource: { group, resource }, fieldsOf: fields, completion, commonForms };
  return {
    resource: { group, resource },
    completion,
    commonForms,
    get fieldsOf() {
      return fields.current;
    },
  };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

const itemForm = 'item';
const noNotes: FormNotes = [0, 0, 0, 0];

/** The JSON begins with the identity (`jsonLayout.ts`); otherwise the object is decoded. */
const identity = /^\{"metadata":\{(?:"(?:name|generateName|namespace)":"[^"\\]*",)*"uid":"([^"\\]*)"/;
const identityBytesMax = 1_024;

/** Extracts labels, fields and the JSON of other forms lazily, as most are never needed. */
export class StoredItem implements StoredObject, SegmentValue {
  readonly apiVersion: string;
  #source: Item | UnreadValue;
  #labelsFound: Readonly<Record<string, string>> | null = null;
  #fieldsFound: Readonly<Record<string, string>> | null = null;
  #fieldsBy: FieldsOf | null = null;
  #forms: Map<string, Buffer | Encoding> | null = null;
  #segment: Segment | null = null;
  #placeInSegment = 0;
  #isKept = false;

  readonly namespace: string;
  readonly name: string;
  /** Constant, so that sums can subtract it again. */
  readonly sizeAtFirst: number;

  constructor(
    readonly facts: ResourceFacts,
    { namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>,
    readonly version: Version,
    source: Item | UnreadValue,
  ) {
    this.namespace = namespace;
    this.name = name;
    this.apiVersion = 'bytes' in source ? source.apiVersion : readVersion(source, facts.completion ?? null);
    this.#source = source;
    this.sizeAtFirst = this.size;
  }

  lieIn(segment: Segment): void {
    this.#isKept = true;
    this.#settleIn(segment);
  }

  keep(): void {
    this.#isKept = true;
    const forms = this.commonForms;
    if (forms !== null && 'bytes' in this.#source) this.#adopt(this.#source.apiVersion, forms.put(this, itemForm, madeOf(this.#source)));
  }

  moveOut(): void {
    this.#segment = null;
    const source = this.#source;
    if (!('bytes' in source)) this.#source = ownValue(source);
    else if (this.commonForms === null) this.#source = { ...source, bytes: ownCopy(source.bytes) };
    else this.#adopt(source.apiVersion, this.commonForms.put(this, itemForm, madeOf(source)));
  }

  leaveSegment(): void {
    this.#isKept = false;
    this.#leaveTheOne();
    if (this.#forms !== null) for (const form of this.#forms.values()) if (form instanceof Encoding) form.leave();
  }

  #leaveTheOne(): void {
    this.#segment?.leave(this.#placeInSegment, this.size);
    this.#segment = null;
  }

  #settleIn(segment: Segment | null): void {
    this.#segment = segment;
    if (segment !== null) this.#placeInSegment = segment.add(this);
  }

  protected get commonForms(): CommonForms | null {
    return this.#isKept ? (this.facts.commonForms ?? null) : null;
  }

  #adopt(apiVersion: string, form: CommonForm): Item {
    const item = itemOfForm(form, apiVersion);
    this.#source = item;
    this.#settleIn(form.segment);
    return item;
  }

  get item(): Buffer {
    return this.#read().bytes;
  }

  /** Bytes in memory without encoded forms; changes when first read. */
  get size(): number {
    return 'bytes' in this.#source ? this.#source.bytes.length : this.#source.stored.length;
  }

  get uid(): string {
    return whatIsReadable('', () => {
      const { bytes } = this.#read();
      const [, uid = null] = identity.exec(bytes.toString('utf8', 0, identityBytesMax)) ?? [];
      return uid ?? this.decode().metadata.uid ?? '';
    });
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labelsFound ??= this.#readLabels());
  }

  get fields(): Readonly<Record<string, string>> {
    const { fieldsOf } = this.facts;
    if (this.#fieldsFound !== null && this.#fieldsBy === fieldsOf) return this.#fieldsFound;
    this.#fieldsBy = fieldsOf;
    return (this.#fieldsFound = { ...this.#readFields(fieldsOf), 'metadata.name': this.name, 'metadata.namespace': this.namespace });
  }

  decode(): ApiObject {
    const { bytes, bigIntegers } = this.#read();
    return decodeItem(bytes, bigIntegers);
  }

  assertReadable(): void {
    this.#read();
  }

  /** Throws DamagedValueError for an invalid value with a valid checksum. */
  #read(): Item {
    const { commonForms: forms } = this;
    const source = this.#source;
    if ('bytes' in source) return source;
    if (forms === null) {
      const item = this.#readValue(source);
      this.#leaveTheOne();
      return (this.#source = item);
    }
    const form = forms.of(this, itemForm, () => madeOf(this.#readValue(source, Buffer.allocUnsafe)));
    this.#leaveTheOne();
    return this.#adopt(source.apiVersion, form);
  }

  #readValue(source: UnreadValue, allocate?: Allocate): Item {
    const { resource, completion = null } = this.facts;
    const complete = completion?.complete ?? null;
    const key = { resource, namespace: this.namespace, name: this.name };
    return readItem(key, source, this.version, allocate === undefined ? { complete } : { complete, allocate });
  }

  #readLabels(): Readonly<Record<string, string>> {
    return whatIsReadable(noLabels, () => {
      const { bytes, labelsAt, labelsLength } = this.#read();
      return labelsLength === 0
        ? noLabels
        : (JSON.parse(bytes.toString('utf8', labelsAt, labelsAt + labelsLength)) as Record<string, string>);
    });
  }

  #readFields(fieldsOf: FieldsOf | null): Readonly<Record<string, string>> {
    return fieldsOf === null ? noLabels : whatIsReadable(noLabels, () => fieldsOf(this.decode()));
  }

  encoded(form: string, make: (object: StoredObject) => Buffer): Buffer {
    const known = this.#forms?.get(form);
    if (known !== undefined) return known instanceof Encoding ? known.bytes : known;
    const common = this.commonForms?.of(this, form, () => ({ bytes: make(this), notes: noNotes })) ?? null;
    const bytes = common === null ? make(this) : common.bytes;
    const forms = (this.#forms ??= new Map<string, Buffer | Encoding>());
    const segment = common?.segment ?? null;
    forms.set(form, segment === null ? bytes : new Encoding(bytes, segment, () => forms.delete(form)));
    return bytes;
  }

  atVersion(version: Version): StoredItem {
    const source = this.#source;
    return new StoredItem(this.facts, this, version, 'bytes' in source ? itemAtVersion(source, this.version, version) : source);
  }
}

/** Dropped when its shared memory is released, and made or found again on demand. */
class Encoding implements SegmentValue {
  readonly #segment: Segment;
  readonly #place: number;

  constructor(
    readonly bytes: Buffer,
    segment: Segment,
    readonly moveOut: () => void,
  ) {
    this.#segment = segment;
    this.#place = segment.add(this);
  }

  get size(): number {
    return this.bytes.length;
  }

  leave(): void {
    this.#segment.leave(this.#place, this.size);
  }
}

const flagBigIntegers = 1;

const madeOf = ({ bytes, versionAt, labelsAt, labelsLength, bigIntegers }: Item): MadeForm => ({
  bytes,
  notes: [versionAt, labelsAt, labelsLength, bigIntegers ? flagBigIntegers : 0],
});

function itemOfForm({ bytes, notes, segment }: CommonForm, apiVersion: string): Item {
  const [versionAt, labelsAt, labelsLength, flags] = notes;
  return {
    bytes: segment === null ? ownCopy(bytes) : bytes,
    apiVersion,
    versionAt,
    labelsAt,
    labelsLength,
    bigIntegers: flags === flagBigIntegers,
  };
}

/** A damaged object must not break selection. */
function whatIsReadable<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedValueError) return otherwise;
    throw error;
  }
}

/** Reading fails; it can be deleted, showing only its name. */
export class DamagedItem extends StoredItem {
  constructor(
    facts: ResourceFacts,
    key: ObjectKey,
    version: Version,
    readonly damage: DamagedValueError,
  ) {
    super(facts, key, version, bareItem(key, version));
    damage.version = version;
  }

  /** Its value determines nothing. */
  protected override get commonForms(): null {
    return null;
  }

  override atVersion(version: Version): StoredItem {
    return new DamagedItem(this.facts, { resource: this.facts.resource, namespace: this.namespace, name: this.name }, version, this.damage);
  }
}

/** Returns the object of a stored value with known JSON, which need not be decoded. */
export const writtenObjectOf = (facts: ResourceFacts, key: ObjectKey, version: Version, json: JsonLayout): StoredItem =>
  new StoredItem(facts, key, version, itemFrom(json, version));

export function keptObjectOf(facts: ResourceFacts, key: ObjectKey, version: Version, json: JsonLayout): StoredItem {
  const { commonForms = null } = facts;
  if (commonForms === null) return writtenObjectOf(facts, key, version, json);
  const object = new StoredItem(facts, key, version, itemFrom(json, version, Buffer.allocUnsafe));
  object.keep();
  return object;
}

/** A damaged value gives a DamagedItem. */
export const storedObjectOf = (facts: ResourceFacts, key: ObjectKey, version: Version, value: Uint8Array): StoredItem =>
  unlessDamaged(facts, key, version, () => new StoredItem(facts, key, version, sourceOf(key, value, version)));

/** Keeps the value in place, unchanged, for the time that `lieIn` determines. */
export const objectLyingIn = (facts: ResourceFacts, key: ObjectKey, version: Version, value: Uint8Array): StoredItem =>
  unlessDamaged(facts, key, version, () => new StoredItem(facts, key, version, unreadIn(key, value)));

function unlessDamaged(facts: ResourceFacts, key: ObjectKey, version: Version, make: () => StoredItem): StoredItem {
  try {
    return make();
  } catch (error) {
    if (error instanceof DamagedValueError) return new DamagedItem(facts, key, version, error);
    throw error;
  }
}

function bareItem({ namespace, name }: ObjectKey, version: Version): Item {
  const head = JSON.stringify({ metadata: { name, ...(namespace === '' ? {} : { namespace }) } }).slice(0, -2) + ',"resourceVersion":"';
  return {
    bytes: Buffer.from(`${head}${version}"}}`),
    apiVersion: '',
    versionAt: Buffer.byteLength(head),
    labelsAt: 0,
    labelsLength: 0,
    bigIntegers: false,
  };
}
