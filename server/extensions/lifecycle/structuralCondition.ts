import type { JsonObject } from '../../../api/object.js';
import { schemaOf } from '../../kinds/apiextensions.k8s.io/hoisting.js';
import { structureFindings } from '../../kinds/apiextensions.k8s.io/schema/schema.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import type { Condition } from './conditions.js';

export const nonStructuralType = 'NonStructuralSchema';

/**
 * Reports schemas stored before they had to be structural (`nonstructuralschema_controller.go` of apiextensions-apiserver), or null. Checks definitions that
 * preserve unknown fields; only these can have them.
 */
export function nonStructuralCondition(spec: JsonObject): Condition | null {
  if (spec['preserveUnknownFields'] !== true) return null;
  const root = Path.root.child('spec');
  const findings: FieldError[] = [invalid(root.child('preserveUnknownFields'), true, 'must be false')];
  for (const [index, version] of objectsIn(spec, 'versions').entries()) {
    const schema = schemaOf(version);
    if (schema === null) continue;
    const found = structureFindings(schema, root.child('versions').index(index).child('schema').child('openAPIV3Schema'));
    if (typeof found === 'string') return unknown(`failed to check validation schema for version ${textAt(version, 'name')}: ${found}`);
    findings.push(...found);
  }
  const texts = [...new Set(findings.map(({ path, message }) => `${path}: ${message}`))];
  return {
    type: nonStructuralType,
    status: 'True',
    reason: 'Violations',
    message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
  };
}

const unknown = (message: string): Condition => ({ type: nonStructuralType, status: 'Unknown', reason: 'StructuralError', message });
