import { entryOf } from '../../../api/json/members.js';
import { typeNamed, type ApiType } from '../../../api/catalogue/types.js';
import { copyInSteps } from '../../../api/json/copy.js';
import type { JsonValue } from '../../../api/object.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import { inOneGo, type Steps } from '../../../api/steps.js';
import { weighsMore } from '../../turns/weight.js';
import { checkStructure, structureSteps, type StructureResult } from '../structure.js';
import { unknownFieldsMax, type Cause, type EmbeddedRules } from './contract.js';
import { unquoted } from '../../codecs/goQuotes.js';
import { deepCopy, printed } from './printed.js';
import { memberStructure, type Structure } from './structure.js';

const metadata = 'meta.v1.ObjectMeta';
/** Larger metadata is normalised in steps. */
const largeValues = 2_000;
const unknown = /^unknown field (".*")$/;

export type Coerced = { readonly ok: true; readonly unknown: readonly string[] } | { readonly ok: false; readonly message: string };
/** Errors in embedded objects have a path. */
export type CoercedBelow = { readonly ok: true; readonly unknown: readonly string[] } | { readonly ok: false; readonly cause: Cause };

/**
 * Normalises metadata, in place of the member, and removes unknown members, whose paths continue `metadata`. `dropInvalid` drops invalid members, but not
 * metadata that is no object. `keepGiven` leaves the input untouched.
 */
export function* coerceMetadata(object: JsonMembers, dropInvalid: boolean, keepGiven: boolean): Steps<Coerced> {
  const given = entryOf(object, 'metadata');
  if (given === undefined) return { ok: true, unknown: [] };
  const isLarge = weighsMore(given, largeValues);
  // The check changes the value, and the original is needed if it fails.
  const copy = !dropInvalid && !keepGiven ? given : isLarge ? ((yield* copyInSteps(given as JsonValue)) as Json) : deepCopy(given);
  yield;
  const checked = isLarge ? metadataOf(yield* structureSteps(membersOf(copy), metadataType(), reported)) : metadataForm(copy);
  if (checked.ok) object['metadata'] = checked.value;
  else if (!dropInvalid) return checked;
  else if (isMembers(given)) object['metadata'] = wellFormedMembers(given);
  return checked.ok ? checked : { ok: true, unknown: [] };
}

type MetadataForm =
  | { readonly ok: true; readonly value: JsonMembers; readonly unknown: readonly string[] }
  | { readonly ok: false; readonly message: string };

const reported = { unknownFields: 'report' } as const;
const membersOf = (given: Json): JsonMembers => (given ?? {}) as JsonMembers;
const metadataForm = (given: Json): MetadataForm => metadataOf(checkStructure(membersOf(given), metadataType(), reported));

function metadataType(): ApiType {
  const type = typeNamed(metadata);
  if (type === undefined) throw new Error(`the catalogue has no ${metadata}`);
  return type;
}

function metadataOf(result: StructureResult): MetadataForm {
  if (!result.ok) return result;
  return { ok: true, value: result.value, unknown: result.strict.flatMap((text) => unknown.exec(text)?.[1] ?? []).map(unquoted) };
}

function wellFormedMembers(given: JsonMembers): JsonMembers {
  const kept: JsonMembers = {};
  for (const name of Object.keys(given)) {
    const form = metadataForm({ [name]: deepCopy(given[name] as Json) });
    if (form.ok && form.value[name] !== undefined) kept[name] = form.value[name];
  }
  return kept;
}

/** `path` is the value's place, for errors. */
export function coerceEmbedded(value: Json, structure: Structure, dropInvalid: boolean, path = ''): CoercedBelow {
  if (!structure.has.embedded) return { ok: true, unknown: [] };
  const coercer = new Coercer(dropInvalid);
  const cause = coercer.coerce(value, structure, path);
  return cause === null ? { ok: true, unknown: coercer.unknown } : { ok: false, cause };
}

const invalid = (path: string, value: Json, detail: string): Cause => ({
  type: 'FieldValueInvalid',
  path,
  message: `Invalid value: ${printed(value)}: ${detail}`,
});

/** Unknown fields of metadata are named by the paths of errors (apiserver/schema/objectmeta/coerce.go). */
class Coercer {
  readonly #dropInvalid: boolean;
  readonly unknown: string[] = [];

  constructor(dropInvalid: boolean) {
    this.#dropInvalid = dropInvalid;
  }

  coerce(value: Json, structure: Structure, path: string): Cause | null {
    if (!structure.has.embedded) return null;
    if (Array.isArray(value)) return this.#coerceItems(value, structure.items, path);
    return isMembers(value) ? this.#coerceMembers(value, structure, path) : null;
  }

  #coerceItems(value: readonly Json[], items: Structure | null, path: string): Cause | null {
    if (items === null) return null;
    for (let index = 0; index < value.length; index++) {
      const cause = this.coerce(value[index] as Json, items, `${path}[${index}]`);
      if (cause !== null) return cause;
    }
    return null;
  }

  #coerceMembers(value: JsonMembers, structure: Structure, path: string): Cause | null {
    for (const name of Object.keys(value)) {
      const own = structure.embedded ? this.#coerceOwn(value, name, path) : null;
      if (own !== null) return own;
      const child = memberStructure(structure, name);
      const member = entryOf(value, name);
      if (child === null || typeof member !== 'object' || member === null) continue;
      const cause = this.coerce(member, child, structure.properties.has(name) ? childPath(path, name) : `${path}[${name}]`);
      if (cause !== null) return cause;
    }
    return null;
  }

  #coerceOwn(value: JsonMembers, name: string, path: string): Cause | null {
    const member = value[name] as Json;
    if (name === 'apiVersion' || name === 'kind') {
      if (typeof member === 'string') return null;
      if (!this.#dropInvalid) return invalid(childPath(path, name), member, 'must be a string');
      delete value[name];
    } else if (name === 'metadata') return this.#coerceOwnMetadata(value, member, childPath(path, name));
    return null;
  }

  #coerceOwnMetadata(value: JsonMembers, given: Json, at: string): Cause | null {
    const coerced = inOneGo(coerceMetadata(value, this.#dropInvalid, true));
    if (!coerced.ok) return invalid(at, given, coerced.message);
    for (const path of coerced.unknown) if (this.unknown.length < unknownFieldsMax) this.unknown.push(`${at}.${path}`);
    const metadata = value['metadata'];
    if (isMembers(metadata) && metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
    return null;
  }
}

const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Checks the kind and metadata of embedded objects. */
export function checkEmbedded(value: Json, structure: Structure, rules: EmbeddedRules, path = ''): Cause[] {
  if (!structure.has.embedded) return [];
  const { items } = structure;
  if (Array.isArray(value))
    return items === null ? [] : value.flatMap((item, index) => checkEmbedded(item, items, rules, `${path}[${index}]`));
  if (!isMembers(value)) return [];
  return [
    ...(structure.embedded ? checkWhole(value, rules, path) : []),
    ...Object.keys(value).flatMap((name) => {
      const child = memberStructure(structure, name);
      return child === null
        ? []
        : checkEmbedded(value[name] as Json, child, rules, structure.properties.has(name) ? childPath(path, name) : `${path}[${name}]`);
    }),
  ];
}

function checkWhole(value: JsonMembers, rules: EmbeddedRules, path: string): Cause[] {
  const metadata = entryOf(value, 'metadata');
  const missing = (['apiVersion', 'kind'] as const).filter((name) => entryOf(value, name) === undefined);
  return [
    ...missing.map((name): Cause => ({ type: 'FieldValueRequired', path: childPath(path, name), message: 'Required value' })),
    ...checkText(entryOf(value, 'apiVersion'), childPath(path, 'apiVersion'), (text) =>
      text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [],
    ),
    ...checkText(entryOf(value, 'kind'), childPath(path, 'kind'), (text) => rules.kind(text)),
    ...(metadata === undefined ? [] : checkMetadata(metadata, rules, childPath(path, 'metadata'))),
  ];
}

function checkMetadata(metadata: Json, rules: EmbeddedRules, path: string): readonly Cause[] {
  const form = metadataForm(deepCopy(metadata));
  return form.ok ? rules.metadata(form.value, path) : [invalid(path, metadata, form.message)];
}

function checkText(value: Json | undefined, path: string, problems: (text: string) => readonly string[]): Cause[] {
  if (value === undefined) return [];
  if (value === '') return [invalid(path, value, 'must not be empty')];
  if (typeof value !== 'string') return [invalid(path, value, 'must be a string')];
  return problems(value).map((text) => invalid(path, value, text));
}
