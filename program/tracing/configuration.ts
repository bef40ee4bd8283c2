import { readConfiguration, refuseConfiguration, type ConfigurationKind } from '../files/configuration.js';

export interface TracingConfiguration {
  /** The collector's endpoint: OTLP over gRPC, without TLS. */
  readonly endpoint: string;
  readonly ratePerMillion: number;
}

const option = '--tracing-config-file';
const endpointDefault = 'localhost:4317';
const rateMax = 1_000_000;

export const tracingKind: ConfigurationKind = {
  option,
  kind: 'TracingConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1'],
  fields: { endpoint: 'text', samplingRatePerMillion: { from: 0, to: rateMax } },
};

/** Throws with the file's errors. */
export function readTracingConfiguration(file: string): TracingConfiguration {
  const value = readConfiguration(file, tracingKind);
  const ratePerMillion = Number(value['samplingRatePerMillion'] ?? 0);
  const endpoint = String(value['endpoint'] ?? endpointDefault);
  if (!/^(?:[a-z]+:)?\S+$/.test(endpoint) || endpoint.startsWith('http'))
    refuseConfiguration(file, option, [`endpoint must be an address such as ${endpointDefault}, not ${JSON.stringify(endpoint)}`]);
  return { endpoint, ratePerMillion };
}
