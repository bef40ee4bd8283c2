import { isSet, type FieldError, type Path } from '../../language.js';
import { required } from '../../../registry/validation/field.js';
import { alternatives, itemSchemaOf, propertiesOf, propertyOf, type Schema } from './nodes.js';

/** Conditions below the root may name missing fields, as in the reference. */

interface Spot {
  readonly schema: Schema | null;
  readonly path: Path;
}

export const validateCompleteness = (schema: Schema, path: Path): FieldError[] =>
  conditionsOf(schema, path).flatMap(([condition, at]) => described(condition, at, { schema, path }));

function conditionsOf(schema: Schema, path: Path): [condition: Schema, path: Path][] {
  const { not } = schema;
  const all = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((junctor) =>
    alternatives(schema, junctor).map((child, position): [Schema, Path] => [child, path.child(junctor).index(position)]),
  );
  return isSet(not) ? [[not, path.child('not')], ...all] : all;
}

function described(condition: Schema, path: Path, spot: Spot): FieldError[] {
  const { schema } = spot;
  if (schema === null) return [required(spot.path, `because it is defined in ${path.toString()}`)];
  const items = itemSchemaOf(condition);
  return [
    ...conditionsOf(condition, path).flatMap(([inner, at]) => described(inner, at, spot)),
    ...(items === null ? [] : described(items, path.child('items'), { schema: itemSchemaOf(schema), path: spot.path.child('items') })),
    ...propertiesOf(condition).flatMap(([name, child]) =>
      described(child, path.child('properties').key(name), {
        schema: propertyOf(schema, name),
        path: spot.path.child('properties').key(name),
      }),
    ),
  ];
}
