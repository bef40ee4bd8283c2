import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { addedTo, seccompTypes } from './baseline.js';
import { containersText, offenders, plural, quoted, setters, sorted, unless, type Check } from './subject.js';

/** The restricted checks require explicit settings. */

export const allowPrivilegeEscalation: Check = (subject) => {
  const { names } = offenders(subject, ({ security }) => (security['allowPrivilegeEscalation'] === false ? [] : ['allowed']));
  return names.length === 0
    ? null
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const restrictedCapabilities: Check = (subject) => {
  const keeping = offenders(subject, ({ security }) =>
    itemsOf((objectAt(security, 'capabilities') ?? {})['drop']).includes('ALL') ? [] : ['kept'],
  ).names;
  const adding = offenders(subject, ({ security }) => addedTo(security).filter((capability) => capability !== 'NET_BIND_SERVICE'));
  const details = [
    ...(keeping.length === 0 ? [] : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.names.length === 0
      ? []
      : [`${containersText(adding.names)} must not include ${quoted(sorted(adding.values))} in securityContext.capabilities.add`]),
  ];
  return details.length === 0 ? null : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const volumes = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret'];
const otherVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const restrictedVolumes: Check = ({ spec }) => {
  const wrong = objectsIn(spec, 'volumes').filter((volume) => volumes.every((source) => objectAt(volume, source) === null));
  if (wrong.length === 0) return null;
  const types = sorted(wrong.map((volume) => otherVolumes.find((source) => objectAt(volume, source) !== null) ?? 'unknown'));
  const names = quoted(wrong.map((volume) => textAt(volume, 'name')));
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', wrong.length)} ${names} ${plural('uses', wrong.length, 'use')} ${plural('restricted volume type', types.length)} ${quoted(types)}`,
  };
};

export const runAsNonRoot: Check = (subject) => {
  const reason = 'runAsNonRoot != true';
  const asRoot = setters(subject, (security) => unless(security, ['runAsNonRoot'], (value) => value === 'true'));
  if (asRoot !== null) return { reason, detail: `${asRoot.text} must not set securityContext.runAsNonRoot=false` };
  if (subject.security['runAsNonRoot'] === true) return null;
  const { names } = offenders(subject, ({ security }) => (security['runAsNonRoot'] === true ? [] : ['open']));
  return names.length === 0 ? null : { reason, detail: `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = (subject) => {
  const found = setters(subject, (security) => unless(security, ['runAsUser'], (value) => value !== '0'));
  return found === null ? null : { reason: 'runAsUser=0', detail: `${found.text} must not set runAsUser=0` };
};

export const restrictedSeccomp: Check = (subject) => {
  const reason = 'seccompProfile';
  const isFine = (value: string): boolean => seccompTypes.includes(value);
  const found = setters(subject, (security) => unless(security, ['seccompProfile', 'type'], isFine));
  if (found !== null)
    return { reason, detail: `${found.text} must not set securityContext.seccompProfile.type to ${quoted(found.values)}` };
  if (objectAt(subject.security, 'seccompProfile') !== null) return null;
  const { names } = offenders(subject, ({ security }) => (memberAt(security, 'seccompProfile') === undefined ? ['open'] : []));
  return names.length === 0
    ? null
    : { reason, detail: `pod or ${containersText(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"` };
};
