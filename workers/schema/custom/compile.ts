import { entryOf } from '../../../api/json/members.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import type {
  Cause,
  Compile,
  CompiledSchema,
  CompileOptions,
  EmbeddedRules,
  MergeSchema,
  ReceiveResult,
  ValidateOptions,
} from './contract.js';
import type { Steps } from '../../../api/steps.js';
import { dropNulls, Growth, setDefaults, withPrunedDefaults } from './defaults.js';
import { checkEmbedded, coerceEmbedded, coerceMetadata } from './embedded.js';
import { Findings } from './findings.js';
import { checkLists } from './lists.js';
import { mergeTypesOf } from './mergeTypes.js';
import { pruneValue } from './prune.js';
import { structureOf, type Structure } from './structure.js';
import { ValueCheck } from './values.js';

export const compile: Compile = (openAPIV3Schema, options) => new Compiled(openAPIV3Schema, options);

class Compiled implements CompiledSchema {
  readonly #schema: JsonMembers;
  readonly #structure: Structure;
  readonly #preserveAll: boolean;
  readonly #grownBytesMax: number;
  readonly #embeddedRules: EmbeddedRules;
  /** Compiled at the first object. */
  #check: ValueCheck | undefined;
  #statusCheck: ValueCheck | undefined;

  constructor(schema: JsonMembers, options: CompileOptions) {
    this.#schema = schema;
    this.#structure = withPrunedDefaults(structureOf(schema));
    this.#preserveAll = options.preserveUnknownFields === true;
    this.#grownBytesMax = options.grownBytesMax ?? Infinity;
    this.#embeddedRules = options.embedded ?? noRules;
  }

  *receive(object: JsonMembers): Steps<ReceiveResult> {
    const received = yield* this.#form(object, false);
    if (received.ok) yield* this.applyDefaults(object);
    return received;
  }

  *receiveApplied(object: JsonMembers): Steps<ReceiveResult> {
    const received = yield* this.#form(object, false, true);
    if (received.ok) yield* this.applyDefaults(object);
    return received;
  }

  *restore(object: JsonMembers): Steps<void> {
    yield* this.#form(object, true);
    countGeneration(object['metadata']);
    yield* setDefaults(object, this.#structure, new Growth());
  }

  receiveConverted(object: JsonMembers): Steps<ReceiveResult> {
    return this.#form(object, false);
  }

  prune(object: JsonMembers): string[] {
    return this.#preserveAll ? [] : pruneValue(object, this.#structure, true);
  }

  applyDefaults(object: JsonMembers): Steps<void> {
    return setDefaults(object, this.#structure, new Growth(this.#grownBytesMax));
  }

  *validate(object: JsonMembers, options: ValidateOptions = {}): Steps<Cause[]> {
    return [
      ...(yield* this.#checkValues(object, undefined, options)),
      ...(options.between ?? []),
      ...checkEmbedded(object, this.#structure, this.#embeddedRules),
      ...(yield* checkLists(object, this.#structure)),
    ];
  }

  *validateUpdate(object: JsonMembers, old: JsonMembers, options: ValidateOptions = {}): Steps<Cause[]> {
    const lists = yield* checkLists(object, this.#structure);
    return [
      ...(yield* this.#checkValues(object, old, options)),
      ...(options.between ?? []),
      ...checkEmbedded(object, this.#structure, this.#embeddedRules),
      ...(lists.length > 0 && (yield* checkLists(old, this.#structure)).length > 0 ? [] : lists),
    ];
  }

  mergeTypes(metadata: MergeSchema): MergeSchema {
    return mergeTypesOf(this.#structure, metadata, { whole: true, open: this.#preserveAll });
  }

  *#checkValues(object: JsonMembers, old: JsonMembers | undefined, { statusOnly }: ValidateOptions): Steps<Cause[]> {
    if (statusOnly === true)
      return yield* this.#checkStatus(entryOf(object, statusMember), old === undefined ? undefined : entryOf(old, statusMember));
    return (yield* changeFindings((this.#check ??= new ValueCheck(this.#schema)), object, old))?.causes() ?? [];
  }

  /** Message paths begin at the status, causes' paths at the object, as in the reference. */
  *#checkStatus(status: Json | undefined, old: Json | undefined): Steps<Cause[]> {
    const { properties } = this.#schema;
    const schema = isMembers(properties) ? entryOf(properties, statusMember) : undefined;
    if (status === undefined || !isMembers(schema)) return [];
    return (yield* changeFindings((this.#statusCheck ??= new ValueCheck(schema)), status, old))?.causes(statusMember) ?? [];
  }

  /** Kind, version and metadata do not follow the schema. */
  *#form(object: JsonMembers, dropInvalid: boolean, keepNulls = false): Steps<ReceiveResult> {
    const own = yield* coerceMetadata(object, dropInvalid, false);
    if (!own.ok) return own;
    yield;
    const [kind, apiVersion, metadata] = ownMembers.map((name) => entryOf(object, name));
    const pruned = this.prune(object);
    yield;
    if (!this.#preserveAll && !keepNulls) dropNulls(object, this.#structure);
    yield;
    const coerced = coerceEmbedded(object, this.#structure, dropInvalid);
    if (!coerced.ok) return { ok: false, message: `${coerced.cause.path}: ${coerced.cause.message}` };
    [kind, apiVersion, metadata].forEach((value, index) => {
      if (value !== undefined) object[ownMembers[index] ?? ''] = value;
    });
    return { ok: true, unknown: [...own.unknown.map((path) => `metadata.${path}`), ...pruned, ...coerced.unknown] };
  }
}

function countGeneration(metadata: Json | undefined): void {
  if (isMembers(metadata) && (metadata['generation'] ?? 0) === 0) metadata['generation'] = 1;
}

/** Returns null without findings. Checks without messages and old object first, since nearly all objects are valid. */
function* changeFindings(check: ValueCheck, value: Json, old: Json | undefined): Steps<Findings | null> {
  const count = Findings.counting();
  yield* check.inSteps(value, count, undefined);
  if (count.total === 0) return null;
  const findings = Findings.gathering();
  yield* check.changeInSteps(value, findings, old);
  return findings;
}

const statusMember = 'status';
const ownMembers = ['kind', 'apiVersion', 'metadata'];
const noRules: EmbeddedRules = { kind: () => [], metadata: () => [] };
