import type { AdmissionRequest } from './admission.js';
import type { WriteOptions } from './contract.js';
import type { Target } from './target.js';

type AdmissionSubject = Pick<AdmissionRequest, 'operation' | 'name' | 'object' | 'old'> &
  Partial<Pick<AdmissionRequest, 'subresource' | 'form' | 'changing'>>;

/** Members are copied one by one because every write makes two of them. */
export const admissionRequest = (
  { resource, namespace }: Target,
  { operation, name, object, old, subresource = '', form = null, changing }: AdmissionSubject,
  { user, verb, dryRun, warn, annotate = ignore, asked, waiter, latency, deadline = Infinity }: WriteOptions,
): AdmissionRequest => ({
  operation,
  verb: verb ?? plainVerbs[operation],
  resource,
  subresource,
  form,
  namespace,
  name,
  object,
  old,
  user,
  dryRun,
  options: operation === 'CONNECT' ? null : { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1', ...asked },
  warn,
  annotate,
  waiter: waiter ?? null,
  latency,
  deadline,
  changing,
});

const ignore = (): void => {};

const plainVerbs = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', CONNECT: 'connect' } as const;
const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;
