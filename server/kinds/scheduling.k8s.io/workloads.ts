import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { duplicate, Path, required, tooMany, type FieldError } from '../../registry/validation/field.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { dnsSubdomain, named } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Kind } from '../kind.js';
import { gatedGroupFields, requiredLabel, validateGroup } from './podGroupRules.js';

const templatesPath = Path.of('spec', 'podGroupTemplates');
const controller = Path.of('spec', 'controllerRef');
const templatesMax = 8;

const specOf = (workload: ApiObject): JsonObject => objectAt(workload, 'spec') ?? {};

function validateTemplates(spec: JsonObject): FieldError[] {
  const templates = objectsIn(spec, 'podGroupTemplates');
  if (templates.length === 0) return [required(templatesPath, 'must have at least one item')];
  if (templates.length > templatesMax) return [tooMany(templatesPath, templates.length, templatesMax)];
  const names = templates.map((template) => textAt(template, 'name'));
  return templates.flatMap((template, position) => {
    const [at, name] = [templatesPath.index(position), names[position] ?? ''];
    return [
      ...requiredLabel(name, at.child('name')),
      ...(names.indexOf(name) < position ? [duplicate(at, name)] : []),
      ...validateGroup(template, at),
    ];
  });
}

function validateController(spec: JsonObject): FieldError[] {
  const reference = objectAt(spec, 'controllerRef');
  if (reference === null) return [];
  const group = textAt(reference, 'apiGroup');
  return [
    ...(group === '' ? [] : dnsSubdomain(group, controller.child('apiGroup'))),
    ...['kind', 'name'].flatMap((member) => {
      const [value, path] = [textAt(reference, member), controller.child(member)];
      return value === '' ? [required(path, '')] : named(value, pathSegmentName, path);
    }),
  ];
}

const kept = immutable('spec.controllerRef', 'spec.podGroupTemplates');

export const workloads: Kind = {
  name: 'workloads.scheduling.k8s.io',
  gated: gatedGroupFields('spec.podGroupTemplates[]'),
  validate: (workload) => [...validateController(specOf(workload)), ...validateTemplates(specOf(workload))],
  update: { review: (workload, old, metadata) => [...metadata.update(), ...kept(workload, old)] },
};
