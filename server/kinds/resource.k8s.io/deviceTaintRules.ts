import type { DeviceTaintRule } from '../../../api/types/resource/v1beta2.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { driverName } from '../../registry/validation/drivernames.js';
import { Path, tooMany, type FieldError } from '../../registry/validation/field.js';
import { dnsLabel } from '../../registry/validation/values.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { validateTaint } from './devices.js';
import { poolName } from './names.js';

const specPath = Path.of('spec');
const conditionsPath = Path.of('status', 'conditions');
const conditionsMax = 8;
const selected = [
  ['driver', driverName],
  ['pool', poolName],
  ['device', dnsLabel],
] as const;

/** A taint and its devices; all without a selector. An existing effect stays acceptable. */
function validate(rule: Draft<DeviceTaintRule>, old: Draft<DeviceTaintRule> | null): FieldError[] {
  const spec = specOf(rule);
  const selector = objectAt(spec, 'deviceSelector') ?? {};
  const sameEffect = old !== null && textAt(old, 'spec', 'taint', 'effect') === textAt(spec, 'taint', 'effect');
  const effect = specPath.child('taint', 'effect').toString();
  return [
    ...selected.flatMap(([member, check]) =>
      selector[member] === undefined || selector[member] === null
        ? []
        : check(textAt(selector, member), specPath.child('deviceSelector', member)),
    ),
    ...validateTaint(objectAt(spec, 'taint') ?? {}, specPath.child('taint')).filter(({ path }) => !sameEffect || path !== effect),
  ];
}

function validateStatus(rule: Draft<DeviceTaintRule>): FieldError[] {
  const conditions = itemsOf(memberAt(rule, 'status', 'conditions'));
  return [
    ...validateConditions(conditions, conditionsPath),
    ...(conditions.length > conditionsMax ? [tooMany(conditionsPath, conditions.length, conditionsMax)] : []),
  ];
}

export const deviceTaintRules: Kind<Draft<DeviceTaintRule>> = {
  name: 'devicetaintrules.resource.k8s.io',
  metadata: { generationOf: ['spec'] },
  prepare(rule, old, { now }) {
    stampTaint(rule, old, now);
  },
  validate: (rule) => validate(rule, null),
  update: {
    review: ['objectMetaUpdate', validate],
  },
  delete: { answers: 'object' },
  subresources: {
    status: { keepsMetadata: true, review: ['objectMetaUpdate', validateStatus] },
  },
};

/** Sets the time of the taint by default, and when the effect changes. */
function stampTaint(rule: Draft<DeviceTaintRule>, old: Draft<DeviceTaintRule> | null, now: string): void {
  const taint = objectAt(specOf(rule), 'taint');
  if (taint === null) return;
  const before = old === null ? {} : (objectAt(specOf(old), 'taint') ?? {});
  const changed = old !== null && textAt(before, 'effect') !== textAt(taint, 'effect') && taint.timeAdded === before.timeAdded;
  if (taint.timeAdded === undefined || taint.timeAdded === null || changed) taint.timeAdded = now;
}
