import type * as v1beta2 from '../../../api/types/resource/v1beta2.js';
import {
  all,
  conditions,
  dnsLabel,
  driverName,
  fromFound,
  isSet,
  maxItems,
  members,
  objectRules,
  optional,
  specOf,
  type Draft,
  type Found,
  type Kind,
} from '../language.js';
import { taint } from './devices.js';
import { poolName } from './names.js';

type TaintRule = Draft<v1beta2.DeviceTaintRule>;

const conditionsMax = 8;

/** A taint and its devices; all without a selector. */
const rules = objectRules<v1beta2.DeviceTaintRule>({
  spec: members<v1beta2.DeviceTaintRuleSpec>({
    deviceSelector: members<v1beta2.DeviceTaintSelector>({
      driver: optional(driverName),
      pool: optional(poolName),
      device: optional(dnsLabel),
    }),
    taint,
  }),
});

const effectOf = (rule: TaintRule): string => rule.spec?.taint?.effect ?? '';

/** An existing effect stays acceptable. */
const changeRules = (rule: TaintRule, old: TaintRule): Found =>
  fromFound(rules(rule), (findings) =>
    effectOf(rule) === effectOf(old) ? findings.filter(({ path }) => path !== 'spec.taint.effect') : findings,
  );

const validateStatus = objectRules<v1beta2.DeviceTaintRule>({
  status: members<v1beta2.DeviceTaintRuleStatus>({ conditions: all(conditions, maxItems(conditionsMax)) }),
});

export const deviceTaintRules: Kind<TaintRule> = {
  name: 'devicetaintrules.resource.k8s.io',
  metadata: { generationOf: ['spec'] },
  prepare(rule, old, { now }) {
    stampTaint(rule, old, now);
  },
  validate: rules,
  update: {
    review: ['objectMetaUpdate', changeRules],
  },
  delete: { answers: 'object' },
  subresources: {
    status: { keepsMetadata: true, review: ['objectMetaUpdate', validateStatus] },
  },
};

function stampTaint(rule: TaintRule, old: TaintRule | null, now: string): void {
  const { taint } = specOf(rule);
  if (!isSet(taint)) return;
  const before = old?.spec?.taint?.timeAdded;
  const changed = old !== null && effectOf(old) !== effectOf(rule) && taint.timeAdded === before;
  if (!isSet(taint.timeAdded) || changed) taint.timeAdded = now;
}
