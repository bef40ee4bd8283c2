import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generate } from '../../../api/generate/generate.js';
import { constantOf } from '../../../api/generate/interfaces.js';
import { readFacts } from '../../../api/generate/read.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** Facts of one group version and of shared types. */
const meta = `
group: ''
version: v1
package: k8s.io.apimachinery.pkg.apis.meta.v1
types:
  ObjectMeta: { fields: { name: { proto: 1, type: string, presence: value } } }
  Time: { json: string date-time, fields: { seconds: { proto: 1, type: int64 } } }
`;
const widgets = `
group: example.k8s.io
version: v1
package: k8s.io.api.example.v1
served: true
preferred: true
resources:
  widgets:
    kind: Widget
    singular: widget
    scope: Namespaced
    shortNames: [wd]
    verbs: [create, get, list]
    subresources:
      scale: { kind: Scale, of: autoscaling/v1, verbs: [get, update] }
    columns:
      - { name: Name, type: string, format: name }
      - { name: Colour, type: string, priority: 1 }
types:
  Widget:
    kind: true
    fields:
      apiVersion: { type: string, presence: value }
      kind: { type: string, presence: value }
      metadata: { proto: 1, type: meta.v1.ObjectMeta, presence: always }
      spec: { proto: 2, type: WidgetSpec, presence: always }
  WidgetSpec:
    fields:
      size: { proto: 1, type: int32, required: true, presence: always, default: 0 }
      parts: { proto: 3, type: list of WidgetPart, listType: map, listMapKeys: [name] }
      source: { proto: 2, type: WidgetSource, inline: true }
      since: { proto: 4, type: meta.v1.Time, presence: always }
  WidgetPart: { fields: { name: { proto: 1, type: string, required: true, presence: always, default: '' } } }
messages:
  WidgetSource: { fields: { colour: { proto: 1, type: string, presence: value, enum: [red, blue] }, labels: { proto: 2, type: map of string } } }
`;

function factsOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory('facts');
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}
const generated = (files: Readonly<Record<string, string>>): Map<string, string> =>
  generate(readFacts(factsOf({ 'meta/v1.yaml': meta, ...files })));
const table = (files: Map<string, string>, name: string): Record<string, unknown> =>
  JSON.parse(files.get(`data/${name}.json`) ?? '') as Record<string, unknown>;

describe('api/generate', () => {
  const files = generated({
    'example/v1.yaml': widgets,
    'example/descriptions.yaml': 'WidgetSpec: { description: What is wanted., fields: { size: How large. } }',
  });

  it('makes the table of types: members by name, inlined ones in their places', () => {
    expect(table(files, 'types')['example.v1.WidgetSpec']).to.deep.equal({
      fields: 'colour string=;labels {}string;parts []example.v1.WidgetPart;since meta.v1.Time!;size int32!*',
      more: {
        colour: { enum: ['red', 'blue'], within: 'WidgetSource' },
        labels: { within: 'WidgetSource' },
        parts: { listType: 'map', listMapKeys: ['name'] },
        size: { default: 0 },
      },
    });
    expect(table(files, 'types')['example.v1.Widget']).to.have.property('kinds').that.deep.equals(['example.k8s.io/v1/Widget']);
    expect(table(files, 'types')).not.to.have.property('example.v1.WidgetSource');
  });

  it('tells which values are meant of members that a list names, and refuses a list that is wrong', () => {
    const reported = (list: string): Map<string, string> => generated({ 'example/v1.yaml': widgets, 'enums.yaml': list });
    const files = reported(
      'Name: { values: [a, b], members: [example.WidgetPart.name] }\nLabel: { values: [c], members: [example.WidgetSource.labels] }',
    );
    expect(table(files, 'types')['example.v1.WidgetPart']).to.have.nested.property('more.name.enum').that.deep.equals(['a', 'b']);
    expect(table(files, 'types')['example.v1.WidgetSpec']).to.have.nested.property('more.labels.enum').that.deep.equals(['c']);
    expect(() => reported('N: { values: [a], members: [example.WidgetPart.nmae] }')).to.throw(
      'enums.yaml: there is no member example.WidgetPart.nmae',
    );
    expect(() => reported('N: { values: [b, a], members: [example.WidgetPart.name] }')).to.throw(
      'values are in the order of their characters',
    );
    expect(() => reported('N: { values: [a], members: [example.WidgetSpec.size] }')).to.throw('example.WidgetSpec.size is int32, not text');
  });

  it('makes the table of messages: fields by number, inlined ones as they are', () => {
    expect(table(files, 'protobuf')['example.v1.WidgetSpec']).to.equal(
      '1 size int32!;2 source ...example.v1.WidgetSource!;3 parts []example.v1.WidgetPart;4 since meta.v1.Time!',
    );
    expect(table(files, 'protobuf')['example.v1.Widget']).to.equal('1 metadata meta.v1.ObjectMeta!;2 spec example.v1.WidgetSpec!');
  });

  it('makes the tables of resources, columns and kinds', () => {
    expect(JSON.parse(files.get('data/resources.json') ?? '')).to.deep.equal([
      {
        name: 'example.k8s.io',
        versions: [
          {
            version: 'v1',
            servedByDefault: true,
            resources: [
              ['widgets', 'Widget', 'widget', true, 'create,get,list', ['wd'], [], [['scale', 'Scale', 'get,update', 'autoscaling', 'v1']]],
            ],
          },
        ],
      },
    ]);
    expect(table(files, 'tables')).to.deep.equal({
      'example.k8s.io/v1 widgets': [
        ['Name', 'string', 'name', 0],
        ['Colour', 'string', '', 1],
      ],
    });
    expect(table(files, 'kinds')).to.deep.equal({ 'example.k8s.io/v1': ['Widget'] });
  });

  it('makes interfaces: what is required is there, what may be shown as null may be null', () => {
    const text = files.get('types/example/v1.ts') ?? '';
    expect(text).to.contain(
      '/** What is wanted. */\nexport interface WidgetSpec {\n  /** How large. */\n  readonly size: number;\n  readonly parts?: readonly WidgetPart[];\n' +
        "  readonly colour?: 'red' | 'blue';\n  readonly labels?: Readonly<Record<string, string>>;\n  readonly since?: metaV1.Time | null;\n}",
    );
    expect(text).to.contain(
      "export const widgets: Resource<Widget> = { group: 'example.k8s.io', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true };",
    );
  });

  it('refuses an unknown key, an unknown type and a number given twice, and says where', () => {
    const wrong = (text: string) => (): unknown => generated({ 'example/v1.yaml': text });
    expect(wrong(widgets.replace('listMapKeys', 'listKeys'))).to.throw('example/v1.yaml: WidgetSpec.parts: listKeys is not one of');
    expect(wrong(widgets.replace('list of WidgetPart', 'list of WidgetPiece'))).to.throw(
      'example/v1.yaml: WidgetSpec.parts is of an unknown type example.v1.WidgetPiece',
    );
    expect(wrong(widgets.replace('proto: 3', 'proto: 2'))).to.throw(
      'example/v1.yaml: WidgetSpec: source and parts both have the Protobuf number 2',
    );
  });

  it('names resources as the kinds are written', () => {
    for (const [resource, kind, name] of [
      ['replicasets', 'ReplicaSet', 'replicaSets'],
      ['networkpolicies', 'NetworkPolicy', 'networkPolicies'],
      ['apiservices', 'APIService', 'apiServices'],
      ['csidrivers', 'CSIDriver', 'csiDrivers'],
      ['endpoints', 'Endpoints', 'endpoints'],
      ['ipaddresses', 'IPAddress', 'ipAddresses'],
    ] as const)
      expect(constantOf(resource, kind)).to.equal(name);
  });
});
