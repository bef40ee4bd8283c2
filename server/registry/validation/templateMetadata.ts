import { metadataMembers } from '../../../api/meta/metadataMembers.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { forbidden, type Path } from './field.js';
import { validateAnnotations } from './metadata.js';
import { inOrder, type Found } from './ofEach.js';
import { labelMap } from './values.js';

const notInTemplates = metadataMembers.filter((member) => member !== 'labels' && member !== 'annotations');
/** The reference holds this member as a pointer. */
const zeroIsSet = 'deletionGracePeriodSeconds';

/** An empty list differs from the zero value. */
export const isMetadataSet = (member: string, value: JsonValue | undefined): value is JsonValue =>
  value !== undefined && value !== null && value !== '' && (value !== 0 || member === zeroIsSet);

/** A template gives its claims labels and annotations only. */
export const validateTemplateMetadata = (metadata: JsonObject, path: Path): Found =>
  inOrder(
    validateAnnotations(textsAt(metadata, 'annotations'), path.child('annotations')),
    labelMap(textsAt(metadata, 'labels'), path.child('labels')),
    notInTemplates
      .filter((member) => isMetadataSet(member, metadata[member]))
      .map((member) => forbidden(path.child(member === 'uid' ? 'uID' : member), 'cannot be set')),
  );

const textsAt = (metadata: JsonObject, member: string): Record<string, string> =>
  (objectAt(metadata, member) ?? {}) as Record<string, string>;
