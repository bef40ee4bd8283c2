import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../api/object.js';
import { causesMax, type StatusError } from '../../../../api/status.js';
import { podWarnings } from '../../../../server/kinds/core/podSpec/warnings/template.js';
import { repeats } from '../../../../server/registry/validation/repeats.js';
import { createSample, type Sample } from './sample.js';

const numbered = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Long enough that quadratic work would not end. */
const many = 30_000;

describe('registry, objects with long lists', function () {
  let sample: Sample;
  before(async () => {
    sample = await createSample();
  });

  const container = { name: 'c', image: 'i' };
  const pod = (spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { enableServiceLinks: true, containers: [container], ...spec },
  });
  const crd = (version: JsonObject, properties: JsonObject): JsonObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.e.example.com' },
    spec: {
      group: 'e.example.com',
      scope: 'Namespaced',
      names: { plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList' },
      conversion: { strategy: 'None' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } }, ...version }],
    },
  });

  it('gets no more warnings about ports of a pod than anybody would read', () => {
    const ports = numbered(many, () => ({ containerPort: 80, protocol: 'TCP' }));
    expect(podWarnings(pod({ containers: [{ ...container, ports }] }))).to.have.length(100);
    const apart = numbered(many, (i) => ({ containerPort: 80, protocol: 'TCP', hostPort: i + 1 }));
    expect(podWarnings(pod({ containers: [{ ...container, ports: apart }] }))).to.deep.equal([]);
  });

  it('compares so many files of a pod with each other, and no more', () => {
    const name = (i: number): string => `f${String(i).padStart(6, '0')}`;
    const items = numbered(many, (i) => ({ key: 'k', path: name(i) }));
    expect(podWarnings(pod({ volumes: [{ name: 'v', configMap: { name: 'm', items } }] }))).to.deep.equal([]);
    const sources = numbered(many / 10, (i) => ({ configMap: { name: 'm', items: [{ key: 'k', path: name(i) }] } }));
    expect(podWarnings(pod({ volumes: [{ name: 'v', projected: { sources } }] }))).to.deep.equal([]);
    const same = numbered(many, () => ({ key: 'k', path: 'a' }));
    expect(podWarnings(pod({ volumes: [{ name: 'v', configMap: { name: 'm', items: same } }] }))).to.have.length.below(101);
    const first = [{ key: 'k', path: 'a' }, { key: 'l', path: 'a' }, ...items];
    expect(podWarnings(pod({ volumes: [{ name: 'v', configMap: { name: 'm', items: first } }] }))).to.deep.equal([
      'volume "v" (ConfigMap "m"): overlapping paths: "a" with "a"',
    ]);
  });

  const shapes: readonly (readonly [string, JsonObject])[] = [
    [
      'a quota of many resources and scopes',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: Object.fromEntries(numbered(many, (i) => [`count/r${i}`, '1'])), scopes: numbered(many, () => 'NotBestEffort') },
      },
    ],
    [
      'a quota of unknown scopes',
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: {}, scopes: numbered(many, (i) => `s${i}`) } },
    ],
    [
      'a quota that selects by many scopes',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: {}, scopeSelector: { matchExpressions: numbered(many, (i) => ({ scopeName: `s${i}`, operator: 'Exists' })) } },
      },
    ],
    [
      'a pod that is spread by many keys',
      pod({ topologySpreadConstraints: numbered(many, (i) => ({ maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'DoNotSchedule' })) }),
    ],
    [
      'a storage class with many values',
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 's' },
        provisioner: 'a.b/c',
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: numbered(many, (i) => `v${i}`) }] }],
      },
    ],
    [
      'endpoints of many subsets',
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'e' },
        subsets: numbered(many / 10, (i) => ({
          addresses: [{ ip: `10.1.${i >> 8}.${i & 255}` }],
          ports: [{ port: i + 1, protocol: 'TCP' }],
        })),
      },
    ],
    [
      'a definition with many selectable fields',
      crd(
        { selectableFields: numbered(many / 3, (i) => ({ jsonPath: `.p${i}` })) },
        Object.fromEntries(numbered(many / 3, (i) => [`p${i}`, { type: 'string' }])),
      ),
    ],
    [
      'a definition with many rules and many faults',
      crd(
        {},
        Object.fromEntries(
          numbered(many / 10, (i) => [
            `p${i}`,
            { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'true' }], ...(i % 2 ? { pattern: '(' } : {}) },
          ]),
        ),
      ),
    ],
    [
      'a policy about many resources',
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'v' },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: numbered(many, (i) => `r${i}/s`) }],
          },
          validations: [{ expression: 'true' }],
        },
      },
    ],
  ];
  for (const [what, object] of shapes) {
    it(`stores or refuses ${what}`, async () => {
      const outcome = await sample.create(object).then(
        () => 'stored',
        (error: unknown) => (error as StatusError).code,
      );
      expect(outcome).to.be.oneOf(['stored', 422]);
    });
  }

  it('tells of so many findings and no more', async () => {
    const error = await sample
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', finalizers: numbered(many, (i) => `f${i}`) } })
      .then(
        () => null,
        (thrown: unknown) => thrown as StatusError,
      );
    expect(error?.details?.causes).to.have.length(causesMax);
  });

  it('knows which values of a list have stood before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', '')), (values) => {
        const isRepeated = repeats(values);
        expect(values.map((_, position) => isRepeated(position))).to.deep.equal(
          values.map((value, position) => values.indexOf(value) < position),
        );
      }),
    );
  });
});
