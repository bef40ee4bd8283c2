import { isObject } from '../../../api/json/json.js';
import type { JsonValue } from '../../../api/object.js';
import type { Steps } from '../../../api/steps.js';
import { FieldSet } from './fieldSet.js';
import { comparedInStep } from './items.js';
import type { ManagerEntry, Managers } from './managers.js';
import { isAtomic, unknown, type Schema } from './schema.js';

/**
 * Adjusts owners to current schemas: the owner of something below a place that became atomic owns the whole. A place that is no longer atomic needs nothing:
 * its owner owns the place itself, and nothing below. Rules: `typed/reconcile_schema.go` of structured-merge-diff.
 */
export function* reconciled(managers: Managers, schemaOf: (apiVersion: string) => Schema | null): Steps<Managers> {
  let changed: Map<string, ManagerEntry> | null = null;
  for (const [key, entry] of managers) {
    const schema = schemaOf(entry.apiVersion);
    const fields = schema === null ? entry.fields : yield* underSchema(entry.fields, schema);
    if (fields !== entry.fields) (changed ??= new Map(managers)).set(key, { ...entry, fields });
    yield;
  }
  return changed ?? managers;
}

/** Returns this very set if nothing became atomic, as usual. */
function* underSchema(fields: FieldSet, schema: Schema): Steps<FieldSet> {
  if (fields.children.size === 0 || schema.kind === 'leaf' || schema.kind === 'unknown') return fields;
  if (isAtomic(schema)) return FieldSet.leaf;
  let children: Map<string, FieldSet> | null = null;
  let looked = 0;
  for (const [element, child] of fields.children) {
    if (++looked % comparedInStep === 0) yield;
    if (child.children.size === 0) continue;
    const now = yield* underSchema(child, below(schema, element));
    if (now !== child) (children ??= new Map(fields.children)).set(element, now);
  }
  return children === null ? fields : FieldSet.of(fields.self, children);
}

/** Whether nothing below these recorded fields became atomic. */
export function isReconciled(fieldsV1: JsonValue | undefined, schema: Schema): boolean {
  if (!isObject(fieldsV1) || schema.kind === 'leaf' || schema.kind === 'unknown') return true;
  const atomic = isAtomic(schema);
  for (const element in fieldsV1) if (element !== '.' && (atomic || !isReconciled(fieldsV1[element], below(schema, element)))) return false;
  return true;
}

function below(schema: Exclude<Schema, { kind: 'leaf' | 'unknown' }>, element: string): Schema {
  if (schema.kind === 'struct') return schema.field(element.slice('f:'.length)) ?? unknown;
  return schema.element;
}
