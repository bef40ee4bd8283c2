import type { Steps } from '../../../../../api/steps.js';
import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { isSet, itemsOf, textAt } from '../../../../../api/json/members.js';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  strictly,
  tooLong,
  type FieldError,
  type Path,
} from '../../../../registry/validation/field.js';
import { whileOff, whileOn } from '../../../../registry/validation/gatedFindings.js';
import { subdomainName } from '../../../../registry/validation/names.js';
import { dnsLabel, dnsSubdomain, ipAddress, qualified } from '../../../../registry/validation/values.js';
import {
  validateContainers,
  validateEphemeralContainers,
  validateHostNetworkPorts,
  validateInitContainers,
  type PodFacts,
} from './containers.js';
import { enumerated } from './handlers.js';
import { validateOverhead, validatePodResources } from './resources.js';
import {
  validateAffinity,
  validateDeadline,
  validateNodeLabels,
  validateSchedulingGates,
  validateTolerations,
  validateTopologySpread,
} from './scheduling.js';
import { validateHostProcess, validateHostUsers, validateOs, validatePodSecurity } from './security.js';
import { validateVolumes } from './volumes.js';
import { inOrder, ofEach, type Found } from '../../../../registry/validation/ofEach.js';
import { outcomeOf } from '../../../../registry/stepwise.js';

export interface SpecPlace {
  /** A workload's template leaves some parts open until a pod is created. */
  readonly ofTemplate: boolean;
  /** Empty in templates and while the name is unknown. */
  readonly podName: string;
}

/** Returns all findings in the reference's order. Defaults have been set before. */
export function* validatePodSpec(spec: JsonObject, path: Path, { ofTemplate, podName }: SpecPlace): Steps<FieldError[]> {
  const { findings: ofVolumes, volumes } = yield* validateVolumes(spec, path, { podName, ofTemplate });
  const claims = yield* validateResourceClaims(spec, path);
  const facts = podFacts(spec, volumes, claims.names);
  return yield* outcomeOf(
    inOrder(
      ofVolumes,
      claims.findings,
      validateContainers(spec, path, facts),
      validateInitContainers(spec, path, facts),
      validateEphemeralContainers(spec, path, facts),
      validatePodResources(spec, path),
      validateHostNetworkPorts(spec, path, ofTemplate),
      enumerated(spec['restartPolicy'], ['Always', 'OnFailure', 'Never'], path.child('restartPolicy')),
      enumerated(spec['dnsPolicy'], ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], path.child('dnsPolicy')),
      validateNodeLabels(spec, path),
      validatePodSecurity(spec, path),
      validateAffinity(spec, path),
      validateDnsConfig(spec, path),
      validateReadinessGates(spec, path),
      validateSchedulingGates(spec, path),
      validateTopologySpread(spec, path),
      validateHostProcess(spec, path),
      validateHostUsers(spec, path),
      validateHostnameOverride(spec, path),
      optionalSubdomain(spec, 'serviceAccountName', path),
      optionalSubdomain(spec, 'nodeName', path),
      validateDeadline(spec, path),
      optionalLabel(spec, 'hostname', path),
      optionalLabel(spec, 'subdomain', path),
      validateTolerations(spec, path),
      validateHostAliases(spec, path),
      optionalSubdomain(spec, 'priorityClassName', path),
      isSet(spec['runtimeClassName']) ? dnsSubdomain(textAt(spec, 'runtimeClassName'), path.child('runtimeClassName')) : [],
      preemption(spec, path),
      validateOverhead(spec, path),
      validateOs(spec, path),
    ),
  );
}

const podFacts = (spec: JsonObject, volumes: PodFacts['volumes'], claims: PodFacts['claims']): PodFacts => ({
  volumes,
  volumeNames: new Set(objectsIn(spec, 'volumes').map((volume) => textAt(volume, 'name'))),
  claims,
  graceSeconds: Number(spec['terminationGracePeriodSeconds'] ?? 0),
  restartPolicy: textAt(spec, 'restartPolicy'),
  hostUsers: spec['hostUsers'] !== false,
});

/** A bound pod must not have scheduling gates. */
export function validateGatesOfNewPod(spec: JsonObject, path: Path): FieldError[] {
  return textAt(spec, 'nodeName') !== '' && itemsOf(spec['schedulingGates']).length > 0
    ? [forbidden(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')]
    : [];
}

/** The kernel's limit of a host name, in bytes (sethostname(2)). */
const kernelHostnameMax = 64;

function validateHostnameOverride(spec: JsonObject, specPath: Path): FieldError[] {
  const name = spec['hostnameOverride'];
  if (typeof name !== 'string') return [];
  const path = specPath.child('hostnameOverride');
  return [
    ...(spec['setHostnameAsFQDN'] === true ? [forbidden(path, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(spec['hostNetwork'] === true ? [forbidden(path, 'may not be specified when hostNetwork is true')] : []),
    ...(Buffer.byteLength(name) > kernelHostnameMax ? [tooLong(path, kernelHostnameMax)] : []),
    ...dnsSubdomain(name, path),
  ];
}

const printedClaim = ({ name, resourceClaimName, resourceClaimTemplateName }: JsonObject): JsonObject => ({
  Name: name ?? '',
  ResourceClaimName: resourceClaimName ?? null,
  ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
});

function* validateResourceClaims(
  spec: JsonObject,
  specPath: Path,
): Steps<{ readonly findings: FieldError[]; readonly names: ReadonlySet<string> }> {
  const names = new Set<string>();
  const found = ofEach(objectsIn(spec, 'resourceClaims'), (claim, position) => {
    const at = specPath.child('resourceClaims').index(position);
    const name = textAt(claim, 'name');
    const ofName =
      name === ''
        ? [required(at.child('name'), '')]
        : names.has(name)
          ? [duplicate(at.child('name'), name)]
          : dnsLabel(name, at.child('name'));
    names.add(name);
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter(
      (member) => claim[member] !== undefined && claim[member] !== null,
    );
    if (sources.length === 0)
      ofName.push(invalid(at, printedClaim(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    if (sources.length > 1)
      ofName.push(invalid(at, printedClaim(claim), 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    return [...ofName, ...sources.flatMap((member) => dnsSubdomain(textAt(claim, member), at.child(member)))];
  });
  return { findings: yield* outcomeOf(found), names };
}

const nameserversMax = 3;
const searchPathsMax = 32;
const searchCharactersMax = 2048;
const nameCharactersMax = 253;
const searchPattern = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*';
const searchText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${searchPattern}')`;
const searchPath = new RegExp(`^${searchPattern}$`);

const tooLongName = (name: string): string[] =>
  name.length > nameCharactersMax ? [`must be no more than ${nameCharactersMax} characters`] : [];

function validateDnsConfig(spec: JsonObject, specPath: Path): FieldError[] {
  const config = objectAt(spec, 'dnsConfig');
  const path = specPath.child('dnsConfig');
  const none = spec['dnsPolicy'] === 'None';
  if (config === null) return none ? [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  const servers = itemsOf(config['nameservers']).map(String);
  if (none && servers.length === 0)
    return [required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  return [
    ...validateNameservers(servers, path.child('nameservers')),
    ...validateSearches(itemsOf(config['searches']).map(String), path.child('searches')),
    ...objectsIn(config, 'options').flatMap((option, position) =>
      textAt(option, 'name') === '' ? [required(path.child('options').index(position), 'must not be empty')] : [],
    ),
  ];
}

const validateNameservers = (servers: string[], path: Path): FieldError[] => [
  ...(servers.length > nameserversMax ? [invalid(path, servers, `must not have more than ${nameserversMax} nameservers`)] : []),
  ...servers.flatMap((server, position) => strictly(ipAddress(server, path.index(position)))),
];

function validateSearches(searches: string[], path: Path): FieldError[] {
  const findings = searches.flatMap((search, position) => validateSearch(search, path.index(position)));
  if (searches.join(' ').length > searchCharactersMax)
    findings.unshift(
      invalid(path, searches, `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`),
    );
  if (searches.length > searchPathsMax) findings.unshift(invalid(path, searches, `must not have more than ${searchPathsMax} search paths`));
  return findings;
}

function validateSearch(search: string, path: Path): FieldError[] {
  const name = search.replace(/\.$/, '');
  const texts = search === '.' ? [] : [...tooLongName(name), ...(searchPath.test(name) ? [] : [searchText])];
  const found = (each: readonly string[]): FieldError[] => each.map((text) => invalid(path, name, text));
  return [
    ...whileOn('RelaxedDNSSearchValidation', found(texts)),
    ...whileOff('RelaxedDNSSearchValidation', found(subdomainName(name, false))),
  ];
}

const validateReadinessGates = (spec: JsonObject, path: Path): Found =>
  ofEach(objectsIn(spec, 'readinessGates'), (gate, position) =>
    qualified(textAt(gate, 'conditionType'), path.child('readinessGates').index(position).child('conditionType')),
  );

function validateHostAliases(spec: JsonObject, path: Path): Found {
  return ofEach(objectsIn(spec, 'hostAliases'), (alias, position) => {
    const at = path.child('hostAliases').index(position);
    return inOrder(
      strictly(ipAddress(textAt(alias, 'ip'), at.child('ip'))),
      ofEach(itemsOf(alias['hostnames']), (name, each) => dnsSubdomain(String(name), at.child('hostnames').index(each))),
    );
  });
}

const optionalLabel = (spec: JsonObject, member: string, path: Path): FieldError[] =>
  textAt(spec, member) === '' ? [] : dnsLabel(textAt(spec, member), path.child(member));

const optionalSubdomain = (spec: JsonObject, member: string, path: Path): FieldError[] =>
  textAt(spec, member) === '' ? [] : dnsSubdomain(textAt(spec, member), path.child(member));

function preemption(spec: JsonObject, path: Path): FieldError[] {
  const policy = spec['preemptionPolicy'];
  const supported = ['PreemptLowerPriority', 'Never'];
  if (!isSet(policy) || supported.includes(String(policy))) return [];
  const at = path.child('preemptionPolicy');
  return [policy === '' ? required(at, '') : notSupported(at, policy, supported)];
}
