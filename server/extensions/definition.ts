import { bundleProblem } from '../kinds/apiextensions.k8s.io/caBundle.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';
import type { Condition } from './lifecycle/conditions.js';
import { nonStructuralCondition } from './lifecycle/structuralCondition.js';

/** A CustomResourceDefinition for serving, computed from the stored, valid object. Pure. */
export interface Definition {
  /** `PLURAL.GROUP`. */
  readonly name: string;
  readonly uid: string;
  /** Counts changes of the specification. */
  readonly generation: number;
  readonly group: string;
  readonly namespaced: boolean;
  /** The accepted names: those requested that no other definition has. */
  readonly names: Names;
  readonly versions: readonly DefinedVersion[];
  readonly storageVersion: string;
  readonly conversion: JsonObject;
  readonly preserveUnknownFields: boolean;
  /** Types of the conditions that are true. */
  readonly conditions: ReadonlySet<string>;
}

export interface LifeCycle {
  readonly name: string;
  readonly group: string;
  /** The version of its last change: of two requests for one name, the lower one has waited longer. */
  readonly version: number;
  readonly requested: Names;
  readonly accepted: Names;
  readonly conditions: readonly JsonObject[];
  readonly nonStructural: Condition | null;
  readonly annotations: Readonly<Record<string, string>>;
  /** The webhook's certificate authorities are unreadable, so conversion is impossible. */
  readonly hasBadBundle: boolean;
  /** The definition is being deleted; its objects go first. */
  readonly awaitsCleanup: boolean;
}

/** Holds a terminating definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function readLifeCycle(object: ApiObject, version: number): LifeCycle {
  const spec = membersOf(object['spec']);
  const status = membersOf(object['status']);
  const { name = '', annotations = {}, deletionTimestamp, finalizers = [] } = object.metadata;
  return {
    name,
    group: textAt(spec, 'group'),
    version,
    requested: namesIn(membersOf(spec['names'])),
    accepted: namesIn(membersOf(status['acceptedNames'])),
    conditions: objectsIn(status, 'conditions'),
    nonStructural: nonStructuralCondition(spec),
    annotations,
    hasBadBundle: bundleProblem(textAt(spec, 'conversion', 'webhook', 'clientConfig', 'caBundle')) !== null,
    awaitsCleanup: deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer),
  };
}

export interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated: boolean;
  /** Null for the default text. */
  readonly deprecationWarning: string | null;
  readonly schema: JsonObject;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | null;
  readonly columns: readonly JsonObject[];
  /** Paths without the leading dot: names for selectors. */
  readonly selectableFields: readonly string[];
}

export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector: string | null;
}

export function readDefinition(object: ApiObject): Definition {
  const spec = membersOf(object['spec']);
  const status = membersOf(object['status']);
  const versions = objectsIn(spec, 'versions');
  return {
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    generation: object.metadata.generation ?? 0,
    group: textAt(spec, 'group'),
    namespaced: spec['scope'] === 'Namespaced',
    names: namesIn(membersOf(status['acceptedNames'])),
    versions: versions.map(readVersion),
    storageVersion: textAt(
      versions.find((version) => version['storage'] === true),
      'name',
    ),
    conversion: objectAt(spec, 'conversion') ?? { strategy: 'None' },
    preserveUnknownFields: spec['preserveUnknownFields'] === true,
    conditions: new Set(
      objectsIn(status, 'conditions')
        .filter((condition) => condition['status'] === 'True')
        .map((condition) => textAt(condition, 'type')),
    ),
  };
}

const namesIn = (names: JsonObject): Names => ({
  plural: textAt(names, 'plural'),
  singular: textAt(names, 'singular'),
  kind: textAt(names, 'kind'),
  listKind: textAt(names, 'listKind'),
  shortNames: itemsOf(names['shortNames']).map(String),
  categories: itemsOf(names['categories']).map(String),
});

function readVersion(version: JsonObject): DefinedVersion {
  const subresources = objectAt(version, 'subresources') ?? {};
  const scale = objectAt(subresources, 'scale');
  const warning = version['deprecationWarning'];
  return {
    name: textAt(version, 'name'),
    served: version['served'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : null,
    schema: objectAt(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema') ?? {},
    hasStatus: objectAt(subresources, 'status') !== null,
    scale:
      scale === null
        ? null
        : {
            specReplicas: textAt(scale, 'specReplicasPath'),
            statusReplicas: textAt(scale, 'statusReplicasPath'),
            labelSelector: textAt(scale, 'labelSelectorPath') || null,
          },
    columns: objectsIn(version, 'additionalPrinterColumns'),
    selectableFields: objectsIn(version, 'selectableFields').map((field) => textAt(field, 'jsonPath').replace(/^\./, '')),
  };
}

/** Discovery follows a moment later. */
export const isEstablished = ({ conditions }: Definition): boolean => conditions.has('Established');
