import { performance } from 'node:perf_hooks';
import { decodeObject } from '../../workers/decode.js';
import { createCatalogue, storedKinds } from '../../server/kinds/index.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { copyOf } from '../../api/json/copy.js';
import { storedForm } from '../../server/registry/metadata.js';
import type { FieldError } from '../../server/registry/validation/field.js';
import { ownCreated } from '../../server/registry/ownership.js';
import { encodeStored } from '../../server/storage/encoding.js';
import { encodeBody } from '../../server/storage/forms.js';
import { kindObjects, type KindObject } from './kindObjects.js';
import { printTable, ratio } from './table.js';
import { inOneGo } from '../../api/steps.js';

/**
 * Compares a create's work (decoding, defaults, validation, field owners, stored form) with JSON.parse and JSON.stringify of the object. Kinds take turns: code with
 * one shape is faster.
 */
const stepNames = [
  'JSON.parse',
  'decode, check, defaults',
  'validation',
  'ownership',
  'JSON.stringify',
  'encode Protobuf',
  'encode JSON',
] as const;
type Step = (typeof stepNames)[number];
const bases: Readonly<Record<Step, Step>> = {
  'JSON.parse': 'JSON.parse',
  'decode, check, defaults': 'JSON.parse',
  validation: 'JSON.parse',
  ownership: 'JSON.parse',
  'JSON.stringify': 'JSON.stringify',
  'encode Protobuf': 'JSON.stringify',
  'encode JSON': 'JSON.stringify',
};
const warmUpRounds = 300;
const calls = 20;

export function benchKinds({ seconds }: { readonly seconds: number }): void {
  const measured = kindObjects.map((object) => ({ object, steps: stepsOf(object), best: new Map<Step, number>() }));
  const round = (): void => {
    for (const { steps, best } of measured)
      for (const step of stepNames) {
        const start = performance.now();
        for (let call = 0; call < calls; call++) steps[step]();
        best.set(step, Math.min(best.get(step) ?? Infinity, ((performance.now() - start) / calls) * 1000));
      }
  };
  for (let warmUp = 0; warmUp < warmUpRounds; warmUp++) round();
  for (const { best } of measured) best.clear();
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) round();
  const ratioOf = (best: ReadonlyMap<Step, number>, step: Step): number => (best.get(step) ?? NaN) / (best.get(bases[step]) ?? NaN);
  const ours = stepNames.filter((step) => bases[step] !== step);
  printTable(
    ['µs, and the ratio to JSON.parse or JSON.stringify', 'bytes', ...stepNames, 'sum of ratios'],
    measured.map(({ object: { title, value }, best }) => [
      title,
      String(Buffer.byteLength(JSON.stringify(value))),
      ...stepNames.map((step) => {
        const time = (best.get(step) ?? NaN).toFixed(1);
        return bases[step] === step ? time : `${time} (${ratio(best.get(step) ?? NaN, best.get(bases[step]) ?? NaN)})`;
      }),
      ours.reduce((sum, step) => sum + ratioOf(best, step), 0).toFixed(1),
    ]),
  );
  const total = measured.reduce((sum, { best }) => sum + ours.reduce((each, step) => each + ratioOf(best, step), 0), 0);
  console.log(`\nsum of all ratios: ${total.toFixed(1)}\n`);
}

const catalogue = createCatalogue({ serves: () => true });

function stepsOf({ kind, plural, value }: KindObject): Record<Step, () => unknown> {
  const bytes = Buffer.from(JSON.stringify(value));
  const resource = catalogue.resource(kind.group, kind.version, plural);
  if (resource === null) throw new Error(`${plural} are not served`);
  const { strategy } = resource.behaviour;
  const decoded = (): ApiObject => {
    const result = decodeObject({ bytes, encoding: 'json', kind, findStrict: true });
    if (!result.ok) throw new Error(result.stage);
    const object = result.object as unknown as ApiObject;
    strategy.read.defaults(object);
    return object;
  };
  const object = decoded();
  const servedAs = { apiVersion: apiVersionOf(resource), namespaceLabels: {} };
  const findings = (): FieldError[] => inOneGo(strategy.create.review(object, () => [], servedAs));
  const [finding] = findings();
  if (finding !== undefined) throw new Error(`${plural} are refused: ${JSON.stringify(finding)}`);
  const writer = { manager: 'bench', subresource: '', now: '2026-01-01T00:00:00Z' };
  const owners = (): JsonObject[] | undefined => inOneGo(ownCreated(resource, object, writer));
  const key = { resource: resource.storage, namespace: 'default', name: object.metadata.name ?? '' };
  const full = copyOf(object as JsonObject) as ApiObject;
  full.metadata.uid = '4c9f3d4e-6d0b-4b8e-9a51-0a7f3c1a2b3c';
  full.metadata.creationTimestamp = writer.now;
  const accounts = owners();
  if (accounts !== undefined) full.metadata.managedFields = accounts;
  const stored = storedForm(full, full.apiVersion ?? '');
  const form = { mediaType: 'application/vnd.kubernetes.protobuf', kind: storedKinds() } as const;
  if (encodeBody(form, key, stored) === null) throw new Error(`${plural} have no Protobuf form`);
  return {
    'JSON.parse': () => JSON.parse(bytes.toString()) as unknown,
    'decode, check, defaults': decoded,
    validation: findings,
    ownership: owners,
    'JSON.stringify': () => Buffer.from(JSON.stringify(stored)),
    'encode Protobuf': () => encodeBody(form, key, stored),
    'encode JSON': () => encodeStored(key, stored),
  };
}
