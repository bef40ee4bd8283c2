import { groupVersionOf } from '../../api/meta/resource.js';
import type { JsonMembers } from '../../workers/codecs/value.js';
import { checkStructure, structureSteps, type StructureOptions, type StructureResult } from '../../workers/schema/structure.js';
import type { Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { apiVersionOf, type GroupVersion } from '../../api/resource.js';
import { columnsOf } from '../../api/catalogue/tables.js';
import { binaryMinor } from '../../program/features/gates.js';
import { typeOfKind, type ApiType, type KindName } from '../../api/catalogue/types.js';
import type { Versions } from '../patch/apply/ownership.js';
import { schemaOfKind } from '../patch/apply/typeSchema.js';
import { withMetadata, type Behaviour, type Received } from '../registry/behaviour.js';
import type { ResourceNames, ServedResource } from '../registry/resources.js';
import { scaleOf, withScale } from '../registry/scale.js';
import type { Stepwise } from '../registry/stepwise.js';
import { isHeavy } from '../registry/turns.js';
import { wholeStrategy } from '../registry/wholeStrategy.js';
import { cellOf } from './cells.js';
import { deprecationOf } from './deprecations.js';
import type { Kind } from './kind.js';

const replicas: readonly string[] = ['f:spec', 'f:replicas'];

type TypeNames = Pick<ResourceNames, 'group' | 'version' | 'kind' | 'resource' | 'namespaced' | 'subresources'>;

/** Builds the behaviour of one version of a kind, in a minor version of release 1. */
export function builtInBehaviour(names: TypeNames, kind: Kind, minor = binaryMinor): Behaviour {
  const versions = versionsOf(names, kind);
  const { conversion = null, deprecation, fieldNames = null, cells = kind.cells } = kind.versions?.[apiVersionOf(names)] ?? {};
  return {
    strategy: wholeStrategy(kind, names),
    versions,
    receive: (object) => checkStructured(object, names),
    receiveApplied: (object) => checkStructured(object, names, restored),
    receiveDecoded: null,
    conversion,
    columns: columnsOf(names).map((column) => ({ ...column, cell: cellOf(column.name, cells) })),
    rowConditions: kind.rowConditions ?? null,
    contentAnnotations: kind.contentAnnotations ?? [],
    fieldNames,
    scale: {
      show: scaleOf,
      before: scaleOf,
      put: withScale,
      replicasPath: (apiVersion) => (versions.schemaOf(apiVersion) === null ? undefined : replicas),
    },
    deprecation: deprecation === undefined ? deprecationOf(names, minor) : { text: deprecation, removedRelease: '' },
    hasMessages: true,
    selfDescribed: false,
    storage: (storage) => storage,
    creationRefusal: () => null,
    retired: null,
  };
}

/** The resource of a subresource's own form, such as `Scale`, cached by form. */
export function inForm(form: GroupVersion & { readonly kind: string }): (resource: ServedResource) => ServedResource {
  const behaviour = builtInBehaviour({ ...form, resource: '', namespaced: false, subresources: new Map() }, { name: '' });
  return (resource) => ({ ...resource, ...form, behaviour });
}

/** The core group has a type converter of its own (genericapiserver.go), which knows no owners in other groups, nor they its. */
const versionsOf = (names: TypeNames, kind: Kind): Versions => ({
  schemaOf(apiVersion) {
    const version = groupVersionOf(apiVersion);
    return (version.group === '') === (names.group === '') ? schemaOfKind({ ...version, kind: names.kind }) : null;
  },
  convert: (object, apiVersion) => ({ ...convertBetween(kind, object.apiVersion ?? apiVersionOf(names), apiVersion, object), apiVersion }),
});

/** Converts between versions. Leaves the argument as it is; the result may share members with it. */
export function convertBetween({ versions }: Kind, from: string, to: string, object: ApiObject): ApiObject {
  const stored = versions?.[from]?.conversion?.toStorage(object) ?? object;
  return versions?.[to]?.conversion?.fromStorage(stored) ?? stored;
}

function checkStructured(object: JsonObject, type: KindName, options: StructureOptions = reported): Stepwise<Received> {
  const known = typeOfKind(type);
  if (known === undefined) return { ok: true, object: withMetadata(object), strict: [] };
  return isHeavy(object) ? structuredInSteps(object, known, options) : receivedOf(checkStructure(object as JsonMembers, known, options));
}

function* structuredInSteps(object: JsonObject, type: ApiType, options: StructureOptions): Steps<Received> {
  return receivedOf(yield* structureSteps(object as JsonMembers, type, options));
}

const reported = { unknownFields: 'report' } as const;
/** Applied configurations and the results of strategic merge patches are values in memory for the reference. */
const restored = { ...reported, numbers: 'memory' } as const;

const receivedOf = (result: StructureResult): Received =>
  result.ok ? { ok: true, object: withMetadata(result.value as JsonObject), strict: result.strict, respelled: result.respelled } : result;
