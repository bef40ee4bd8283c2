import type { JsonMembers } from '../../workers/codecs/value.js';
import { compile } from '../../workers/schema/custom/compile.js';
import { count, printTable, ratio } from './table.js';
import { inOneGo } from '../../api/steps.js';

/** Processor time of a custom resource's schema beside JSON.parse of the same object. */
export interface CustomSchemaBenchOptions {
  readonly seconds: number;
}

const rounds = 5;
const warmUpCalls = 2_000;
const namePattern = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/** Similar to generated schemas of workloads: descriptions, defaults, patterns, keyed lists, alternatives. */
const container: JsonMembers = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: namePattern, maxLength: 63 },
    image: { type: 'string', minLength: 1 },
    policy: { type: 'string', enum: ['Always', 'Never', 'IfNotPresent'], default: 'IfNotPresent' },
    args: { type: 'array', items: { type: 'string' } },
    env: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } }, required: ['name'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          port: { type: 'integer', format: 'int32', minimum: 1, maximum: 65_535 },
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    },
    resources: {
      type: 'object',
      additionalProperties: {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi)?$',
      },
    },
    probe: {
      type: 'object',
      properties: { path: { type: 'string' }, command: { type: 'string' }, seconds: { type: 'integer', default: 10 } },
      oneOf: [{ required: ['path'] }, { required: ['command'] }],
    },
  },
};
const schema: JsonMembers = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', minimum: 0, default: 1 },
        paused: { type: 'boolean' },
        until: { type: 'string', format: 'date-time' },
        containers: { type: 'array', items: container, minItems: 1 },
        labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
      },
    },
  },
};

const object = (containers: number): JsonMembers => ({
  apiVersion: 'example.com/v1',
  kind: 'Workload',
  metadata: {
    name: 'one',
    namespace: 'default',
    labels: { app: 'one' },
    creationTimestamp: '2026-01-01T00:00:00Z',
    uid: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
  },
  spec: {
    replicas: 3,
    paused: false,
    until: '2026-01-01T00:00:00Z',
    labels: { a: 'b', c: 'd' },
    containers: Array.from({ length: containers }, (_, index) => ({
      name: `container-${index}`,
      image: 'registry.example.com/team/program:1.2.3',
      policy: 'Always',
      args: ['--verbose', '--port=80'],
      env: Array.from({ length: 4 }, (_unused, position) => ({ name: `VARIABLE_${position}`, value: `value ${position}` })),
      ports: [
        { port: 80, protocol: 'TCP' },
        { port: 443, protocol: 'TCP' },
      ],
      resources: { cpu: '500m', memory: '1Gi', count: 2 },
      probe: { path: '/healthy', seconds: 5 },
    })),
  },
});

/** Processor microseconds for one call: the minimum of some rounds. */
function cpuMicros(work: () => unknown, forMs: number): number {
  for (let call = 0, start = process.cpuUsage(); call < warmUpCalls && spent(start) < forMs * 1000; call++) work();
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    let calls = 0;
    for (; spent(start) < (forMs * 1000) / rounds; calls++) work();
    best = Math.min(best, spent(start) / calls);
  }
  return best;
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

export function benchCustomSchemas({ seconds }: CustomSchemaBenchOptions): void {
  const compiled = compile(schema, {});
  const forMs = (seconds * 1000) / 12;
  for (const containers of [2, 500]) {
    const text = JSON.stringify(object(containers));
    const [received, old] = [JSON.parse(text), JSON.parse(text)] as JsonMembers[];
    inOneGo(compiled.receive(received as JsonMembers));
    inOneGo(compiled.receive(old as JsonMembers));
    const parse = cpuMicros(() => JSON.parse(text) as unknown, forMs);
    const both = cpuMicros(() => inOneGo(compiled.receive(JSON.parse(text) as JsonMembers)), forMs);
    const rows: readonly (readonly [what: string, micros: number])[] = [
      ['JSON.parse', parse],
      ['form and defaults', both - parse],
      ['conditions, create', cpuMicros(() => compiled.validate(received as JsonMembers), forMs)],
      ['conditions, update', cpuMicros(() => compiled.validateUpdate(received as JsonMembers, old as JsonMembers), forMs)],
    ];
    printTable(
      [`custom object, ${count(Buffer.byteLength(text))} bytes`, 'CPU µs', 'of JSON.parse'],
      rows.map(([what, micros]) => [what, micros.toFixed(1), ratio(micros, parse)]),
    );
    console.log('');
  }
  printTable(['schema', 'CPU µs'], [['compiled', cpuMicros(() => compile(schema, {}).validate({}), forMs).toFixed(1)]]);
}
