import type { ApiObject, JsonObject } from '../../../api/object.js';
import { qualifiedName } from '../../../api/resource.js';
import { forbidden, internalError, invalidObject } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { membersOf, textAt } from '../../../api/json/members.js';
import { toCause } from '../../registry/validation/field.js';
import { podTemplates } from '../podTemplates.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import type { PodSecurityRules } from './configuration.js';
import { noCounts, type PodSecurityCounts } from './counts.js';
import { ignoredPolicy, modes, policyOf, sameStandard, strictness, textOf, type Policy, type Standard } from './policy.js';
import { detailsText, reasonsText, violations } from './standards.js';
import { subjectOf, type Subject } from './subject.js';

const label = 'pod-security.kubernetes.io/';
const pods = { group: '', resource: 'pods' };
const namespaces = { group: '', resource: 'namespaces' };
const podsCheckedMax = 3000;
/** These do not change what standards check. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

export const podSecurity = (lookup: Lookup, rules: PodSecurityRules, counts: PodSecurityCounts = noCounts): AdmissionPlugin => ({
  name: 'PodSecurity',
  resources: ['pods', 'namespaces', ...Object.keys(podTemplates)],
  async validate(request) {
    if (request.object === null) return;
    const name = qualifiedName(request.resource.storage);
    const parts = { lookup, rules, counts };
    if (name === 'namespaces') await validateNamespace(request, request.object, parts);
    else if (name === 'pods') await validatePod(request, request.object, parts);
    else await validateTemplate(request, request.object, parts);
  },
});

interface Parts {
  readonly lookup: Lookup;
  readonly rules: PodSecurityRules;
  readonly counts: PodSecurityCounts;
}

const labelsOf = (object: ApiObject): Readonly<Record<string, string>> => object.metadata.labels ?? {};

/** An audit annotation records the exemption. */
function isExempt(request: AdmissionRequest, { rules, counts }: Parts, runtimeClass = ''): boolean {
  const why = rules.namespaces.has(request.namespace)
    ? 'namespace'
    : rules.users.has(request.user.name)
      ? 'user'
      : rules.runtimeClasses.has(runtimeClass)
        ? 'runtimeClass'
        : null;
  if (why === null) return false;
  request.annotate(`${label}exempt`, why);
  counts.exempted(request);
  return true;
}

async function policyFor({ namespace }: AdmissionRequest, { lookup, rules }: Parts): Promise<Policy> {
  const found = await lookup.find(namespaces, '', namespace);
  if (found === null) throw internalError(new Error(`failed to lookup namespace ${JSON.stringify(namespace)}`));
  return policyOf(labelsOf(found), rules.defaults).policy;
}

async function validatePod(request: AdmissionRequest, pod: ApiObject, parts: Parts): Promise<void> {
  if (ignoredSubresources.has(request.subresource) || isExempt(request, parts)) return;
  const policy = await policyFor(request, parts);
  if (request.old !== null && !changesMatter(pod, request.old)) return;
  const spec = objectAt(pod, 'spec') ?? {};
  if (isExempt(request, parts, textAt(spec, 'runtimeClassName'))) return;
  request.annotate(`${label}enforce-policy`, textOf(policy.enforce));
  if (modes.every((mode) => policy[mode].level === 'privileged'))
    return parts.counts.evaluated('allow', 'enforce', policy.enforce, request);
  const subject = subjectOf(spec, pod.metadata.annotations ?? {});
  const found = violations(subject, policy.enforce);
  parts.counts.evaluated(found.length > 0 ? 'deny' : 'allow', 'enforce', policy.enforce, request);
  record(request, subject, policy.audit, parts);
  if (found.length > 0)
    throw forbidden(pods, request.name, `violates PodSecurity ${JSON.stringify(textOf(policy.enforce))}: ${detailsText(found)}`);
  warn(request, subject, policy.warn, parts);
}

/** Templates only cause warnings and audit annotations, since their pods are checked on creation. */
async function validateTemplate(request: AdmissionRequest, object: ApiObject, parts: Parts): Promise<void> {
  if (request.subresource !== '' || isExempt(request, parts)) return;
  const path = podTemplates[qualifiedName(request.resource.storage)] ?? [];
  const template = path.reduce<JsonObject | null>((holder, member) => (holder === null ? null : objectAt(holder, member)), object);
  const policy = template === null ? null : await policyFor(request, parts);
  if (template === null || policy === null || (['audit', 'warn'] as const).every((mode) => policy[mode].level === 'privileged')) return;
  const spec = objectAt(template, 'spec') ?? {};
  if (isExempt(request, parts, textAt(spec, 'runtimeClassName'))) return;
  const annotations = Object.fromEntries(
    Object.entries(membersOf(membersOf(template['metadata'])['annotations'])).map(([key, value]) => [key, String(value)]),
  );
  const subject = subjectOf(spec, annotations);
  record(request, subject, policy.audit, parts);
  warn(request, subject, policy.warn, parts);
}

function warn(request: AdmissionRequest, subject: Subject, standard: Standard, { counts }: Parts): void {
  const text = wouldViolate(subject, standard);
  if (text === null) return;
  request.warn(text);
  counts.evaluated('deny', 'warn', standard, request);
}

/** The `audit` mode annotates without refusing. */
function record(request: AdmissionRequest, subject: Subject, standard: Standard, { counts }: Parts): void {
  const text = wouldViolate(subject, standard);
  if (text === null) return;
  request.annotate(`${label}audit-violations`, text);
  counts.evaluated('deny', 'audit', standard, request);
}

function wouldViolate(subject: Subject, standard: Standard): string | null {
  const found = violations(subject, standard);
  return found.length === 0 ? null : `would violate PodSecurity ${JSON.stringify(textOf(standard))}: ${detailsText(found)}`;
}

const seccomp = 'container.seccomp.security.alpha.kubernetes.io/';

/** Only images and containers can change among the checked parts. */
function changesMatter(pod: ApiObject, old: ApiObject): boolean {
  const [spec, before] = [objectAt(pod, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  const differs = (container: JsonObject, former: JsonObject | undefined): boolean => {
    const key = `${seccomp}${textAt(container, 'name')}`;
    return (
      former === undefined || container['image'] !== former['image'] || pod.metadata.annotations?.[key] !== old.metadata.annotations?.[key]
    );
  };
  const byPlace = ['containers', 'initContainers'].some((list) => {
    const [now, then] = [objectsIn(spec, list), objectsIn(before, list)];
    return now.length !== then.length || now.some((container, position) => differs(container, then[position]));
  });
  const debugging = objectsIn(before, 'ephemeralContainers');
  return (
    byPlace ||
    objectsIn(spec, 'ephemeralContainers').some((container) =>
      differs(
        container,
        debugging.find((former) => former['name'] === container['name']),
      ),
    )
  );
}

/** Requires valid changed labels. Warns about a namespace's pods that a stricter level would refuse. */
async function validateNamespace(request: AdmissionRequest, namespace: ApiObject, { lookup, rules }: Parts): Promise<void> {
  if (request.subresource !== '') return;
  const { policy, findings } = policyOf(labelsOf(namespace), rules.defaults);
  const before = request.old === null ? null : policyOf(labelsOf(request.old), rules.defaults);
  if (findings.length > 0 && JSON.stringify(findings) !== JSON.stringify(before?.findings)) {
    throw invalidObject({ group: '', kind: 'Namespace' }, request.name, findings.map(toCause));
  }
  if (before !== null && !isStricter(policy.enforce, before.policy.enforce)) return;
  if (rules.namespaces.has(request.name)) {
    const ignored = ignoredPolicy(labelsOf(namespace), policy);
    if (ignored !== '')
      request.warn(`namespace ${JSON.stringify(request.name)} is exempt from Pod Security, and the policy (${ignored}) will be ignored`);
  } else if (before !== null) {
    for (const text of warningsFor(await lookup.list(pods, request.name), policy.enforce, request.name)) request.warn(text);
  }
}

const isStricter = (now: Standard, before: Standard): boolean =>
  !sameStandard(now, before) &&
  now.level !== 'privileged' &&
  (now.minor !== before.minor || strictness(now.level) > strictness(before.level));

function warningsFor(pods: readonly ApiObject[], standard: Standard, namespace: string): string[] {
  const namesByFault = new Map<string, string[]>();
  for (const pod of pods.slice(0, podsCheckedMax)) {
    const fault = reasonsText(violations(subjectOf(objectAt(pod, 'spec') ?? {}, pod.metadata.annotations ?? {}), standard));
    if (fault !== '') namesByFault.set(fault, [...(namesByFault.get(fault) ?? []), pod.metadata.name ?? ''].sort());
  }
  const others = (count: number): string => (count === 0 ? '' : ` (and ${count} other ${count === 1 ? 'pod' : 'pods'})`);
  return [
    ...(pods.length > podsCheckedMax
      ? [`new PodSecurity enforce level only checked against the first ${podsCheckedMax} of ${pods.length} existing pods`]
      : []),
    ...(namesByFault.size === 0
      ? []
      : [
          `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(textOf(standard))}`,
        ]),
    ...[...namesByFault].map(([fault, names]) => `${names[0] ?? ''}${others(names.length - 1)}: ${fault}`).sort(),
  ];
}
