#!/usr/bin/env node
import { performance } from 'node:perf_hooks';
import { createWorkers } from '../../workers/pool.js';
import { runDecode, runEncode } from '../../workers/job.js';
import { decodeObject } from '../../workers/decode.js';
import type { EncodingName, Kind } from '../../workers/codecs/contract.js';

/**
 * What decoding and encoding cost beside JSON.parse and JSON.stringify of the same object, and from which size on the pool holds the event
 * loop up for less time than doing the work inline. Runs for about ten seconds: `node dist/test/bench/codecs.js`.
 */
const MEASURE_MS = 400;
const BATCH_MS = 1;
const ENCODINGS: readonly EncodingName[] = ['json', 'yaml', 'protobuf', 'cbor'];
const POD: Kind = { group: '', version: 'v1', kind: 'Pod' };
const CONFIG_MAP: Kind = { group: '', version: 'v1', kind: 'ConfigMap' };

const containers = (count: number): object[] => Array.from({ length: count }, (_item, index) => ({
  name: `container-${index}`, image: 'registry.example.com/team/application:v1.2.3', imagePullPolicy: 'IfNotPresent', command: ['/bin/application', '--listen', ':8080'],
  env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }, { name: 'LEVEL', value: 'info' }],
  ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }], resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 },
  volumeMounts: [{ name: 'data', mountPath: '/var/data' }, { name: 'config', mountPath: '/etc/application', readOnly: true }], terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File',
}));
const metadata = { name: 'application-7d4b9c5f6d-x2x8z', generateName: 'application-7d4b9c5f6d-', namespace: 'production', uid: '4c9f3d4e-6d0b-4b8e-9a51-0a7f3c1a2b3c', resourceVersion: '123456', creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'application', 'pod-template-hash': '7d4b9c5f6d' }, annotations: { 'example.com/checksum': 'a'.repeat(64) }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'application-7d4b9c5f6d', uid: '1d2c3b4a-0000-4000-8000-000000000000', controller: true, blockOwnerDeletion: true }] };
const pod = (count: number): object => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: containers(count), volumes: [{ name: 'data', emptyDir: {} }, { name: 'config', configMap: { name: 'application', defaultMode: 420 } }],
  restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst', serviceAccountName: 'default', nodeName: 'node-1', schedulerName: 'default-scheduler', enableServiceLinks: true, priority: 0,
  tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }] },
  status: { phase: 'Running', hostIP: '10.0.0.1', podIP: '10.1.0.5', qosClass: 'Burstable', startTime: '2026-01-01T00:00:00Z', conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' })) } });
const configMap = (bytes: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(Array.from({ length: Math.ceil(bytes / 1024) }, (_item, index) => [`entry-${index}.txt`, `${'text of the entry\n'.repeat(56)}`])) });

/** Microseconds for one call: the best of several batches, because the machine may have other things to do. */
const microseconds = (work: () => unknown): number => {
  let best = Infinity;
  for (const end = performance.now() + MEASURE_MS; performance.now() < end;) {
    const start = performance.now();
    let calls = 0;
    do { work(); calls++; } while (performance.now() - start < BATCH_MS);
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
};

const row = (...cells: (string | number)[]): void => console.log(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(34) : (typeof cell === 'number' ? cell.toFixed(1) : cell).padStart(14))).join(''));

const bare = (title: string, value: object, kind: Kind): void => {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  const parse = microseconds(() => JSON.parse(bytes.toString('utf8')));
  const stringify = microseconds(() => Buffer.from(JSON.stringify(value)));
  row(`${title}, ${bytes.length} bytes`, 'µs', 'ratio');
  row('  JSON.parse', parse, 1);
  for (const encoding of ENCODINGS) {
    const encoded = runEncode({ value, encoding, kind });
    if (!encoded.ok) throw new Error(encoded.message);
    const plain = microseconds(() => runDecode({ bytes: encoded.bytes, encoding, kind, findDuplicates: true }));
    row(`  decode ${encoding}`, plain, plain / parse);
    const checked = microseconds(() => decodeObject({ bytes: encoded.bytes, encoding, kind, findStrict: true }));
    row(`  decode ${encoding} + structure`, checked, checked / parse);
  }
  row('  JSON.stringify', stringify, 1);
  for (const encoding of ENCODINGS) {
    const time = microseconds(() => runEncode({ value, encoding, kind }));
    row(`  encode ${encoding}`, time, time / stringify);
  }
};

/** How long the event loop is held up by one body: inline all of the work, with the pool what passing it to and fro costs. */
const heldUp = async (bytes: Buffer, encoding: EncodingName, kind: Kind): Promise<{ inline: number; pool: number; latency: number }> => {
  const workers = createWorkers({ inlineBytesMax: 0, threads: 1 });
  const job = { bytes, encoding, kind, findStrict: true };
  await workers.decodeObject(job);
  const inline = microseconds(() => decodeObject(job));
  let [pool, latency] = [Infinity, Infinity];
  for (let round = 0; round < 5; round++) {
    const before = performance.eventLoopUtilization();
    const start = performance.now();
    await workers.decodeObject(job);
    latency = Math.min(latency, (performance.now() - start) * 1000);
    pool = Math.min(pool, performance.eventLoopUtilization(before).active * 1000);
  }
  await workers.close();
  return { inline, pool, latency };
};

bare('Pod', pod(1), POD);
bare('ConfigMap', configMap(1024 * 1024), CONFIG_MAP);

console.log('\nOne body, decoded and checked: µs that the event loop is held up');
row('', 'bytes', 'inline', 'pool', 'pool latency');
for (const encoding of ENCODINGS) {
  for (const [name, value, kind] of [['Pod', pod(4), POD], ['Pod', pod(40), POD], ['Pod', pod(400), POD], ['Pod', pod(2400), POD], ['ConfigMap', configMap(3 * 1024 * 1024 - 300_000), CONFIG_MAP]] as const) {
    const encoded = runEncode({ value, encoding, kind });
    if (!encoded.ok || (encoding === 'yaml' && encoded.bytes.length > 600_000)) continue;
    const { inline, pool, latency } = await heldUp(encoded.bytes, encoding, kind);
    row(`  ${encoding} ${name}`, encoded.bytes.length, inline, pool, latency);
  }
}
