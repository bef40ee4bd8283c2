import {
  all,
  dnsLabel,
  dnsSubdomain,
  duplicate,
  each,
  forbidden,
  inOrder,
  invalid,
  ipAddress,
  isSet,
  itemsOf,
  knowing,
  labelMap,
  maxBytes,
  members,
  missing,
  nonZero,
  ofEach,
  oneOf,
  optional,
  outcomeOf,
  qualified,
  strictly,
  subdomainName,
  whileOff,
  whileOn,
  withFacts,
  type FieldError,
  type Found,
  type Path,
  type Steps,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import { containers, ephemeralContainers, hostNetworkPorts, initContainers } from './containers.js';
import type { PodFacts } from './facts.js';
import { fileKeyVolumes } from './fileKeys.js';
import { overheadOf, podResources } from './resources.js';
import { affinity, deadline, schedulingGates, tolerations, topologySpread } from './scheduling.js';
import { hostProcess, hostUsers, operatingSystem, podSecurity } from './security.js';
import { validateVolumes } from './volumes.js';

type PodSpec = Writable<v1.PodSpec>;

export interface SpecPlace {
  /** A workload's template leaves some parts open until a pod is created. */
  readonly ofTemplate: boolean;
  /** Empty in templates and while the name is unknown. */
  readonly podName: string;
}

/** Returns all findings in the reference's order. Defaults have been set before. */
export function* validatePodSpec(spec: PodSpec, path: Path, { ofTemplate, podName }: SpecPlace): Steps<FieldError[]> {
  const { findings: ofVolumes, volumes } = yield* validateVolumes(spec, path, { podName, ofTemplate });
  const claims = yield* validateResourceClaims(spec, path);
  const facts: PodFacts = {
    ofTemplate,
    volumes,
    claims: claims.names,
    graceSeconds: Number(spec.terminationGracePeriodSeconds ?? 0),
    restartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers !== false,
  };
  return yield* outcomeOf(inOrder(ofVolumes, claims.findings, withFacts(rules, facts)(spec, path)));
}

/** A bound pod must not have scheduling gates. */
export function validateGatesOfNewPod({ nodeName, schedulingGates }: PodSpec, path: Path): FieldError[] {
  return (nodeName ?? '') !== '' && itemsOf(schedulingGates).length > 0
    ? [forbidden(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')]
    : [];
}

/** The kernel's limit of a host name, in bytes (sethostname(2)). */
const kernelHostnameMax = 64;

const aloneWith = (_name: string, path: Path, { setHostnameAsFQDN, hostNetwork }: PodSpec): FieldError[] => [
  ...(setHostnameAsFQDN === true ? [forbidden(path, 'may not be specified when setHostnameAsFQDN is true')] : []),
  ...(hostNetwork === true ? [forbidden(path, 'may not be specified when hostNetwork is true')] : []),
];

const printedClaim = ({ name, resourceClaimName, resourceClaimTemplateName }: Writable<v1.PodResourceClaim>): object => ({
  Name: name ?? '',
  ResourceClaimName: resourceClaimName ?? null,
  ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
});

const claimSources = members<v1.PodResourceClaim>({
  resourceClaimName: optional(dnsSubdomain),
  resourceClaimTemplateName: optional(dnsSubdomain),
});

function oneClaim(claim: Writable<v1.PodResourceClaim>, path: Path): FieldError[] {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  if (!isSet(name) && !isSet(template))
    return [invalid(path, printedClaim(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')];
  return isSet(name) && isSet(template)
    ? [invalid(path, printedClaim(claim), 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')]
    : [];
}

function* validateResourceClaims(
  spec: PodSpec,
  specPath: Path,
): Steps<{ readonly findings: FieldError[]; readonly names: ReadonlySet<string> }> {
  const names = new Set<string>();
  const path = specPath.child('resourceClaims');
  const found = ofEach(itemsOf(spec.resourceClaims), (claim, position) => {
    const [at, { name = '' }] = [path.index(position), claim];
    const named = at.child('name');
    const repeated = names.has(name);
    names.add(name);
    return inOrder(
      name === '' ? [missing(named, '')] : repeated ? [duplicate(named, name)] : dnsLabel(name, named),
      oneClaim(claim, at),
      claimSources(claim, at, spec),
    );
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

function dnsConfig(config: Writable<v1.PodDNSConfig> | undefined, path: Path, { dnsPolicy }: PodSpec): FieldError[] {
  const none = dnsPolicy === 'None';
  if (!isSet(config)) return none ? [missing(path, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  const servers = [...itemsOf(config.nameservers)];
  if (none && servers.length === 0)
    return [missing(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  return [
    ...validateNameservers(servers, path.child('nameservers')),
    ...validateSearches([...itemsOf(config.searches)], path.child('searches')),
    ...itemsOf(config.options).flatMap(({ name = '' }, position) =>
      name === '' ? [missing(path.child('options').index(position), 'must not be empty')] : [],
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

const strictAddress = (address: string | undefined, path: Path): FieldError[] => strictly(ipAddress(address ?? '', path));
const hostAlias = members<v1.HostAlias>({ ip: strictAddress, hostnames: each(dnsSubdomain) });

const supportedPreemption = oneOf('PreemptLowerPriority', 'Never');
const preemption = (policy: string, path: Path): Found => (policy === '' ? [missing(path, '')] : supportedPreemption(policy, path));

const rules = all<PodSpec, unknown, PodFacts>(
  members<v1.PodSpec, PodFacts>({
    containers,
    initContainers: knowing(initContainers),
    ephemeralContainers: knowing(ephemeralContainers),
    resources: podResources,
  }),
  hostNetworkPorts,
  members<v1.PodSpec>({
    restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
    dnsPolicy: oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
    nodeSelector: optional(labelMap),
    securityContext: podSecurity,
    affinity: optional(affinity),
    dnsConfig,
    readinessGates: each(members<v1.PodReadinessGate>({ conditionType: (type, path) => qualified(type ?? '', path) })),
    schedulingGates,
    topologySpreadConstraints: topologySpread,
  }),
  hostProcess,
  hostUsers,
  members<v1.PodSpec>({
    hostnameOverride: optional(aloneWith, maxBytes(kernelHostnameMax), dnsSubdomain),
    serviceAccountName: nonZero(dnsSubdomain),
    nodeName: nonZero(dnsSubdomain),
    activeDeadlineSeconds: deadline,
    hostname: nonZero(dnsLabel),
    subdomain: nonZero(dnsLabel),
    tolerations,
    hostAliases: each(hostAlias),
    priorityClassName: nonZero(dnsSubdomain),
    runtimeClassName: optional(dnsSubdomain),
    preemptionPolicy: optional(preemption),
    overhead: optional(overheadOf),
  }),
  operatingSystem,
  fileKeyVolumes,
);
