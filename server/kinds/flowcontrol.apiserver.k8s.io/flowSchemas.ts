import type * as v1 from '../../../api/types/flowcontrol/v1.js';
import {
  at,
  condition,
  created,
  dnsSubdomain,
  insteadOfZero,
  invalid,
  members,
  notSupported,
  numberAt,
  objectRules,
  optional,
  printedAs,
  requiredAs,
  sameValue,
  textAt,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { mandatorySpec } from './mandatory.js';
import { policyRules } from './rules.js';
import { status, statusWrites } from './status.js';

type FlowSchema = Draft<v1.FlowSchema>;
type Spec = Writable<v1.FlowSchemaSpec> | undefined;

const precedenceDefault = 1000;
const precedenceMax = 10_000;
const methods = ['ByNamespace', 'ByUser'];

const spec = members<v1.FlowSchemaSpec>({
  matchingPrecedence: insteadOfZero(precedenceDefault),
  distinguisherMethod: optional(
    members<v1.FlowDistinguisherMethod>({
      type: (type = '', path) => (methods.includes(type) ? [] : [notSupported(path, { Type: type }, methods)]),
    }),
  ),
  priorityLevelConfiguration: members<v1.PriorityLevelConfigurationReference>({
    name: requiredAs('must reference a priority level', dnsSubdomain),
  }),
  rules: policyRules,
});
const validate = objectRules<v1.FlowSchema>({ spec: created(precedence, spec, fixedSpec), status });

function precedence(spec: Spec, holder: Path, { metadata }: FlowSchema): FieldError[] {
  const [value, path] = [spec?.matchingPrecedence ?? 0, holder.child('matchingPrecedence')];
  if (value <= 0) return [invalid(path, value, 'must be a positive value')];
  if (value > precedenceMax) return [invalid(path, value, `must not be greater than ${precedenceMax}`)];
  return value === 1 && metadata.name !== 'exempt'
    ? [invalid(path, value, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
}

function fixedSpec(spec: Spec, path: Path, { metadata: { name = '' } }: FlowSchema): FieldError[] {
  const fixed = mandatorySpec('flowschemas', name);
  if (fixed === null || sameValue(spec, fixed)) return [];
  return [invalid(path, printedAs('flowcontrol.v1.FlowSchemaSpec', spec), `spec of '${name}' must equal the fixed value`)];
}

export const flowSchemas: Kind<FlowSchema> = {
  name: 'flowschemas.flowcontrol.apiserver.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults: validate.defaults,
  validate,
  update: { review: ['objectMeta', validate] },
  subresources: statusWrites,
  cells: {
    PriorityLevel: at('spec.priorityLevelConfiguration.name'),
    MatchingPrecedence: numberAt('spec.matchingPrecedence'),
    DistinguisherMethod: at('spec.distinguisherMethod.type'),
    MissingPL: (object) => textAt(condition(object, 'Dangling'), 'status') || '?',
  },
};
