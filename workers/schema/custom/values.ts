import { entryOf, itemsOf } from '../../../api/json/members.js';
import { Correlation } from '../../../api/meta/correlation.js';
import { sameJson } from '../../../api/json/json.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import type { Steps } from '../../../api/steps.js';
import { weighsMore } from '../../turns/weight.js';
import { compileRegexp, PatternBudgetError, type Regexp, type RegexpResult } from '../../regexp/regexp.js';
import { checkConditions, type Condition, type Conditions } from './conditions.js';
import type { Findings } from './findings.js';
import { formatCheck, isRecognized } from './formats.js';
import { NumberCheck } from './numbers.js';
import { canonicalJson } from './printed.js';
import { TypeCheck } from './types.js';

/** Objects ignore formats unknown for their type; types of defaults do not. */
export type Formats = 'recognized' | 'all';

/** The compiled conditions of one schema. The order of checks, early ends and the counting follow the reference, because reported findings depend on them. */
export class ValueCheck implements Condition {
  readonly #past: Correlation;
  readonly #type: TypeCheck;
  readonly #conditions: Conditions | null;
  readonly #text: TextCheck | null;
  readonly #format: ((text: string) => boolean) | undefined;
  readonly #formatName: string;
  readonly #number: NumberCheck;
  readonly #list: ListCheck;
  readonly #object: ObjectCheck;
  readonly #allowed: readonly Json[];

  /** `past` correlates values with the old object; conditions within another schema use that schema's. */
  constructor(schema: JsonMembers, past = Correlation.ofObject(schema), formats: Formats = 'recognized') {
    this.#past = past;
    const types =
      schema['x-kubernetes-int-or-string'] === true
        ? ['integer', 'string']
        : typeof schema['type'] === 'string' && schema['type'] !== ''
          ? [schema['type']]
          : [];
    const format = typeof schema['format'] === 'string' ? schema['format'] : '';
    const type = types.length === 1 ? (types[0] ?? '') : '';
    const recognized = isRecognized(format, type) ? format : '';
    this.#formatName = formats === 'all' ? format : recognized;
    this.#type = new TypeCheck(types, this.#formatName, schema['nullable'] === true);
    this.#conditions = conditionsOf(schema, past, formats);
    this.#text = TextCheck.of(schema);
    this.#format = this.#formatName === '' ? undefined : formatCheck(this.#formatName);
    this.#number = new NumberCheck(schema, type, recognized);
    this.#list = new ListCheck(schema, past, formats);
    this.#object = new ObjectCheck(schema, past, formats);
    this.#allowed = Array.isArray(schema['enum']) ? schema['enum'] : [];
  }

  /** `old` is the previous value, if known: unchanged members and items are accepted. */
  check(value: Json, findings: Findings, old: Json | undefined): void {
    if (value === null) {
      this.#type.checkNull(findings);
      // Null is never an allowed value, even if listed, as in the reference.
      if (this.#allowed.length > 0) findings.add('enum', null, this.#allowed);
      return;
    }
    if (this.#type.applies) this.#type.check(value, findings);
    if (this.#conditions !== null) checkConditions(this.#conditions, value, findings, old);
    findings.checks += 2;
    this.#checkKind(value, findings, old);
    if (this.#allowed.length > 0 && !this.#allowed.some((allowed) => isAllowed(value, allowed))) findings.add('enum', value, this.#allowed);
    findings.checks++;
    if (isMembers(value)) this.#object.check(value, findings, old);
    findings.checks++;
  }

  /** Accepts an unchanged value, valid or not. */
  checkChange(value: Json, findings: Findings, old: Json | undefined): void {
    const {
      total,
      list: { length },
    } = findings;
    this.check(value, findings, old);
    if (findings.total > total && old !== undefined && this.#past.isUnchanged(value, old)) findings.rollBack(total, length);
  }

  /** Works like `check`, but yields in large values. */
  *inSteps(value: Json, findings: Findings, old: Json | undefined): Steps<void> {
    if (isSmall(value)) return this.check(value, findings, old);
    if (this.#type.applies) this.#type.check(value, findings);
    if (this.#conditions !== null) checkConditions(this.#conditions, value, findings, old);
    findings.checks += 2;
    if (Array.isArray(value)) {
      yield* this.#list.inSteps(value, findings, old);
      findings.checks += 2;
    } else findings.checks++;
    if (this.#allowed.length > 0 && !this.#allowed.some((allowed) => isAllowed(value, allowed))) findings.add('enum', value, this.#allowed);
    findings.checks++;
    if (isMembers(value)) yield* this.#object.inSteps(value, findings, old);
    findings.checks++;
  }

  /** Works like `checkChange`, but yields in large values. */
  *changeInSteps(value: Json, findings: Findings, old: Json | undefined): Steps<void> {
    const {
      total,
      list: { length },
    } = findings;
    yield* this.inSteps(value, findings, old);
    if (findings.total > total && old !== undefined && this.#past.isUnchanged(value, old)) findings.rollBack(total, length);
  }

  #checkKind(value: Json, findings: Findings, old: Json | undefined): void {
    if (typeof value === 'string') this.#checkText(value, findings);
    else if (typeof value === 'number' || typeof value === 'bigint') {
      this.#number.check(value, findings);
      findings.checks++;
    } else if (Array.isArray(value)) {
      this.#list.check(value, findings, old);
      findings.checks += 2;
    } else if (isMembers(value)) findings.checks++;
  }

  #checkText(value: string, findings: Findings): void {
    this.#text?.check(value, findings);
    findings.checks++;
    if (this.#format === undefined) return;
    if (!this.#format(value)) findings.add('type', value, this.#formatName);
    findings.checks++;
  }
}

/** An integer on one side truncates the other, as in the reference's conversion. */
function isAllowed(value: Json, allowed: Json): boolean {
  if (typeof value === 'number' && typeof allowed === 'number')
    return value === allowed || (Number.isInteger(allowed) && Math.trunc(value) === allowed);
  return sameJson(value, allowed);
}

/** Compiled at the first value. */
class LateCheck {
  readonly #schema: JsonMembers;
  readonly #past: Correlation | null;
  readonly #formats: Formats;
  #made: ValueCheck | undefined;

  /** `past` is null for values that cannot be correlated. */
  constructor(schema: JsonMembers, past: Correlation | null, formats: Formats) {
    this.#schema = schema;
    this.#past = past;
    this.#formats = formats;
  }

  get check(): ValueCheck {
    return (this.#made ??= new ValueCheck(this.#schema, this.#past ?? undefined, this.#formats));
  }

  before<V>(old: V): V | undefined {
    return this.#past === null ? undefined : old;
  }
}

function conditionsOf(schema: JsonMembers, past: Correlation, formats: Formats): Conditions | null {
  const all = (junctor: string): ValueCheck[] =>
    itemsOf(schema[junctor])
      .filter(isMembers)
      .map((each) => new ValueCheck(each, past, formats));
  const conditions = {
    anyOf: all('anyOf'),
    oneOf: all('oneOf'),
    allOf: all('allOf'),
    not: isMembers(schema['not']) ? new ValueCheck(schema['not'], past, formats) : null,
  };
  return conditions.anyOf.length + conditions.oneOf.length + conditions.allOf.length > 0 || conditions.not !== null ? conditions : null;
}

const countOf = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

/** Checks lengths in code points, and a pattern; the first failure is reported. */
class TextCheck {
  readonly #max: number | null;
  readonly #pattern: string;
  #compiled: RegexpResult | undefined;

  readonly #min: number | null;

  private constructor(max: number | null, min: number | null, pattern: string) {
    this.#max = max;
    this.#pattern = pattern;
    this.#min = min;
  }

  static of(schema: JsonMembers): TextCheck | null {
    const [max, min, pattern] = [countOf(schema['maxLength']), countOf(schema['minLength']), schema['pattern']];
    return max === null && min === null && (typeof pattern !== 'string' || pattern === '')
      ? null
      : new TextCheck(max, min, typeof pattern === 'string' ? pattern : '');
  }

  check(value: string, findings: Findings): void {
    if (this.#max !== null && value.length > this.#max && codePoints(value) > this.#max) findings.add('tooLong', value, this.#max);
    else if (this.#min !== null && (value.length < this.#min || codePoints(value) < this.#min))
      findings.add('invalid', value, `should be at least ${this.#min} chars long`);
    else if (this.#pattern !== '') this.#checkPattern(value, findings);
  }

  #checkPattern(value: string, findings: Findings): void {
    const compiled = (this.#compiled ??= compileRegexp(this.#pattern));
    if (!compiled.ok) findings.add('invalid', value, `should match '${this.#pattern}, but pattern is invalid: ${compiled.message}'`);
    else if (!matches(compiled.regexp, value)) findings.add('invalid', value, `should match '${this.#pattern}'`);
  }
}

/** A match that would take too long counts as none. */
function matches(regexp: Regexp, text: string): boolean {
  try {
    return regexp.test(text);
  } catch (error) {
    if (error instanceof PatternBudgetError) return false;
    throw error;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xdc00 || code > 0xdfff) count++;
  }
  return count;
}

class ListCheck {
  readonly #past: Correlation;
  readonly #items: LateCheck | null;
  readonly #min: number | null;
  readonly #max: number | null;
  readonly #unique: boolean;

  constructor(schema: JsonMembers, past: Correlation, formats: Formats) {
    this.#past = past;
    const { items } = schema;
    this.#items = isMembers(items) ? new LateCheck(items, past.items, formats) : null;
    [this.#min, this.#max, this.#unique] = [countOf(schema['minItems']), countOf(schema['maxItems']), schema['uniqueItems'] === true];
  }

  check(value: readonly Json[], findings: Findings, old: Json | undefined): void {
    if (this.#items !== null) this.#checkItems(this.#items.check, value, findings, this.#items.before(old));
    this.#checkWhole(value, findings);
  }

  #checkWhole(value: readonly Json[], findings: Findings): void {
    if (this.#min !== null && value.length < this.#min) findings.add('invalid', value.length, `should have at least ${this.#min} items`);
    if (this.#max !== null && value.length > this.#max) findings.add('tooMany', value.length, this.#max);
    if (this.#unique && new Set(value.map(canonicalJson)).size < value.length) findings.add('invalid', '', "shouldn't contain duplicates");
  }

  *inSteps(value: readonly Json[], findings: Findings, old: Json | undefined): Steps<void> {
    if (this.#items !== null) yield* this.#checkItemsInSteps(this.#items.check, value, findings, this.#items.before(old));
    this.#checkWhole(value, findings);
  }

  *#checkItemsInSteps(items: ValueCheck, value: readonly Json[], findings: Findings, old: Json | undefined): Steps<void> {
    const before = this.#past.oldItems(old);
    for (let index = 0; index < value.length && !findings.isEnough(old !== undefined); index++) {
      const item = value[index] as Json;
      if (index % stepValues === stepValues - 1) yield;
      findings.enter(index);
      if (before === null) yield* items.inSteps(item, findings, undefined);
      else yield* items.changeInSteps(item, findings, before(item));
      findings.leave();
    }
  }

  #checkItems(items: ValueCheck, value: readonly Json[], findings: Findings, old: Json | undefined): void {
    const before = this.#past.oldItems(old);
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      findings.enter(index);
      if (before === null) items.check(item, findings, undefined);
      else items.checkChange(item, findings, before(item));
      findings.leave();
    }
  }
}

/** `inherited`: every JavaScript object has a property of this name. */
interface Property {
  readonly name: string;
  readonly late: LateCheck;
  readonly inherited: boolean;
}

class ObjectCheck {
  readonly #properties: readonly Property[];
  readonly #names: ReadonlySet<string>;
  readonly #rest: LateCheck | null;
  readonly #closed: boolean;
  readonly #required: readonly string[];
  readonly #min: number | null;
  readonly #max: number | null;

  constructor(schema: JsonMembers, past: Correlation, formats: Formats) {
    const { properties, additionalProperties: rest, required } = schema;
    const described = isMembers(properties)
      ? Object.keys(properties)
          .sort()
          .map((name) => [name, properties[name]] as const)
      : [];
    this.#properties = described.flatMap(([name, property]) =>
      isMembers(property) ? [{ name, late: new LateCheck(property, past.member(name), formats), inherited: name in Object.prototype }] : [],
    );
    this.#names = new Set(this.#properties.map(({ name }) => name));
    this.#rest = isMembers(rest) ? new LateCheck(rest, new Correlation(rest), formats) : null;
    this.#closed = rest === false;
    this.#required = Array.isArray(required) ? required.map(String) : [];
    [this.#min, this.#max] = [countOf(schema['minProperties']), countOf(schema['maxProperties'])];
  }

  *inSteps(value: JsonMembers, findings: Findings, old: Json | undefined): Steps<void> {
    this.#checkCount(value, findings);
    const before = isMembers(old) ? old : undefined;
    if (this.#closed || this.#rest !== null) yield* this.#checkRestInSteps(value, findings, before);
    for (const { name, late: described, inherited } of this.#properties) {
      const member = inherited ? entryOf(value, name) : value[name];
      if (member !== undefined) yield* memberInSteps(described.check, name, member, findings, described.before(before));
    }
    for (const name of this.#required) if (!Object.hasOwn(value, name)) findings.add('required', null, '', name);
  }

  *#checkRestInSteps(value: JsonMembers, findings: Findings, before: JsonMembers | undefined): Steps<void> {
    let position = 0;
    for (const name in value) {
      if (this.#names.has(name)) continue;
      if (findings.isEnough(before !== undefined)) return;
      if (++position % stepValues === 0) yield;
      if (this.#rest === null) findings.add('forbidden', name, name);
      else {
        findings.enterFurther(name);
        yield* withinInSteps(this.#rest.check, name, value[name] as Json, findings, before);
      }
    }
  }

  /** Members are checked however many there are. */
  #checkCount(value: JsonMembers, findings: Findings): void {
    if (this.#min === null && this.#max === null) return;
    const count = Object.keys(value).length;
    if (this.#min !== null && count < this.#min) findings.add('invalid', count, `should have at least ${this.#min} properties`);
    if (this.#max !== null && count > this.#max) findings.add('tooMany', count, this.#max);
  }

  check(value: JsonMembers, findings: Findings, old: Json | undefined): void {
    this.#checkCount(value, findings);
    const before = isMembers(old) ? old : undefined;
    if (this.#closed || this.#rest !== null) this.#checkRest(value, findings, before);
    for (const { name, late: described, inherited } of this.#properties) {
      const member = inherited ? entryOf(value, name) : value[name];
      if (member !== undefined) checkMember(described.check, name, member, findings, described.before(before));
    }
    for (const name of this.#required) if (!Object.hasOwn(value, name)) findings.add('required', null, '', name);
  }

  #checkRest(value: JsonMembers, findings: Findings, before: JsonMembers | undefined): void {
    for (const name in value) {
      if (this.#names.has(name)) continue;
      if (this.#rest === null) findings.add('forbidden', name, name);
      else {
        findings.enterFurther(name);
        checkWithin(this.#rest.check, name, value[name] as Json, findings, before);
      }
    }
  }
}

// Runs for every member of what is checked: there is nothing to make an object for.
// oxlint-disable-next-line max-params
function checkMember(check: ValueCheck, name: string, member: Json, findings: Findings, before: JsonMembers | undefined): void {
  findings.enter(name);
  checkWithin(check, name, member, findings, before);
}

/** Leaves the member that was entered. */
// oxlint-disable-next-line max-params -- as above
function checkWithin(check: ValueCheck, name: string, member: Json, findings: Findings, before: JsonMembers | undefined): void {
  if (before === undefined) check.check(member, findings, undefined);
  else check.checkChange(member, findings, entryOf(before, name));
  findings.leave();
}

// oxlint-disable-next-line max-params -- as above
function* memberInSteps(check: ValueCheck, name: string, member: Json, findings: Findings, before: JsonMembers | undefined): Steps<void> {
  findings.enter(name);
  yield* withinInSteps(check, name, member, findings, before);
}

// oxlint-disable-next-line max-params -- as above
function* withinInSteps(check: ValueCheck, name: string, member: Json, findings: Findings, before: JsonMembers | undefined): Steps<void> {
  if (before === undefined) yield* check.inSteps(member, findings, undefined);
  else yield* check.changeInSteps(member, findings, entryOf(before, name));
  findings.leave();
}

const stepValues = 100;

const isSmall = (value: Json): boolean => !weighsMore(value, stepValues);
