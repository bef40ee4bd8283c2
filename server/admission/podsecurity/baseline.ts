import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { containersText, offenders, plural, quoted, setters, sorted, unless, type Check, type Subject } from './subject.js';

const isTrue = (value: string): boolean => value === 'true';

export const privileged: Check = (subject) => {
  const { names } = offenders(subject, ({ security }) => unless(security, ['privileged'], (value) => !isTrue(value)));
  return names.length === 0
    ? null
    : { reason: 'privileged', detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

export const hostNamespaces: Check = ({ spec }) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((member) => spec[member] === true);
  return used.length === 0 ? null : { reason: 'host namespaces', detail: used.map((member) => `${member}=true`).join(', ') };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = objectsIn(spec, 'volumes')
    .filter((volume) => objectAt(volume, 'hostPath') !== null)
    .map((volume) => textAt(volume, 'name'));
  return names.length === 0 ? null : { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
};

export const hostPorts: Check = (subject) => {
  const { names, values } = offenders(subject, ({ container }) =>
    objectsIn(container, 'ports')
      .map((port) => Number(port['hostPort'] ?? 0))
      .filter((port) => port !== 0)
      .map(String),
  );
  const ports = sorted(values);
  if (names.length === 0) return null;
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${plural('uses', names.length, 'use')} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
  };
};

/** Hosts that the kubelet would be made to call. */
export const probeHosts: Check = (subject) => {
  const { names, values } = offenders(subject, ({ container }) =>
    [
      ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) => objectAt(container, probe)),
      ...['postStart', 'preStop'].map((hook) => objectAt(objectAt(container, 'lifecycle') ?? {}, hook)),
    ].flatMap((handler) => ['httpGet', 'tcpSocket'].map((action) => textAt(handler ?? {}, action, 'host')).filter((host) => host !== '')),
  );
  const [containers, hosts] = [sorted(names), sorted(values)];
  if (containers.length === 0) return null;
  const what = plural('probe or lifecycle host', hosts.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(containers)} ${plural('uses', containers.length, 'use')} ${what} ${quoted(hosts)}`,
  };
};

const defaultCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const addedTo = (security: JsonObject): string[] => itemsOf((objectAt(security, 'capabilities') ?? {})['add']).map(String);

export const baselineCapabilities: Check = (subject) => {
  const { names, values } = offenders(subject, ({ security }) =>
    addedTo(security).filter((capability) => !defaultCapabilities.has(capability)),
  );
  if (names.length === 0) return null;
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(names)} must not include ${quoted(sorted(values))} in securityContext.capabilities.add`,
  };
};

export const procMount: Check = (subject) => {
  const { names, values } = offenders(subject, ({ security }) => unless(security, ['procMount'], (value) => value === 'Default'));
  return names.length === 0
    ? null
    : { reason: 'procMount', detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(sorted(values))}` };
};

/** `allowed`: types of processes. */
export const seLinuxOptions =
  (allowed: readonly string[]): Check =>
  (subject) => {
    const wrong = (security: JsonObject): string[] => {
      const options = objectAt(security, 'seLinuxOptions') ?? {};
      const type = textAt(options, 'type');
      return [
        ...(type === '' || allowed.includes(type) ? [] : [`type ${type}`]),
        ...['user', 'role'].filter((member) => textAt(options, member) !== ''),
      ];
    };
    const found = setters(subject, wrong);
    if (found === null) return null;
    const types = found.values.filter((value) => value.startsWith('type ')).map((value) => value.slice('type '.length));
    const parts = [
      ...(types.length === 0 ? [] : [`${plural('type', types.length)} ${quoted(types)}`]),
      ...['user', 'role'].filter((member) => found.values.includes(member)).map((member) => `${member} may not be set`),
    ];
    return { reason: 'seLinuxOptions', detail: `${found.text} set forbidden securityContext.seLinuxOptions: ${parts.join('; ')}` };
  };

export const seccompTypes: readonly string[] = ['Localhost', 'RuntimeDefault'];

export const baselineSeccomp: Check = (subject) => {
  const found = setters(subject, (security) => unless(security, ['seccompProfile', 'type'], (value) => seccompTypes.includes(value)));
  return found === null
    ? null
    : { reason: 'seccompProfile', detail: `${found.text} must not set securityContext.seccompProfile.type to ${quoted(found.values)}` };
};

const seccomp = 'seccomp.security.alpha.kubernetes.io/';

/** Annotations held the profile before there was a field. */
export const annotatedSeccomp: Check = ({ annotations, containers }) => {
  const keys = [`${seccomp}pod`, ...containers.map(({ name }) => `container.${seccomp}${name}`)];
  const isFine = (value: string): boolean => ['runtime/default', 'docker/default'].includes(value) || value.startsWith('localhost/');
  const wrong = sorted(
    keys.flatMap((key) =>
      annotations[key] === undefined || isFine(annotations[key]) ? [] : [`${key}=${JSON.stringify(annotations[key])}`],
    ),
  );
  return wrong.length === 0
    ? null
    : { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', wrong.length)} ${wrong.join(', ')}` };
};

const apparmor = 'container.apparmor.security.beta.kubernetes.io/';

export const appArmorProfile: Check = (subject) => {
  const found = setters(subject, (security) =>
    unless(security, ['appArmorProfile', 'type'], (value) => value === 'RuntimeDefault' || value === 'Localhost'),
  );
  const annotated = annotatedProfiles(subject);
  const values = [...(found?.values ?? []), ...annotated];
  if (values.length === 0) return null;
  const who = [...(found === null ? [] : [found.text]), ...(annotated.length === 0 ? [] : [plural('annotation', annotated.length)])].join(
    ' and ',
  );
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const annotatedProfiles = ({ annotations }: Subject): string[] =>
  sorted(
    Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(apparmor) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`),
  );

export const sysctls =
  (allowed: readonly string[]): Check =>
  ({ security }) => {
    const names = objectsIn(security, 'sysctls')
      .map((sysctl) => textAt(sysctl, 'name'))
      .filter((name) => !allowed.includes(name));
    return names.length === 0 ? null : { reason: 'forbidden sysctls', detail: names.join(', ') };
  };

export const windowsHostProcess: Check = (subject) => {
  const found = setters(subject, (security) => unless(security, ['windowsOptions', 'hostProcess'], (value) => !isTrue(value)));
  return found === null
    ? null
    : { reason: 'hostProcess', detail: `${found.text} must not set securityContext.windowsOptions.hostProcess=true` };
};
