import type { CSINode } from '../../../api/types/storage/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { driverName } from '../../registry/validation/drivernames.js';
import { duplicate, invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { nonNegative, qualified } from '../../registry/validation/values.js';
import { countAt } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { groupedBy, repeats } from '../../registry/validation/repeats.js';

const drivers = Path.of('spec', 'drivers');
const nodeIdMax = 256;
const driverForm: StructureForm = [
  ['name', 'Name', 'text'],
  ['nodeID', 'NodeID', 'text'],
  ['topologyKeys', 'TopologyKeys', 'optional'],
  ['allocatable', 'Allocatable', 'optional'],
];

const driversOf = (node: Draft<CSINode>): JsonObject[] => objectsIn(specOf(node), 'drivers');

function validate(node: Draft<CSINode>): FieldError[] {
  const seen = new Set<string>();
  return driversOf(node).flatMap((driver, position) => {
    const path = drivers.index(position);
    const name = textAt(driver, 'name');
    const repeated = seen.has(name) ? [duplicate(path.child('name'), name)] : [];
    seen.add(name);
    return [
      ...driverName(name, path.child('name')),
      ...validateNodeId(textAt(driver, 'nodeID'), path.child('nodeID')),
      ...nonNegative(memberAt(driver, 'allocatable', 'count'), path.child('allocatable', 'count')),
      ...repeated,
      ...validateTopologyKeys(itemsOf(driver.topologyKeys).map(String), path),
    ];
  });
}

/** The reference says characters, but counts bytes. */
const validateNodeId = (id: string, path: Path): FieldError[] =>
  id === ''
    ? [required(path, '')]
    : Buffer.byteLength(id) > nodeIdMax
      ? [invalid(path, id, `must be ${nodeIdMax} characters or less`)]
      : [];

/** Keys are reported at their driver. */
function validateTopologyKeys(keys: readonly string[], path: Path): FieldError[] {
  const isRepeated = repeats(keys);
  return keys.flatMap((key, position) => [
    ...(key === '' ? [required(path, '')] : []),
    ...(isRepeated(position) ? [duplicate(path, key)] : []),
    ...qualified(key, path),
  ]);
}

/** An existing driver's entry is immutable except for its volume limit. */
function validateKept(node: Draft<CSINode>, old: Draft<CSINode>): FieldError[] {
  const byName = groupedBy(driversOf(node), (driver) => driver.name);
  return driversOf(old).flatMap((before) =>
    (byName.get(before.name) ?? []).flatMap((driver) => {
      const [now, then] = [driver, before].map(({ allocatable: _allocatable, ...rest }) => rest) as [JsonObject, JsonObject];
      return unchanged(now, then, drivers, printedStructure(now, driverForm));
    }),
  );
}

export const csiNodes: Kind<Draft<CSINode>> = {
  name: 'csinodes.storage.k8s.io',
  validate,
  update: { unconditional: false, review: ['objectMeta', validate, validateKept] },
  delete: { answers: 'object' },
  cells: { Drivers: countAt('spec.drivers') },
};
