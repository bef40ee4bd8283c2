import type { JsonObject } from '../../api/object.js';
import type { Operation, PathEntry } from './operations.js';
import type { Parameter } from './parameters.js';
import type { DefinedTypes } from './definedTypes.js';
import { SchemaSet, type Telling } from './schemas.js';
import { codes, pathItem } from './v2.js';

/** Describes one group version. Pure. */
export function documentV3(
  paths: readonly PathEntry[],
  { version, section }: { readonly version: string; readonly section: string },
  defined: DefinedTypes = new Map(),
  telling?: Telling,
): JsonObject {
  const schemas = new SchemaSet({ refPrefix: '#/components/schemas/', version: 3, section }, defined, telling);
  const described = Object.fromEntries(paths.map((path) => [path.path, pathItem(path, (each) => operation(each, schemas), parameter)]));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: described,
    components: {
      schemas: schemas.all(),
      securitySchemes: { BearerToken: { type: 'apiKey', description: 'A token: "Bearer TOKEN".', name: 'authorization', in: 'header' } },
    },
  };
}

function operation(entry: Operation, schemas: SchemaSet): JsonObject {
  const { id, tag, description, action, kind, parameters, body, answers, gives } = entry;
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameter) }),
    ...(body === null ? {} : { requestBody: requestBody(entry, body, schemas) }),
    responses: responses(answers, gives, schemas),
    ...(action === null ? {} : { 'x-kubernetes-action': action }),
    ...(kind === null ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

const content = (mediaTypes: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

const requestBody = ({ takes }: Operation, { type, required }: NonNullable<Operation['body']>, schemas: SchemaSet): JsonObject => ({
  content: content(takes, schemas.ref(type)),
  ...(required ? { required } : {}),
});

const responses = (answers: Operation['answers'], gives: Operation['gives'], schemas: SchemaSet): JsonObject => ({
  ...Object.fromEntries(
    answers.map(([code, type]) => [
      code,
      {
        description: codes[code] ?? '',
        content: content(gives, type === null ? { type: 'string' } : schemas.ref(type)),
      },
    ]),
  ),
  401: { description: 'Unauthorized' },
});

const parameter = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  name,
  in: place,
  description,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});
