import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';

const staySeconds = 300;
const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

const concerns = (toleration: JsonObject, taint: string): boolean =>
  ['', taint].includes(textAt(toleration, 'key')) && ['', 'NoExecute'].includes(textAt(toleration, 'effect'));

function addDefaultTolerations(spec: JsonObject, seconds: Readonly<Record<string, number>>): void {
  const present = objectsIn(spec, 'tolerations');
  const added = taints
    .filter((taint) => !present.some((toleration) => concerns(toleration, taint)))
    .map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: seconds[key] ?? staySeconds,
    }));
  if (added.length > 0) spec['tolerations'] = [...present, ...added];
}

/** `--default-not-ready-toleration-seconds` and its sibling, by taint; five minutes by default. */
export const defaultTolerationSeconds = (seconds: Readonly<Record<string, number>> = {}): AdmissionPlugin => ({
  name: 'DefaultTolerationSeconds',
  resources: ['pods'],
  admit({ object, subresource, operation }) {
    if (object !== null && subresource === '' && operation !== 'DELETE') addDefaultTolerations(ensureObject(object, 'spec'), seconds);
  },
});
