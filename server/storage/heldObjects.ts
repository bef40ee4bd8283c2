import type { ApiObject } from '../../api/object.js';
import { typeNamed, typeOfKind, type ApiType, type Shape } from '../../api/catalogue/types.js';
import { kindOf } from '../../workers/codecs/protobuf/index.js';

/** Embedded objects cannot name their kind in Protobuf; restores the names on reads, like kube-apiserver. */
export function nameHeldObjects(object: ApiObject): void {
  const type = typeOfKind(kindOf(object.apiVersion ?? '', object.kind ?? ''));
  if (type !== undefined && holdsObjects(type)) nameIn(object, type);
}

function nameIn(value: object, type: ApiType): void {
  for (const [name, { shape }] of type.fields ?? []) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined && member !== null) nameAt(member, shape);
  }
}

function nameAt(value: unknown, shape: Shape): void {
  if (typeof value !== 'object' || value === null || shape.is === 'scalar') return;
  if (shape.is !== 'type') {
    const inner = shape.is === 'list' ? shape.items : shape.values;
    if (mayHold(inner)) for (const each of Object.values(value)) nameAt(each, inner);
    return;
  }
  const type = typeNamed(shape.name);
  if (type === undefined) return;
  const [kind] = type.kinds;
  if (kind !== undefined) {
    const held = value as Record<string, unknown>;
    held['kind'] ??= kind.kind;
    held['apiVersion'] ??= kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  }
  if (holdsObjects(type)) nameIn(value, type);
}

function mayHold(shape: Shape): boolean {
  if (shape.is === 'scalar') return false;
  if (shape.is !== 'type') return mayHold(shape.is === 'list' ? shape.items : shape.values);
  const type = typeNamed(shape.name);
  return type !== undefined && (type.kinds.length > 0 || holdsObjects(type));
}

const holders = new Map<string, boolean>();

/** Returns whether a type embeds objects, such as a StatefulSet's claims, which name their kind in JSON only. */
export function holdsObjects(type: ApiType): boolean {
  const known = holders.get(type.name);
  if (known !== undefined) return known;
  holders.set(type.name, false); // Types may contain themselves.
  const holds = [...(type.fields?.values() ?? [])].some(({ shape }) => mayHold(shape));
  holders.set(type.name, holds);
  return holds;
}
