import { setMember } from '../../../api/json/setMember.js';
import { sameJson } from '../../../api/json/json.js';
import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import type { Cause, EmbeddedRules } from './contract.js';
import { checkEmbedded, coerceEmbedded } from './embedded.js';
import { Findings } from './findings.js';
import { deepCopy, printed } from './printed.js';
import { pruneValue } from './prune.js';
import { asWhole, structureOf, type Structure } from './structure.js';
import { ValueCheck } from './values.js';

export interface DefaultValue {
  readonly value: Json;
  readonly schema: JsonMembers;
  readonly path: string;
  readonly whole: boolean;
}

export function hasUnknownFields({ value, schema, whole }: DefaultValue): boolean {
  const copy = deepCopy(value);
  pruneValue(copy, structureOf(schema), whole);
  return !sameJson(copy, value);
}

/** Checks the form of whole objects first; if valid, the objects; if these are valid, the conditions. */
export function checkDefault(given: DefaultValue, rules: EmbeddedRules): Cause[] {
  const { schema, path } = given;
  const { coerced, causes } = ofWholeObjects(given.value, structureOfWhole(given), rules, path);
  return causes.length > 0 ? causes : byConditions(coerced, schema, path);
}

/** The reference prints a refused default after reading its metadata (apiserver/schema/defaulting/validation.go). */
export function shownDefault(given: DefaultValue): Json {
  const copy = deepCopy(given.value);
  coerceEmbedded(copy, structureOfWhole(given), false, given.path);
  return copy;
}

const structureOfWhole = ({ schema, whole }: DefaultValue): Structure => (whole ? asWhole(structureOf(schema)) : structureOf(schema));

/** Checks a value inside metadata; `object` is the least object around it, and `around` its schema. */
export function checkInsideMetadata(
  { value, schema, path }: DefaultValue,
  object: Json,
  around: JsonMembers,
  rules: EmbeddedRules,
): Cause[] {
  const { causes } = ofWholeObjects(object, asWhole(structureOf(around)), rules, '');
  if (causes.length === 0) return byConditions(value, schema, path);
  const texts = causes.map((cause) => `${cause.path}: ${cause.message}`);
  return [
    {
      type: 'FieldValueInvalid',
      path,
      message: `Invalid value: ${printed(value)}: must result in valid metadata: ${texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`}`,
    },
  ];
}

interface WholeObjects {
  readonly coerced: Json;
  readonly causes: Cause[];
}

function ofWholeObjects(value: Json, structure: Structure, rules: EmbeddedRules, path: string): WholeObjects {
  const coerced = deepCopy(value);
  const read = coerceEmbedded(coerced, structure, false, path);
  return { coerced, causes: read.ok ? checkEmbedded(coerced, structure, rules, path) : [read.cause] };
}

function byConditions(value: Json, schema: JsonMembers, path: string): Cause[] {
  const findings = Findings.gathering();
  new ValueCheck(withoutIntOrString(schema) as JsonMembers, undefined, 'all').check(value, findings, undefined);
  return findings.causes(path);
}

/** Like the reference, and for defaults alone, types do not include "integer or string". */
function withoutIntOrString(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutIntOrString);
  if (!isMembers(schema)) return schema;
  const copy: JsonMembers = {};
  for (const name of Object.keys(schema))
    if (name !== 'x-kubernetes-int-or-string' || schema[name] !== true) setMember(copy, name, withoutIntOrString(schema[name] as Json));
  return copy;
}
