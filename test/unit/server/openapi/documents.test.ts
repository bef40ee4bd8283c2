import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { buildDocuments, type Form } from '../../../../server/openapi/build.js';
import { sourceOf } from '../../../../server/openapi/library.js';
import { catalogueOf } from '../../../../server/options/runtimeConfig.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly 'x-kubernetes-action'?: string;
  readonly responses: Readonly<Record<string, JsonObject>>;
}
type Schema = JsonObject & { readonly properties: Readonly<Record<string, JsonObject>> };
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly definitions: Readonly<Record<string, Schema>>;
}

const parsed = (form: Form, catalogue = createCatalogue()): Map<string, Document> =>
  new Map(
    [...buildDocuments(sourceOf(catalogue), form)].map(([path, { gzip }]) => [path, JSON.parse(gunzipSync(gzip).toString()) as Document]),
  );

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const operationsOf = ({ paths }: Document): Operation[] =>
  Object.values(paths).flatMap((path) => methods.flatMap((method) => path[method] ?? []));

function references(value: JsonValue | undefined, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, each] of Object.entries(value)) {
    if (name === '$ref' && typeof each === 'string') found.add(each);
    else references(each, found);
  }
  return found;
}

describe('OpenAPI documents', function () {
  let v3: Map<string, Document>;
  let v2: Document;
  const everything = createCatalogue({ serves: () => true });
  before(() => {
    v3 = parsed({ version: 3, encoding: 'json' });
    v2 = parsed({ version: 2, encoding: 'json' }).get('') as Document;
  });
  const schema = (path: string, name: string): Schema => v3.get(path)?.components.schemas[name] as Schema;
  const pod = 'io.k8s.api.core.v1.Pod';

  it('are valid, for everything that can be served', async () => {
    const all = [
      ...parsed({ version: 3, encoding: 'json' }, everything).entries(),
      ...parsed({ version: 2, encoding: 'json' }, everything).entries(),
    ];
    for (const [path, document] of all) {
      // The validator mistakes a member named $ref for a reference.
      const text = JSON.stringify(document).replaceAll('"$ref":{', '"ref":{');
      const { valid, errors } = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
      expect(valid, `${path}: ${JSON.stringify(errors)}`).to.equal(true);
    }
  });

  it('name parameters of all operations of a path once, in order, and kinds of the group alone', () => {
    const paths = v3.get('api/v1')?.paths as unknown as Record<
      string,
      Record<string, { parameters?: { name: string }[] }> & { parameters: { name: string }[] }
    >;
    const at = (path: string): string[] => (paths[path]?.parameters ?? []).map(({ name }) => name);
    expect(at('/api/v1/pods').slice(0, 3)).to.deep.equal(['allowWatchBookmarks', 'continue', 'fieldSelector']);
    expect(paths['/api/v1/pods']?.['get']?.parameters).to.equal(undefined);
    expect(at('/api/v1/namespaces/{namespace}/pods/{name}')).to.deep.equal(['name', 'namespace', 'pretty']);
    expect(at('/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}')).to.deep.equal(['name', 'namespace', 'path', 'path']);
    expect(at('/api/v1/namespaces/{namespace}/pods/{name}/log')).to.include('sinceSeconds').and.not.include('sinceTime');
    const options = schema('apis/apps/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions') as unknown as JsonObject;
    const kind = { kind: 'DeleteOptions', version: 'v1' };
    expect(options['x-kubernetes-group-version-kind']).to.deep.equal([
      { group: '', ...kind },
      { group: 'apps', ...kind },
    ]);
  });

  it('tell which values are meant, of members, items and values, unless they are not to', () => {
    const at = (document: Schema, member: string): JsonObject => document.properties[member] as JsonObject;
    for (const documents of [v3.get('api/v1')!.components.schemas, v2.definitions]) {
      const of = (type: string, member: string): JsonObject => at(documents[`io.k8s.api.core.v1.${type}`]!, member);
      expect(of('PodSpec', 'restartPolicy')).to.include({ type: 'string' });
      expect(of('PodSpec', 'restartPolicy')['enum']).to.deep.equal(['Always', 'Never', 'OnFailure']);
      expect(of('EphemeralContainer', 'imagePullPolicy')['enum']).to.deep.equal(['Always', 'IfNotPresent', 'Never']);
      expect(of('ServiceSpec', 'ipFamilies')['items']).to.deep.include({ type: 'string', enum: ['', 'IPv4', 'IPv6'] });
      expect(of('ServiceSpec', 'ipFamilies')).to.not.have.property('enum');
      expect(of('PersistentVolumeClaimStatus', 'allocatedResourceStatuses')['additionalProperties'])
        .to.have.property('enum')
        .that.includes('NodeResizePending');
      expect(of('PodSpec', 'schedulerName')).to.not.have.property('enum');
    }
    for (const form of [
      { version: 2, encoding: 'json' },
      { version: 3, encoding: 'json' },
    ] as const) {
      const silent = buildDocuments({ ...sourceOf(createCatalogue()), telling: { enums: false } }, form);
      for (const { gzip } of silent.values()) expect(gunzipSync(gzip).toString()).to.not.include('"enum":[');
    }
  });

  it('refer only to what they contain, and contain only what they refer to', () => {
    for (const [path, document] of v3) {
      const contained = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
      expect([...references(document as unknown as JsonObject)].sort(), path).to.deep.equal(contained.sort());
    }
    expect([...references(v2 as unknown as JsonObject)].sort()).to.deep.equal(
      Object.keys(v2.definitions)
        .map((name) => `#/definitions/${name}`)
        .sort(),
    );
  });

  it('name every operation once', () => {
    const ids = [...parsed({ version: 3, encoding: 'json' }, everything).values()]
      .flatMap(operationsOf)
      .map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([]);
    expect(ids).to.include.members([
      'listCoreV1NamespacedPod',
      'listCoreV1PodForAllNamespaces',
      'deleteCoreV1CollectionNamespacedPod',
      'readCoreV1NamespacedPodLog',
      'connectCoreV1PostNamespacedPodExec',
      'connectCoreV1GetNodeProxyWithPath',
      'createCoreV1NamespacedServiceAccountToken',
      'replaceCoreV1NamespaceFinalize',
      'patchAppsV1NamespacedDeploymentScale',
      'replaceCertificatesV1CertificateSigningRequestApproval',
      'watchRbacAuthorizationV1ClusterRoleList',
      'getCodeVersion',
      'getAppsAPIGroup',
    ]);
  });

  it('have an operation for every verb of every resource and subresource', () => {
    for (const { name, versions } of createCatalogue().groups) {
      for (const { version, resources } of versions) {
        const root = name === '' ? `api/${version}` : `apis/${name}/${version}`;
        const paths = v3.get(root)?.paths ?? {};
        for (const { resource, namespaced, verbs, subresources } of resources) {
          const collection = `/${root}${namespaced ? '/namespaces/{namespace}' : ''}/${resource}`;
          const actions = [collection, `${collection}/{name}`, `/${root}/watch${collection.slice(root.length + 1)}`]
            .flatMap((path) => Object.values(paths[path] ?? {}))
            .map((each) => each['x-kubernetes-action']);
          const wanted = [...verbs].map((verb) => ({ create: 'post', update: 'put', watch: 'watchlist' })[verb] ?? verb);
          expect(actions, collection).to.include.members(wanted);
          for (const each of subresources.keys()) expect(paths, collection).to.have.property(`${collection}/{name}/${each}`);
        }
      }
    }
  });

  it('tell the query parameters that clients look for before they rely on them', () => {
    const patch = v3.get('apis/apps/v1')?.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['patch'];
    expect(patch?.parameters?.map(({ name }) => name)).to.have.members(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    const exec = v3.get('api/v1')?.paths['/api/v1/namespaces/{namespace}/pods/{name}/exec'] as unknown as { parameters: Parameter[] };
    expect(exec.parameters.map(({ name }) => name)).to.have.members([
      'name',
      'namespace',
      'command',
      'container',
      'stdin',
      'stdout',
      'stderr',
      'tty',
    ]);
  });

  it('tell what a deletion answers with', () => {
    const answer = (path: string): JsonValue | undefined =>
      references(v3.get('api/v1')?.paths[path]?.['delete']?.responses['200'] as JsonObject)
        .values()
        .next().value;
    expect(answer('/api/v1/namespaces/{namespace}/pods/{name}')).to.equal(`#/components/schemas/${pod}`);
    expect(answer('/api/v1/namespaces/{namespace}/configmaps/{name}')).to.match(/meta\.v1\.Status$/);
  });

  it('tell how lists and maps are merged', () => {
    expect(schema('api/v1', 'io.k8s.api.core.v1.Container').properties['ports']).to.deep.include({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-merge-key': 'containerPort',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schema('api/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')).to.have.property('x-kubernetes-map-type', 'atomic');
    expect(schema('api/v1', pod)['x-kubernetes-group-version-kind']).to.deep.equal([{ group: '', kind: 'Pod', version: 'v1' }]);
    expect(schema('apis/flowcontrol.apiserver.k8s.io/v1', 'io.k8s.api.flowcontrol.v1.LimitResponse')['x-kubernetes-unions']).to.deep.equal([
      { discriminator: 'type', 'fields-to-discriminateBy': { queuing: 'Queuing' } },
    ]);
  });

  it('tell types, formats, defaults and what is required', () => {
    const port = schema('api/v1', 'io.k8s.api.core.v1.ServicePort');
    expect(port).to.deep.include({ type: 'object', required: ['port'] });
    expect(port.properties['port']).to.deep.include({ type: 'integer', format: 'int32' });
    expect(port.properties['protocol']).to.deep.include({ type: 'string', default: 'TCP' });
    expect(schema('api/v1', pod).properties['spec']).to.deep.include({
      default: {},
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
    });
    expect(schema('api/v1', 'io.k8s.api.core.v1.Secret').properties['data']).to.deep.include({
      type: 'object',
      additionalProperties: { type: 'string', format: 'byte' },
    });
    expect(schema('api/v1', 'io.k8s.apimachinery.pkg.util.intstr.IntOrString')).to.deep.include({
      format: 'int-or-string',
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    });
    expect(schema('api/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1.Time')).to.deep.include({ type: 'string', format: 'date-time' });
  });

  it('have no defaults and alternatives in version 2, which old clients misread', () => {
    expect(v2.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'])
      .to.deep.include({ type: 'string', format: 'int-or-string' })
      .and.not.have.property('oneOf');
    expect(v2.definitions[pod]?.properties['spec']).to.deep.include({ $ref: '#/definitions/io.k8s.api.core.v1.PodSpec' });
    expect(v2.definitions['io.k8s.api.core.v1.ServicePort']?.properties['protocol']).to.not.have.property('default');
  });

  it('describe every kind, and the members that people look up', () => {
    const kinds = createCatalogue().groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
    for (const { group, version, kind } of kinds) {
      const own = Object.values(v2.definitions).find(
        (each) => JSON.stringify(each['x-kubernetes-group-version-kind']) === JSON.stringify([{ group, kind, version }]),
      );
      expect(own?.['description'], `${group}/${version} ${kind}`).to.be.a('string');
      expect(own?.properties['metadata']?.['description'] ?? 'not an object of storage').to.be.a('string');
    }
    for (const member of Object.values(schema('api/v1', 'io.k8s.api.core.v1.Container').properties))
      expect(member).to.have.property('description');
  });

  it('describe every type and member, but for those of schemas, which the specification of OpenAPI describes', () => {
    // The reference does not describe these either.
    const untold = new Set(['ExternalDocumentation', 'Info', 'JSONSchemaProps', 'WatchEvent']);
    const silent = Object.entries(v2.definitions).flatMap(([name, { description, properties = {} }]) => {
      const word = name.slice(name.lastIndexOf('.') + 1);
      const members = untold.has(word) ? [] : Object.entries(properties).filter(([, member]) => !member['description']);
      return [...(description ? [] : [name]), ...members.map(([member]) => `${name}.${member}`)];
    });
    expect(silent).to.deep.equal([]);
  });

  it('follow --runtime-config', () => {
    const documents = parsed(
      { version: 3, encoding: 'json' },
      catalogueOf({ 'apps/v1': 'false', 'batch/v1/cronjobs': 'false', 'networking.k8s.io/v1beta1': 'true' }),
    );
    expect([...documents.keys()])
      .to.include.members(['apis/batch/v1', 'apis/networking.k8s.io/v1beta1', 'apis/networking.k8s.io'])
      .and.not.include.members(['apis/apps/v1', 'apis/apps']);
    expect(Object.keys(documents.get('apis/batch/v1')?.paths ?? {}).filter((path) => path.includes('cronjobs'))).to.deep.equal([]);
  });
});
