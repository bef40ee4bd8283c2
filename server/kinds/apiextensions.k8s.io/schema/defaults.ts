import type { Json, JsonMembers } from '../../../../workers/codecs/value.js';
import {
  checkDefault,
  checkInsideMetadata,
  hasUnknownFields,
  shownDefault,
  type DefaultValue,
} from '../../../../workers/schema/custom/defaultValues.js';
import { printed } from '../../../../workers/schema/custom/printed.js';
import { inOrder, isSet, keepable, ofEach, type FieldError, type Found, type Path } from '../../language.js';
import { embeddedRules } from '../embeddedRules.js';
import { itemSchemaOf, propertiesOf, type Schema } from './nodes.js';

/**
 * Defaults may contain only what their schema knows, and must meet its conditions. Those in metadata are checked within the smallest object that contains them.
 */

const embedded = 'x-kubernetes-embedded-resource';
const wholeMembers = ['apiVersion', 'kind', 'metadata'];

interface Place {
  readonly around: Schema;
  readonly object: (value: Json) => Json;
  readonly insideMetadata: boolean;
}

/** Kind and version come last: the reference overwrites given ones. */
const least = (value: Json): Json => ({ ...(value as JsonMembers), kind: 'Validation', apiVersion: 'validation/v1' });

export const validateDefaults = (schema: Schema, path: Path): Found => {
  const root = { ...schema, [embedded]: true };
  return validateBelow(root, path, { around: root, object: least, insideMetadata: false });
};

/** Excludes `additionalProperties`, where defaults have no use. */
function validateBelow(schema: Schema, path: Path, outer: Place): Found {
  const items = itemSchemaOf(schema);
  const whole = schema[embedded] === true;
  const place = whole ? { around: schema, object: least, insideMetadata: false } : outer;
  return inOrder(
    isSet(schema.default) ? validateDefault(schema, path.child('default'), place) : [],
    items === null ? [] : validateBelow(items, path.child('items'), { ...place, object: (value) => place.object([value]) }),
    ofEach(propertiesOf(schema), ([name, child]) =>
      validateBelow(child, path.child('properties').key(name), {
        around: place.around,
        object: (value) => place.object({ [name]: value }),
        insideMetadata: place.insideMetadata || (whole && wholeMembers.includes(name)),
      }),
    ),
  );
}

function validateDefault(schema: Schema, path: Path, { around, object, insideMetadata }: Place): FieldError[] {
  const given: DefaultValue = {
    value: schema.default as Json,
    schema: schema as JsonMembers,
    path: path.toString(),
    whole: schema[embedded] === true,
  };
  if (insideMetadata) return checkInsideMetadata(given, object(given.value), around as JsonMembers, embeddedRules);
  return [
    ...(hasUnknownFields(given) ? keepable('unknown fields in defaults', [unknownFieldsIn(given)]) : []),
    ...checkDefault(given, embeddedRules),
  ];
}

/** The reference prints defaults with their members in order. */
const unknownFieldsIn = (given: DefaultValue): FieldError => ({
  type: 'FieldValueInvalid',
  path: given.path,
  message: `Invalid value: ${printed(shownDefault(given))}: must not have unknown fields`,
});
