import { expect } from 'chai';
import { apiVersionOf } from '../../../api/meta/resource.js';
import { createCatalogue } from '../../../server/kinds/index.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import type { EncodingName, Kind } from '../../../workers/codecs/contract.js';
import { protobufEncode } from '../../../workers/codecs/protobuf/index.js';
import { decodeObject, type DecodeObjectResult } from '../../../workers/decode.js';
import { recordedSteps, type Step } from './codecs/files.js';

const deployment: Kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const configMap: Kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const decode = (text: string, kind = configMap, encoding: EncodingName = 'json'): DecodeObjectResult =>
  decodeObject({ bytes: Buffer.from(text), encoding, kind, findStrict: true });
const problem = (value: unknown, kind = deployment): string => {
  const result = decode(JSON.stringify(value), kind);
  return result.ok ? 'accepted' : result.stage === 'kind' ? 'kind' : result.message;
};

const refusalOf = (text: string, kind: Kind): string => {
  const result = decode(text, kind);
  return result.ok || result.stage === 'kind' ? 'understood' : result.message;
};

describe('decoding of objects', () => {
  it('completes kind and version, drops nulls and zeros that cannot be distinguished from absence, and shows what every object has', () => {
    const result = decode(
      '{"metadata":{"name":"d","labels":null,"annotations":{"a":null}},"spec":{"replicas":0,"paused":false,"minReadySeconds":0,"template":{"spec":{"containers":[{"image":""}],"nodeSelector":{}}}}}',
      deployment,
    );
    expect(result).to.deep.equal({
      ok: true,
      strict: [],
      refusal: undefined,
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd', annotations: { a: '' } },
        status: {},
        spec: {
          replicas: 0,
          selector: null,
          strategy: {},
          template: { metadata: {}, spec: { containers: [{ name: '', resources: {} }] } },
        },
      },
    });
  });

  it('lists unknown and duplicate fields in the order of the text', () => {
    const result = decode(
      '{"kind":"Deployment","metadata":{"odd":1,"labels":{"a":"1","a":"2"}},"spec":{"replicas":1,"replicas":2,"template":{"spec":{"containers":[{"x":{"y":1,"y":2},"env":[{"valeu":"1"}]}]}}},"zzz":1}',
      deployment,
    );
    const strict = [
      'unknown field "metadata.odd"',
      'duplicate field "metadata.labels.a"',
      'duplicate field "spec.replicas"',
      'unknown field "spec.template.spec.containers[0].x"',
      'unknown field "spec.template.spec.containers[0].env[0].valeu"',
      'unknown field "zzz"',
    ];
    expect(result).to.deep.include({ strict, refusal: `strict decoding error: ${strict.join(', ')}` });
    expect(result.ok && JSON.stringify(result.object)).to.not.match(/odd|valeu|zzz/);
  });

  it('decodes a repeated structure or map into the one before, and finds what is wrong in either', () => {
    const text = '{"kind":"Deployment","metadata":{"labels":{"a":"1","a":"2"},"name":"x"},"metadata":{"labels":{"b":"3"},"odd":1}}';
    const merged = { labels: { a: '2', b: '3' }, name: 'x' };
    const result = decode(text, deployment);
    expect(result).to.deep.include({
      strict: ['duplicate field "metadata.labels.a"', 'unknown field "metadata.odd"', 'duplicate field "metadata"'],
    });
    expect(result.ok && result.object['metadata']).to.deep.equal(merged);
    const ignored = decodeObject({ bytes: Buffer.from(text), encoding: 'json', kind: deployment, findStrict: false });
    expect(ignored.ok && ignored.object['metadata']).to.deep.equal(merged);
  });

  it('quotes names of fields as Go does', () => {
    const result = decode('{"kind":"Deployment","metadata":{"a\\n\\"b\\"\\u0007\\u2028ü":1}}', deployment);
    expect(result).to.deep.include({ strict: [String.raw`unknown field "metadata.a\n\"b\"\a\u2028ü"`] });
  });

  it('drops as many unknown and repeated fields as a body has room for, in time that grows with their number', () => {
    const timeOf = (count: number): number => {
      const text = `{"metadata":{"name":"x"}${Array.from({ length: count }, (_, each) => `,"u${each}":1`).join('')}${',"data":{}'.repeat(2)}}`;
      const began = process.cpuUsage();
      expect(decode(text)).to.deep.include({ ok: true, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } });
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    timeOf(5_000);
    // Linear searches took 400 times as long for 20 times as many.
    expect(timeOf(100_000) / timeOf(5_000)).to.be.below(120);
  });

  it('words duplicates in YAML as one error', () => {
    expect(decode('data:\n  a: "1"\n  a: "2"\nzzz: 1\n', configMap, 'yaml')).to.deep.include({
      strict: ['line 3: key "a" already set in map', 'unknown field "zzz"'],
      refusal: 'strict decoding error: yaml: unmarshal errors:\n  line 3: key "a" already set in map, unknown field "zzz"',
    });
  });

  it('does not look for unknown fields in raw objects, field sets and alternatives to schemas', () => {
    const revision = decode('{"data":{"a":1,"a":2},"revision":1}', { group: 'apps', version: 'v1', kind: 'ControllerRevision' });
    expect(revision).to.deep.include({ strict: [] });
    const definition = decode(
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":{"odd":1},"odd":2,"default":{"x":1.0}}}}]}}',
      { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    );
    expect(definition).to.deep.include({ strict: ['unknown field "spec.versions[0].schema.openAPIV3Schema.odd"'] });
  });

  it('names the field of a wrong value', () => {
    expect(problem({ spec: { replicas: 'two' } })).to.equal(
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
    expect(problem({ spec: { replicas: 2 ** 31 } })).to.equal(
      'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
    expect(problem({ spec: { template: { spec: { containers: {} } } } })).to.equal(
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    );
    expect(problem({ spec: { strategy: { rollingUpdate: { maxSurge: true } } } })).to.equal(
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    );
    expect(problem({ binaryData: { k: 'AAA' } }, configMap)).to.equal('illegal base64 data at input byte 0');
    expect(problem({ metadata: { creationTimestamp: '2026-13-01T00:00:00Z' } }, configMap)).to.match(
      /^parsing time "2026-13-01T00:00:00Z"/,
    );
    const fractional = decode('{"spec":{"replicas":1.0}}', deployment);
    expect(fractional).to.deep.include({
      message: 'json: cannot unmarshal number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32',
    });
    expect(decode('{"metadata":{"generation":9223372036854775808}}')).to.deep.include({
      message: 'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    });
    expect(decode('{"metadata":{"generation":9223372036854775807}}')).to.have.nested.property(
      'object.metadata.generation',
      9223372036854775807n,
    );
  });

  it('brings times, quantities and base64 into canonical form, from every encoding', () => {
    const lease = decode(
      '{"spec":{"renewTime":"2026-01-01T02:00:00.123456+02:00"},"metadata":{"creationTimestamp":"2026-01-01T02:00:00.9+02:00"}}',
      { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' },
    );
    expect(lease).to.have.nested.property('object.spec.renewTime', '2026-01-01T00:00:00.123456Z');
    expect(lease).to.have.nested.property('object.metadata.creationTimestamp', '2026-01-01T00:00:00Z');
    const quota = (value: string) => decode(`{"spec":{"hard":{"a":${value}}}}`, { group: '', version: 'v1', kind: 'ResourceQuota' });
    for (const [value, kept] of [
      ['"1000m"', '1'],
      ['1e3', '1e3'],
      ['1.0', '1'],
      ['1.50', '1500m'],
      ['null', '0'],
      ['1048576', '1048576'],
    ])
      expect(quota(value as string), value).to.have.nested.property('object.spec.hard.a', kept);
    expect(decode('{"binaryData":{"k":"AB==\\n"}}')).to.have.nested.property('object.binaryData.k', 'AA==');
  });

  it('reads bytes from lists of numbers, and empty ones for null', () => {
    const read = decode('{"binaryData":{"list":[104,null,105],"none":[],"nothing":null}}');
    const bytes = { list: Buffer.from('h\0i').toString('base64'), none: '', nothing: '' };
    expect(read).to.have.nested.property('object.binaryData').that.deep.equals(bytes);
    expect(problem({ binaryData: { k: [256] } }, configMap)).to.include('of type uint8');
  });

  it('leaves base64 of any length as it is, but for bits that belong to no byte', () => {
    const kept = (text: string): unknown => {
      const result = decode(JSON.stringify({ binaryData: { k: text } }));
      return result.ok ? (result.object['binaryData'] as { k: string }).k : result.stage === 'structure' && result.message;
    };
    for (const length of [0, 1, 2, 3, 94, 95, 96, 97, 98, 4_000, 4_001, 4_002]) {
      const text = Buffer.alloc(length, 'x').toString('base64');
      expect(kept(text), String(length)).to.equal(text);
      expect(kept(`\n${text}\r`), String(length)).to.equal(text);
      if (text.endsWith('='))
        expect(kept(text.replace(/[A-Za-z0-9+/]=/, (last) => `${last === 'A=' ? 'B' : '/'}=`)), text).to.have.length(text.length);
      if (length > 0) expect(kept(`-${text.slice(1)}`)).to.equal('illegal base64 data at input byte 0');
    }
    for (const [loose, text] of [
      ['eB==', 'eA=='],
      ['eHl=', 'eHk='],
      [`${'eHl5'.repeat(40)}eHl=`, `${'eHl5'.repeat(40)}eHk=`],
    ])
      expect(kept(loose as string)).to.equal(text);
  });

  it('reads Protobuf, whose envelope may name another kind', () => {
    const encoded = protobufEncode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } });
    const bytes = encoded.ok ? encoded.bytes : Buffer.alloc(0);
    expect(decodeObject({ bytes, encoding: 'protobuf', kind: configMap, findStrict: true })).to.deep.include({
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } },
    });
    expect(decodeObject({ bytes, encoding: 'protobuf', kind: deployment, findStrict: true })).to.deep.equal({
      ok: false,
      stage: 'kind',
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
    expect(decodeObject({ bytes: bytes.subarray(0, 30), encoding: 'protobuf', kind: configMap, findStrict: true }).ok).to.equal(false);
  });

  it('leaves the structure of kinds that are not built in to others', () => {
    const widget = { group: 'example.com', version: 'v1', kind: 'Widget' };
    expect(decode('{"apiVersion":"example.com/v1","kind":"Widget","spec":{"a":1.0,"b":null,"b":2}}', widget)).to.deep.equal({
      ok: true,
      object: { apiVersion: 'example.com/v1', kind: 'Widget', spec: { a: 1, b: 2 } },
      strict: ['duplicate field "spec.b"'],
      refusal: 'strict decoding error: duplicate field "spec.b"',
    });
  });

  it('keeps whole numbers of 64 bits in kinds that are not built in, and takes larger ones for fractions', () => {
    const widget: Kind = { group: 'a.b', version: 'v1', kind: 'Widget' };
    for (const encoding of ['json', 'yaml'] as const) {
      const result = decode(
        '{"apiVersion":"a.b/v1","kind":"Widget","a":[9223372036854775807,9223372036854775808,1.0,1e3]}',
        widget,
        encoding,
      );
      expect(result.ok && result.object['a'], encoding).to.deep.equal([2n ** 63n - 1n, 2 ** 63, 1, 1000]);
    }
    expect(refusalOf('{"apiVersion":"a.b/v1","kind":"Widget","a":1e400}', widget)).to.include('cannot unmarshal number 1e400');
    expect(refusalOf('{"a":9223372036854775807}', widget)).to.equal("Object 'Kind' is missing in '{\"a\":9223372036854775807}'");
  });

  it('wants kinds that are not built in to say what they are', () => {
    const widget = { group: 'example.com', version: 'v1', kind: 'Widget' };
    expect(decode('{"spec":{}}', widget)).to.deep.equal({
      ok: false,
      stage: 'syntax',
      message: "Object 'Kind' is missing in '{\"spec\":{}}'",
    });
    expect(decode('{"kind":"Widget","metadata":{"name":"a"}}', widget)).to.deep.equal({
      ok: false,
      stage: 'kind',
      apiVersion: '',
      kind: 'Widget',
      metadata: { name: 'a', resourceVersion: '' },
    });
    expect(decode('{"kind":"Gadget","apiVersion":"example.com/v1"}', widget)).to.deep.equal({
      ok: false,
      stage: 'kind',
      apiVersion: 'example.com/v1',
      kind: 'Gadget',
      metadata: { name: '', resourceVersion: '' },
    });
  });

  describe('as recorded from the reference', () => {
    it('refuses and warns with the same words', () => {
      const requests = recordedRequests();
      expect(requests.length).to.be.greaterThan(1000);
      let refused = 0;
      for (const { scenario, step, kind, bytes, encoding, validation } of requests) {
        const result = decodeObject({ bytes, encoding, kind, findStrict: validation !== 'Ignore' });
        if (!result.ok && result.stage === 'kind') continue;
        const message = (step.expect?.body?.['message'] ?? step.expect?.body?.['/message']) as string | undefined;
        const actual = refusalText(result, validation, kind, bytes);
        if (step.expect?.status === 400 && /cannot be handled|unrecognized/.test(message ?? '')) {
          expect(actual?.replace(/parsing time "[^"]*T[^"]*Z"/, 'parsing time "<time>"'), scenario).to.equal(message);
          refused++;
        } else if ((step.expect?.status ?? 500) < 300) expect(actual, scenario).to.equal(undefined);
        if (result.ok && validation === 'Warn')
          expect(
            result.strict.map((text) => `299 - ${JSON.stringify(text)}`),
            scenario,
          ).to.deep.equal(fieldWarnings(step));
      }
      expect(refused).to.be.greaterThan(100);
    });

    it('keeps objects that the reference printed exactly as they are', () => {
      let checked = 0;
      for (const { scenario, body } of recordedObjects()) {
        const [group, version] = body.apiVersion.includes('/') ? (body.apiVersion.split('/') as [string, string]) : ['', body.apiVersion];
        const kind = { group, version, kind: body.kind };
        if (typeOfKind(kind) === undefined) continue;
        const result = decode(JSON.stringify(body), kind);
        expect(result.ok && result.object, scenario).to.deep.equal(body);
        checked++;
      }
      expect(checked).to.be.greaterThan(300);
    });
  });
});

interface Recorded {
  readonly scenario: string;
  readonly step: Step;
  readonly kind: Kind;
  readonly bytes: Buffer;
  readonly encoding: EncodingName;
  readonly validation: string;
}

const encodings: Readonly<Record<string, EncodingName>> = { 'application/json': 'json', 'application/yaml': 'yaml' };
const path = /^(?:POST|PUT) (?:\/api\/(v1)|\/apis\/([^/]+\/[^/]+))\/(?:namespaces\/[^/]+\/)?([a-z]+)(?:\/[^/?]+(?:\/([a-z]+))?)?(\?.*)?$/;

const recordedRequests = (): Recorded[] => {
  const kinds = servedKinds();
  return recordedSteps().flatMap(({ scenario, step }) => {
    const [, core, grouped, resource, subresource, query = ''] = path.exec(step.do ?? '') ?? [];
    const kind = kinds.get(`${core ?? grouped} ${resource}${subresource === undefined ? '' : `/${subresource}`}`);
    const encoding = encodings[step.type ?? 'application/json'];
    const text = step.raw ?? (step.body === undefined ? '' : JSON.stringify(step.body));
    const validation = /fieldValidation=(\w+)/.exec(query)?.[1] ?? 'Warn';
    if (kind === undefined || encoding === undefined || !['Ignore', 'Warn', 'Strict'].includes(validation) || /\$\{np/.test(text))
      return [];
    return [{ scenario: `${scenario}: ${step.do}`, step, kind, bytes: Buffer.from(text), encoding, validation }];
  });
};

const servedKinds = (): Map<string, Kind> => {
  const resources = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) =>
    versions.flatMap((served) => served.resources),
  );
  return new Map(
    resources.flatMap((entry) => [
      [`${apiVersionOf(entry)} ${entry.resource}`, { group: entry.group, version: entry.version, kind: entry.kind }] as const,
      ...[...entry.subresources.values()].map(
        ({ name, group, version, kind }) => [`${apiVersionOf(entry)} ${entry.resource}/${name}`, { group, version, kind }] as const,
      ),
    ]),
  );
};

const refusalText = (result: DecodeObjectResult, validation: string, kind: Kind, bytes: Buffer): string | undefined => {
  const cannot = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `;
  if (result.ok) return validation === 'Strict' && result.refusal !== undefined ? cannot + result.refusal : undefined;
  if (result.stage === 'kind') return undefined;
  return result.stage === 'structure'
    ? cannot + result.message
    : `the object provided is unrecognized (must be of type ${kind.kind}): ${result.message} (${excerpt(bytes)})`;
};

const excerpt = (bytes: Buffer): string =>
  bytes.length === 0 ? '<empty>' : bytes.subarray(0, 30).toString(bytes[0] === 0x7b ? 'utf8' : 'hex') + (bytes.length > 30 ? ' ...' : '');

const fieldWarnings = (step: Step): string[] =>
  [step.expect?.headers?.['warning'] ?? []].flat().filter((text) => /unknown field|duplicate field|already set in map/.test(text));

interface PrintedObject {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Whole recorded objects in answers and events, with real times. */
const recordedObjects = (): { scenario: string; body: PrintedObject }[] =>
  recordedSteps().flatMap(({ scenario, step }) => {
    if (step.keep !== undefined || step.ignore !== undefined) return [];
    const bodies = [step.expect?.body, ...(step.expect?.events ?? []).map(({ object }) => object)] as (PrintedObject | undefined)[];
    return bodies
      .filter(
        (body) =>
          typeof body?.kind === 'string' &&
          typeof body.apiVersion === 'string' &&
          !/^Status$|^Table$|List$/.test(body.kind) &&
          !/"nodePort":"/.test(JSON.stringify(body)),
      )
      .map((body) => ({
        scenario,
        body: JSON.parse(JSON.stringify(body).replaceAll('"<time>"', '"2024-01-01T00:00:00Z"'), micro) as PrintedObject,
      }));
  });

const micro = (name: string, value: unknown): unknown =>
  /^(?:renewTime|acquireTime|eventTime|lastObservedTime|pingTime)$/.test(name) && value === '2024-01-01T00:00:00Z'
    ? '2024-01-01T00:00:00.000000Z'
    : value;
