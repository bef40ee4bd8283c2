import type { JsonObject } from '../../api/object.js';
import type { Operation, PathEntry } from './operations.js';
import type { Parameter } from './parameters.js';
import type { DefinedTypes } from './definedTypes.js';
import { SchemaSet, type Telling } from './schemas.js';

/** Describes everything that is served. Pure. */
export function documentV2(paths: readonly PathEntry[], version: string, defined: DefinedTypes = new Map(), telling?: Telling): JsonObject {
  const schemas = new SchemaSet({ refPrefix: '#/definitions/', version: 2 }, defined, telling);
  const described = Object.fromEntries(paths.map((path) => [path.path, pathItem(path, (each) => operation(each, schemas), parameter)]));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: described,
    definitions: schemas.all(),
    securityDefinitions: { BearerToken: { description: 'A token: "Bearer TOKEN".', type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

type Describes<T> = (each: T) => JsonObject;

export const pathItem = (entry: PathEntry, operation: Describes<Operation>, parameter: Describes<Parameter>): JsonObject => ({
  ...Object.fromEntries(entry.operations.map((each) => [each.method, operation(each)])),
  ...(entry.parameters.length === 0 ? {} : { parameters: entry.parameters.map(parameter) }),
});

function operation(entry: Operation, schemas: SchemaSet): JsonObject {
  const { id, tag, description, action, kind, parameters, body, answers, takes, gives } = entry;
  const all = [
    ...(body === null ? [] : [{ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: schemas.ref(body.type) }]),
    ...parameters.map(parameter),
  ];
  return {
    tags: [tag],
    description,
    operationId: id,
    consumes: [...takes],
    produces: [...gives],
    schemes: ['https'],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: responses(answers, schemas),
    ...(action === null ? {} : { 'x-kubernetes-action': action }),
    ...(kind === null ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

const responses = (answers: Operation['answers'], schemas: SchemaSet): JsonObject => ({
  ...Object.fromEntries(
    answers.map(([code, type]) => [
      code,
      { description: codes[code] ?? '', schema: type === null ? { type: 'string' } : schemas.ref(type) },
    ]),
  ),
  401: { description: 'Unauthorized' },
});

export const codes: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const parameter = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  name,
  in: place,
  description,
  type,
  uniqueItems: true,
  ...(place === 'path' ? { required: true } : {}),
});
