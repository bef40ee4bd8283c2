import type * as v1 from '../../../api/types/storage/v1.js';
import {
  all,
  countAt,
  distinct,
  driverName,
  duplicate,
  groupedBy,
  invalid,
  itemsOf,
  members,
  missing,
  nonNegative,
  objectRules,
  orEmpty,
  Path,
  printedAs,
  qualified,
  repeats,
  required,
  specOf,
  unchanged,
  type Draft,
  type FieldError,
  type Kind,
  type Writable,
} from '../language.js';

type Driver = Writable<v1.CSINodeDriver>;

const nodeIdMax = 256;

const driver = members<v1.CSINodeDriver>({
  name: orEmpty(driverName),
  nodeID: required(nodeId),
  allocatable: members<v1.VolumeNodeResources>({ count: nonNegative }),
});
const drivers = distinct<Driver>('name', (once) => all(driver, once, topologyKeys));
const validate = objectRules<v1.CSINode>({ spec: members<v1.CSINodeSpec>({ drivers }) });

/** The reference says characters, but counts bytes. */
function nodeId(id: string, path: Path): FieldError[] {
  return Buffer.byteLength(id) > nodeIdMax ? [invalid(path, id, `must be ${nodeIdMax} characters or less`)] : [];
}

/** Keys are reported at their driver. */
function topologyKeys({ topologyKeys }: Driver, path: Path): FieldError[] {
  const keys = itemsOf(topologyKeys);
  const isRepeated = repeats(keys);
  return keys.flatMap((key, position) => [
    ...(key === '' ? [missing(path, '')] : []),
    ...(isRepeated(position) ? [duplicate(path, key)] : []),
    ...qualified(key, path),
  ]);
}

const driversOf = (node: Draft<v1.CSINode>): readonly Driver[] => itemsOf(specOf(node).drivers);
const withoutLimit = ({ allocatable: _allocatable, ...driver }: Driver): Driver => driver;

/** An existing driver's entry is otherwise immutable. */
function validateKept(node: Draft<v1.CSINode>, old: Draft<v1.CSINode>): FieldError[] {
  const byName = groupedBy(driversOf(node), ({ name }) => name);
  return driversOf(old).flatMap((before) =>
    (byName.get(before.name) ?? [])
      .map(withoutLimit)
      .flatMap((now) => unchanged(now, withoutLimit(before), Path.of('spec', 'drivers'), printedAs('storage.v1.CSINodeDriver', now))),
  );
}

export const csiNodes: Kind<Draft<v1.CSINode>> = {
  name: 'csinodes.storage.k8s.io',
  validate,
  update: { unconditional: false, review: ['objectMeta', validate, validateKept] },
  delete: { answers: 'object' },
  cells: { Drivers: countAt('spec.drivers') },
};
