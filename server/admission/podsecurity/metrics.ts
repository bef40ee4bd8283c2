import { Counter, type Registry } from 'prom-client';
import type { AdmissionRequest } from '../../registry/admission.js';
import type { PodSecurityCounts } from './counts.js';

/** The reference's names. Pods are counted apart from templates, and their subresources by name. */
export function createPodSecurityMetrics(registry: Registry): PodSecurityCounts {
  const evaluations = new Counter({
    name: 'pod_security_evaluations_total',
    help: 'Pods, and what pods are made of, that were held to a standard, by outcome.',
    labelNames: ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
    registers: [registry],
  });
  const exemptions = new Counter({
    name: 'pod_security_exemptions_total',
    help: 'Those that were held to none, because of who asked or where.',
    labelNames: ['request_operation', 'resource', 'subresource'],
    registers: [registry],
  });
  // Present from the start, as in the reference.
  for (const request_operation of ['create', 'update']) {
    for (const resource of ['pod', 'controller']) exemptions.inc({ request_operation, resource, subresource: '' }, 0);
    evaluations.inc({ ...firstEvaluation, request_operation }, 0);
  }
  return {
    evaluated: (decision, mode, { level, minor }, request) => {
      const version = minor === Infinity ? 'latest' : `v1.${minor}`;
      evaluations.inc({ decision, policy_level: level, policy_version: version, mode, ...about(request) });
    },
    exempted: (request) => {
      exemptions.inc(about(request));
    },
  };
}

const firstEvaluation = {
  decision: 'allow',
  policy_level: 'privileged',
  policy_version: 'latest',
  mode: 'enforce',
  resource: 'pod',
  subresource: '',
};

const about = ({
  operation,
  resource,
  subresource,
}: AdmissionRequest): Record<'request_operation' | 'resource' | 'subresource', string> => ({
  request_operation: operation.toLowerCase(),
  resource: resource.resource === 'pods' ? 'pod' : 'controller',
  subresource,
});
