import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { JsonObject } from '../../api/object.js';
import { release } from '../../program/version.js';
import type { ResourceNames, ServedGroup } from '../registry/resources.js';
import { definedTypes, type DefinedTypes } from './definedTypes.js';
import { pathsOfVersion, rootDocuments, rootOf, type PathEntry } from './operations.js';
import { documentEncoder } from './protobuf/encode.js';
import { openapiV2, openapiV3 } from './protobuf/messages.js';
import { mergedV2 } from './remote/merge.js';
import type { Telling } from './schemas.js';
import { documentV2 } from './v2.js';
import { documentV3 } from './v3.js';

/** The input of documents: plain data, for another thread. */
export interface Source {
  readonly groups: readonly ServedGroup<ResourceNames>[];
  /** `GROUP/RESOURCE` of types whose deletion returns the object. */
  readonly answersObject: ReadonlySet<string>;
  /** Custom resource definitions as stored JSON, in bytes, which are cheap to copy. */
  readonly definitions?: readonly Uint8Array[];
  /** Extension servers' version 2 documents: compressed JSON, in the order of name precedence. */
  readonly remote?: readonly Uint8Array[];
  /** Omits documents about the API as a whole. */
  readonly partial?: boolean;
  /** The detail of schemas. Default: everything. */
  readonly telling?: Telling;
}

export type Encoding = 'json' | 'protobuf';
export interface Form {
  readonly version: 2 | 3;
  readonly encoding: Encoding;
}

/** Keeps compressed bytes only: nearly all clients accept them, and plain documents take megabytes. */
export interface BuiltDocument {
  /** A hash of the content, whatever the encoding. */
  readonly hash: string;
  readonly gzip: Uint8Array;
}

/** Keyed by the path below `/openapi/v3/`; version 2 has one, with an empty path. */
export type BuiltDocuments = ReadonlyMap<string, BuiltDocument>;

const encoders = { 2: documentEncoder(openapiV2), 3: documentEncoder(openapiV3) };

/** Builds all documents of a form, in some hundred milliseconds outside the serving thread. */
export function buildDocuments(source: Source, { version, encoding }: Form): BuiltDocuments {
  const documents = version === 2 ? new Map([['', everything(source)]]) : documentsV3(source);
  return new Map([...documents].map(([path, document]) => [path, encodedDocument(document, version, encoding)]));
}

const everything = (source: Source): JsonObject =>
  mergedV2(
    documentV2([...pathsBySection(source).values()].flat(), release, definedTypes(source.definitions ?? [], 2), source.telling),
    (source.remote ?? []).map((gzip) => JSON.parse(gunzipSync(gzip).toString()) as JsonObject),
  );

const documentsV3 = (source: Source): Map<string, JsonObject> =>
  documentsOfSections(pathsBySection(source), definedTypes(source.definitions ?? [], 3), source.telling);

const documentsOfSections = (
  sections: ReadonlyMap<string, PathEntry[]>,
  defined: DefinedTypes,
  telling: Telling | undefined,
): Map<string, JsonObject> =>
  new Map([...sections].map(([section, paths]) => [section, documentV3(paths, { version: release, section }, defined, telling)]));

const pathsBySection = ({ groups, answersObject, partial = false }: Source): Map<string, PathEntry[]> =>
  new Map([
    ...(partial ? [] : rootDocuments(groups)),
    ...groups.flatMap((group) =>
      group.versions.map(
        ({ version, resources }) =>
          [
            rootOf({ group: group.name, version }),
            pathsOfVersion(group, version, resources, (resource) => answersObject.has(`${resource.group}/${resource.resource}`)),
          ] as const,
      ),
    ),
  ]);

/** Throws for content that the Protobuf messages cannot express. */
export function encodedDocument(document: JsonObject, version: 2 | 3, encoding: Encoding): BuiltDocument {
  const json = Buffer.from(JSON.stringify(document));
  const hash = createHash('sha512').update(json).digest('hex').toUpperCase();
  return { hash, gzip: gzipSync(encoding === 'json' ? json : encoders[version](document)) };
}
