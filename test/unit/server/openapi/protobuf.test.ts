import { expect } from 'chai';
import protobuf from 'protobufjs';
import { gunzipSync } from 'node:zlib';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { buildDocuments } from '../../../../server/openapi/build.js';
import { sourceOf } from '../../../../server/openapi/library.js';

/** The messages that clients of this format read, in the usual notation. */
const v2 = `syntax = "proto3";
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; SecurityDefinitions security_definitions = 13; }
message Info { string title = 1; string version = 2; }
message Paths { repeated NamedPathItem path = 2; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem { Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation patch = 8; repeated ParametersItem parameters = 9; }
message Operation { repeated string tags = 1; string operation_id = 5; repeated string consumes = 7; repeated ParametersItem parameters = 8; Responses responses = 9; repeated NamedAny vendor_extension = 13; }
message ParametersItem { Parameter parameter = 1; }
message Parameter { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; }
message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message NonBodyParameter { QueryParameterSubSchema query_parameter_sub_schema = 3; PathParameterSubSchema path_parameter_sub_schema = 4; }
message QueryParameterSubSchema { string in = 2; string name = 4; string type = 6; bool unique_items = 20; }
message PathParameterSubSchema { bool required = 1; string in = 2; string name = 4; string type = 5; bool unique_items = 19; }
message Responses { repeated NamedResponseValue response_code = 1; }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message ResponseValue { Response response = 1; }
message Response { string description = 1; SchemaItem schema = 2; }
message SchemaItem { Schema schema = 1; }
message NamedAny { string name = 1; Any value = 2; }
message Any { string yaml = 2; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message Schema { string _ref = 1; string format = 2; string description = 4; repeated string required = 19; repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23; Properties properties = 25; repeated NamedAny vendor_extension = 31; }
message AdditionalPropertiesItem { Schema schema = 1; bool boolean = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message SecurityDefinitions { repeated NamedSecurity additional_properties = 1; }
message NamedSecurity { string name = 1; Security value = 2; }
message Security { ApiKey api_key_security = 2; }
message ApiKey { string type = 1; string name = 2; string in = 3; }
`;

const v3 = `syntax = "proto3";
message Document { string openapi = 1; Paths paths = 4; Components components = 5; }
message Paths { repeated NamedPathItem path = 1; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem { Operation get = 4; Operation patch = 10; repeated ParameterOrReference parameters = 13; }
message Operation { string operation_id = 5; repeated ParameterOrReference parameters = 6; RequestBodyOrReference request_body = 7; Responses responses = 8; repeated NamedAny specification_extension = 13; }
message ParameterOrReference { Parameter parameter = 1; }
message Parameter { string name = 1; string in = 2; bool required = 4; SchemaOrReference schema = 10; }
message RequestBodyOrReference { RequestBody request_body = 1; }
message RequestBody { MediaTypes content = 2; bool required = 3; }
message MediaTypes { repeated NamedMediaType additional_properties = 1; }
message NamedMediaType { string name = 1; MediaType value = 2; }
message MediaType { SchemaOrReference schema = 1; }
message Responses { repeated NamedResponse response_or_reference = 2; }
message NamedResponse { string name = 1; ResponseOrReference value = 2; }
message ResponseOrReference { Response response = 1; }
message Response { string description = 1; MediaTypes content = 3; }
message Components { Schemas schemas = 1; }
message Schemas { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; SchemaOrReference value = 2; }
message SchemaOrReference { Schema schema = 1; Reference reference = 2; }
message Reference { string _ref = 1; }
message Schema { string type = 25; repeated SchemaOrReference all_of = 26; repeated SchemaOrReference one_of = 27; ItemsItem items = 30; Properties properties = 31; DefaultType default = 33; string format = 35; repeated NamedAny specification_extension = 36; }
message ItemsItem { repeated SchemaOrReference schema_or_reference = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message DefaultType { double number = 1; bool boolean = 2; string string = 3; }
message NamedAny { string name = 1; Any value = 2; }
message Any { string yaml = 2; }
`;

interface Named {
  readonly name: string;
  readonly value: Tree;
}
interface Tree {
  readonly [member: string]: unknown;
}

const source = sourceOf(createCatalogue());
function decoded(definition: string, version: 2 | 3, path: string): Tree {
  const type = protobuf.parse(definition, { keepCase: true }).root.lookupType('Document');
  const built = buildDocuments(source, { version, encoding: 'protobuf' }).get(path);
  return type.toObject(type.decode(gunzipSync(built?.gzip ?? '')), { arrays: true }) as Tree;
}
/** Follows names: members, or values in a list of named pairs. */
const at = (tree: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (value, name) =>
      Array.isArray(value) ? (value as Named[]).find((each) => each.name === name)?.value : (value as Tree | undefined)?.[name],
    tree,
  );

describe('OpenAPI documents in Protobuf', function () {
  it('carry version 2: operations and their parameters', () => {
    const document = decoded(v2, 2, '');
    expect(document).to.deep.include({ swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.36.0' } });
    const item = at(document, 'paths', 'path', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}');
    expect(at(item, 'parameters')).to.deep.include({
      parameter: {
        non_body_parameter: { path_parameter_sub_schema: { required: true, in: 'path', name: 'name', type: 'string', unique_items: true } },
      },
    });
    const patch = at(item, 'patch');
    expect(patch).to.deep.include({ operation_id: 'patchAppsV1NamespacedDeployment', tags: ['apps_v1'] });
    expect(at(patch, 'consumes')).to.include('application/apply-patch+yaml');
    expect(at(patch, 'parameters')).to.deep.include({
      parameter: {
        non_body_parameter: { query_parameter_sub_schema: { in: 'query', name: 'fieldValidation', type: 'string', unique_items: true } },
      },
    });
    expect(at(patch, 'vendor_extension', 'x-kubernetes-group-version-kind', 'yaml')).to.equal(
      'group: apps\nkind: Deployment\nversion: v1\n',
    );
    expect(at(patch, 'responses', 'response_code', '200', 'response', 'schema', 'schema', '_ref')).to.equal(
      '#/definitions/io.k8s.api.apps.v1.Deployment',
    );
    expect(at(document, 'security_definitions', 'additional_properties', 'BearerToken', 'api_key_security')).to.deep.include({
      type: 'apiKey',
      in: 'header',
    });
  });

  it('carry version 2: schemas', () => {
    const definitions = at(decoded(v2, 2, ''), 'definitions', 'additional_properties');
    const container = at(definitions, 'io.k8s.api.core.v1.Container');
    expect(container).to.deep.include({ type: { value: ['object'] }, required: ['name'] });
    const ports = at(container, 'properties', 'additional_properties', 'ports');
    expect(ports).to.deep.include({ type: { value: ['array'] } });
    expect(at(ports, 'items', 'schema')).to.deep.equal([
      { _ref: '#/definitions/io.k8s.api.core.v1.ContainerPort', required: [], enum: [], vendor_extension: [] },
    ]);
    expect(at(ports, 'vendor_extension', 'x-kubernetes-list-map-keys', 'yaml')).to.equal('- containerPort\n- protocol\n');
    expect(
      at(
        definitions,
        'io.k8s.api.core.v1.ConfigMap',
        'properties',
        'additional_properties',
        'data',
        'additional_properties',
        'schema',
        'type',
        'value',
      ),
    ).to.deep.equal(['string']);
    expect(at(definitions, 'io.k8s.api.core.v1.Pod', 'vendor_extension', 'x-kubernetes-group-version-kind', 'yaml')).to.equal(
      '- group: ""\n  kind: Pod\n  version: v1\n',
    );
  });

  it('carry version 3', () => {
    const document = decoded(v3, 3, 'api/v1');
    const patch = at(document, 'paths', 'path', '/api/v1/namespaces/{namespace}/services/{name}', 'patch');
    expect((at(patch, 'parameters') as { parameter: Tree }[]).map(({ parameter }) => parameter['name'])).to.include('fieldValidation');
    expect(
      at(
        patch,
        'request_body',
        'request_body',
        'content',
        'additional_properties',
        'application/merge-patch+json',
        'schema',
        'reference',
        '_ref',
      ),
    ).to.match(/meta\.v1\.Patch$/);
    expect(at(patch, 'responses', 'response_or_reference', '200', 'response', 'description')).to.equal('OK');
    const schemas = at(document, 'components', 'schemas', 'additional_properties');
    const port = at(schemas, 'io.k8s.api.core.v1.ServicePort', 'schema', 'properties', 'additional_properties');
    expect(at(port, 'protocol', 'schema')).to.deep.include({ type: 'string', default: { string: 'TCP' } });
    expect(at(port, 'targetPort', 'schema', 'all_of')).to.deep.include({
      reference: { _ref: '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
    });
    expect(at(schemas, 'io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'schema', 'one_of')).to.have.length(2);
  });
});
