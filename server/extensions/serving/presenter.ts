import type { JsonMembers } from '../../../workers/codecs/value.js';
import { turns } from '../../../workers/turns/turns.js';
import { inOneGo, type Steps } from '../../../api/steps.js';
import type { CompiledSchema } from '../../../workers/schema/custom/contract.js';
import { sameJsonInSteps } from '../../../api/json/json.js';
import type { ApiObject } from '../../../api/object.js';
import { plainError } from '../../../api/status.js';
import { transientObject } from '../../registry/transient.js';
import type { StoredObject } from '../../storage/contract.js';
import type { FieldsOf } from '../../storage/storedObject.js';
import type { Converter } from '../conversion/contract.js';

export interface PresenterOptions {
  readonly kind: string;
  readonly apiVersion: string;
  readonly writtenApiVersion: string;
  /** Returns a version's schema; null if the definition no longer has it. */
  readonly schemaOf: (apiVersion: string) => CompiledSchema | null;
  /** Null where versions differ only in name. */
  readonly converter: Converter | null;
  /** This version's values for field selectors; null without any. */
  readonly fieldsOf: FieldsOf | null;
}

/** Objects per conversion call. */
const convertedAtOnce = 500;
const largeBytes = 256 * 1024;

/**
 * Presents stored objects of a custom resource in one version by its current definition: prunes unknown fields, sets defaults, converts versions. Most objects
 * need no change and are served as stored, including their bytes. Results are cached with the object until the definition changes.
 */
export class Presenter {
  readonly #options: PresenterOptions;
  readonly #known = new WeakMap<StoredObject, StoredObject>();
  readonly #lists = new WeakMap<readonly StoredObject[], readonly StoredObject[]>();

  constructor(options: PresenterOptions) {
    this.#options = options;
  }

  /** Objects of other versions may have other fields. */
  get converts(): boolean {
    return this.#options.converter !== null;
  }

  /** Returns the presented object, or null if a converter is needed. */
  now(stored: StoredObject): StoredObject | null {
    const known = this.#known.get(stored);
    if (known !== undefined) return known;
    if (this.#needsConverter(stored)) return null;
    return inOneGo(this.#renewed(stored));
  }

  async one(stored: StoredObject): Promise<StoredObject> {
    if (stored.item.length > largeBytes && !this.#known.has(stored) && !this.#needsConverter(stored))
      return turns.run(this.#renewed(stored));
    return this.now(stored) ?? (await this.#converted([stored]))[0] ?? stored;
  }

  /** Returns the same array if nothing changes; repeated calls return the same result. Throws StatusError when a converter fails. */
  async all(stored: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const known = this.#lists.get(stored);
    if (known !== undefined) return known;
    const waiting = stored.filter((object) => !this.#known.has(object) && this.#needsConverter(object));
    for (let from = 0; from < waiting.length; from += convertedAtOnce) await this.#converted(waiting.slice(from, from + convertedAtOnce));
    const shown = await turns.run(this.#shown(stored));
    const all = shown.every((object, position) => object === stored[position]) ? stored : shown;
    this.#lists.set(stored, all);
    return all;
  }

  /** Works without a converter. */
  *#renewed(stored: StoredObject): Steps<StoredObject> {
    const object = yield* this.#restored(stored);
    return yield* this.#keep(stored, yield* this.#renamed(object));
  }

  *#shown(stored: readonly StoredObject[]): Steps<StoredObject[]> {
    const shown: StoredObject[] = [];
    for (const object of stored) {
      shown.push(this.now(object) ?? object);
      yield;
    }
    return shown;
  }

  /** Returns whether an object would now be written in another form. */
  isStale(stored: StoredObject, shown: StoredObject): boolean {
    return stored.apiVersion !== this.#options.writtenApiVersion || shown !== stored;
  }

  /** Converts to the written form. Throws StatusError when a converter fails. */
  async written(object: ApiObject): Promise<ApiObject> {
    const { kind, apiVersion, writtenApiVersion, converter } = this.#options;
    if (apiVersion === writtenApiVersion) return { ...object, apiVersion };
    const typed: ApiObject = { ...object, apiVersion, kind };
    const [converted = typed] =
      converter === null
        ? [{ ...structuredClone(typed), apiVersion: writtenApiVersion }]
        : await converter.convert([structuredClone(typed)], writtenApiVersion);
    await turns.run(this.#receive(converted, writtenApiVersion));
    return converted;
  }

  #needsConverter({ apiVersion }: StoredObject): boolean {
    return this.#options.converter !== null && apiVersion !== this.#options.apiVersion;
  }

  async #converted(stored: readonly StoredObject[]): Promise<StoredObject[]> {
    const { converter, apiVersion } = this.#options;
    if (converter === null) throw new Error('broken invariant: nobody converts');
    const results = await converter.convert(await turns.run(this.#allRestored(stored)), apiVersion);
    return turns.run(this.#receivedAll(stored, results));
  }

  *#allRestored(stored: readonly StoredObject[]): Steps<ApiObject[]> {
    const objects: ApiObject[] = [];
    for (const object of stored) {
      objects.push(yield* this.#restored(object));
      yield;
    }
    return objects;
  }

  *#receivedAll(stored: readonly StoredObject[], results: readonly ApiObject[]): Steps<StoredObject[]> {
    const { kind, apiVersion } = this.#options;
    const shown: StoredObject[] = [];
    for (const [position, object] of stored.entries()) {
      const result = results[position];
      if (result === undefined) throw plainError(500, `conversion of ${kind} to ${apiVersion} returned too few objects`);
      yield* this.#receive(result, apiVersion);
      shown.push(yield* this.#keep(object, result));
      yield;
    }
    return shown;
  }

  /** Applies the schema of the object's own version, with kind and apiVersion. */
  *#restored(stored: StoredObject): Steps<ApiObject> {
    const { kind, apiVersion, schemaOf } = this.#options;
    const object: ApiObject = { ...(yield* decoded(stored)), apiVersion: stored.apiVersion, kind };
    yield;
    const schema = schemaOf(stored.apiVersion) ?? schemaOf(apiVersion);
    if (schema !== null) yield* schema.restore(object as JsonMembers);
    return object;
  }

  *#renamed(object: ApiObject): Steps<ApiObject> {
    const { apiVersion } = this.#options;
    if (object.apiVersion === apiVersion) return object;
    object.apiVersion = apiVersion;
    yield* this.#receive(object, apiVersion);
    return object;
  }

  *#receive(object: ApiObject, apiVersion: string): Steps<void> {
    const schema = this.#options.schemaOf(apiVersion);
    if (schema === null) return;
    const received = yield* schema.receiveConverted(object as JsonMembers);
    if (!received.ok) throw plainError(500, `conversion of ${this.#options.kind} to ${apiVersion} failed: ${received.message}`);
  }

  *#keep(stored: StoredObject, { kind: _kind, apiVersion: _apiVersion, ...content }: ApiObject): Steps<StoredObject> {
    const { apiVersion, fieldsOf } = this.#options;
    const fields = this.converts ? { ...stored.fields, ...fieldsOf?.(content as ApiObject) } : stored.fields;
    const before = yield* decoded(stored);
    yield;
    const shown = (yield* sameJsonInSteps(content, before))
      ? stored
      : presented(content as ApiObject, { version: stored.version, fields }, apiVersion);
    this.#known.set(stored, shown);
    return shown;
  }
}

function* decoded(stored: StoredObject): Steps<ApiObject> {
  return stored.item.length > largeBytes && stored.decodeInSteps !== undefined ? yield* stored.decodeInSteps() : stored.decode();
}

/** Field values without a converter are those of the stored form, used by selectors. */
const presented = (
  content: ApiObject,
  { version, fields }: Pick<StoredObject, 'version' | 'fields'>,
  apiVersion: string,
): StoredObject => ({
  ...transientObject({ ...content, apiVersion }, version),
  fields,
});
