import { typeNamed, typeOfKind, type ApiType, type Field, type KindName, type Shape } from '../../api/catalogue/types.js';
import type { PatchField, PatchType } from './strategic.js';

const known = new Map<string, PatchType>();

/** Returns a built-in kind's strategic merge type; null for others, which do not support it. */
export function patchTypeOfKind(kind: KindName): PatchType | null {
  const type = typeOfKind(kind);
  return type === undefined ? null : patchTypeOf(type);
}

function patchTypeOf(type: ApiType): PatchType {
  let patchType = known.get(type.name);
  if (patchType === undefined)
    known.set(type.name, (patchType = { name: structOf(type.name), field: (name) => patchField(type.fields?.get(name)) }));
  return patchType;
}

const structOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function patchField(field: Field | undefined): PatchField | undefined {
  if (field === undefined) return undefined;
  return {
    strategies: field.patchStrategy?.split(',') ?? [],
    mergeKey: field.patchMergeKey ?? null,
    isList: field.shape.is === 'list',
    type: elementType(field.shape),
  };
}

function elementType(shape: Shape): PatchType | null {
  if (shape.is === 'list') return elementType(shape.items);
  if (shape.is === 'map') return elementType(shape.values);
  const type = shape.is === 'type' ? typeNamed(shape.name) : undefined;
  return type?.fields === undefined ? null : patchTypeOf(type);
}
