import { typeNamed, typeOfKind, type Shape } from '../../api/catalogue/types.js';
import type { Kind } from './contract.js';

/** The places of bytes, which are base64 in JSON. It has only members that lead to bytes, so that others cost nothing. */
export type BytesPlan =
  | 'bytes'
  | { readonly members: ReadonlyMap<string, BytesPlan> }
  /** Applies to items of a list, or values of a map. */
  | { readonly each: BytesPlan };

export const bytesPlanOf = (kind: Kind): BytesPlan | undefined => {
  const type = typeOfKind(kind);
  return type === undefined ? undefined : planOfType(type.name);
};

const plans = new Map<string, BytesPlan | undefined>();

const planOfType = (name: string): BytesPlan | undefined => {
  if (plans.has(name)) return plans.get(name);
  plans.set(name, undefined); // Schemas contain themselves, but no bytes.
  const found = [...(typeNamed(name)?.fields?.values() ?? [])].flatMap((field) => {
    const plan = planOfShape(field.shape);
    return plan === undefined ? [] : [[field.name, plan] as const];
  });
  const plan = found.length === 0 ? undefined : { members: new Map(found) };
  plans.set(name, plan);
  return plan;
};

const planOfShape = (shape: Shape): BytesPlan | undefined => {
  if (shape.is === 'scalar') return shape.scalar === 'bytes' ? 'bytes' : undefined;
  if (shape.is === 'type') return planOfType(shape.name);
  const each = planOfShape(shape.is === 'list' ? shape.items : shape.values);
  return each === undefined ? undefined : { each };
};
