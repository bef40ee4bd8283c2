import { goMembers, withFollowers, type Followers, type GoMember, type GoType } from '../../../api/catalogue/goStructures.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { flags, optionals, printedStructure, type MemberForm, type StructureForm } from './internalForm.js';

/**
 * Forms of the reference's internal structures (`pkg/apis`), which messages quote. They follow from those of its API (`k8s.io/api`); the tables hold the
 * differences. The tables leave out `core.v1`.
 */

/** Members that follow another one, in place of where the API has them. */
const order: Readonly<Record<string, Followers>> = {
  PodSpec: { subdomain: ['setHostnameAsFQDN'], priority: ['preemptionPolicy'], runtimeClassName: ['overhead'] },
  PodSecurityContext: { fsGroup: ['fsGroupChangePolicy'] },
  VolumeSource: { rbd: ['quobyte'] },
  PersistentVolumeSource: { rbd: ['quobyte'], iscsi: ['flexVolume'] },
};

/** Members that JSON has elsewhere. */
const additional: Readonly<Record<string, StructureForm>> = {
  PodSecurityContext: [...flags('hostNetwork', 'hostPID', 'hostIPC'), ...optionals('shareProcessNamespace', 'hostUsers')],
};
const missing: Readonly<Record<string, readonly string[]>> = {
  PodSpec: ['serviceAccount', 'hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace'],
};

/** Members of another type. */
const forms: Readonly<Record<string, Readonly<Record<string, MemberForm>>>> = {
  ServiceAccountTokenProjection: { expirationSeconds: 'number' },
  'apps.v1.RollingUpdateDaemonSet': { maxUnavailable: 'number', maxSurge: 'number' },
  'apps.v1.RollingUpdateDeployment': { maxUnavailable: 'number', maxSurge: 'number' },
  'apps.v1.RollingUpdateStatefulSetStrategy': { partition: 'number' },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': { nominalConcurrencyShares: 'number' },
};

const known = new Map<string, StructureForm>();

/** Prints a structure as messages quote it, by the name of its message. */
export const printedAs = (structure: string, value: JsonValue | undefined): JsonObject => printedStructure(value, formOf(structure));

/** The form of a structure, by the name of its message (`core.v1.PodSpec`). */
function formOf(structure: string): StructureForm {
  const made = known.get(structure);
  if (made !== undefined) return made;
  const short = structure.replace(/^core\.v1\./, '');
  const members = (goMembers(structure) ?? []).filter(({ member }) => member === null || !(missing[short] ?? []).includes(member));
  const form = [
    ...(additional[short] ?? []),
    ...withFollowers(members, ({ member }) => member, order[short] ?? {}).flatMap((each) => memberForm(short, each)),
  ];
  known.set(structure, form);
  return form;
}

function memberForm(structure: string, { name, member, type }: GoMember): StructureForm {
  if (member === null) return formOf(type.structure ?? '');
  return [[member, name, forms[structure]?.[member] ?? formOfType(type)]];
}

/** Types whose form does not follow from their members. */
const ownForms: Readonly<Record<string, MemberForm>> = {
  ObjectMeta: 'metadata',
  RawExtension: 'optional',
  LabelSelector: 'selector',
  map: 'map',
  ResourceList: 'map',
  bool: 'flag',
  int32: 'number',
  int64: 'number',
  IntOrString: 'number',
  Quantity: 'quantity',
};

function formOfType({ name, isPointer, isList, isNamed, structure }: GoType): MemberForm {
  const own = ownForms[name];
  if (own === 'metadata' || own === 'selector' || own === 'map') return own;
  const isStructure = structure !== undefined && own === undefined && !isNamed;
  if (isStructure) return isPointer ? { optional: formOf(structure) } : isList ? { list: formOf(structure) } : { of: formOf(structure) };
  return isPointer || isList ? 'optional' : (own ?? 'text');
}
