import { timeText } from '../../../api/time.js';
import type { ApiObject } from '../../../api/object.js';
import { badRequest, conflict, plainError } from '../../../api/status.js';
import type { Status } from '../../../api/status.js';
import { bind, bindingProblem, validateBinding } from '../../kinds/core/pod/binding.js';
import { checkNamespace } from '../../registry/writes.js';
import { admitBody } from '../admitting.js';
import { sendDocument } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { VerbDeps, VerbHandler } from '../verbs/deps.js';
import { writeOptions } from '../verbs/deps.js';

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };

export const created: Status & { readonly code: 201 } = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

export const timestamp = (): string => timeText(Date.now());

/** Only the body of the older `bindings` has the name. */
export const createBinding: VerbHandler = async (context, route, deps) => {
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const parameters = parseWriteParameters(context.query, 'CreateOptions');
  const binding = await deps.reader.object(context, bindingKind, parameters.fieldValidation);
  const name = binding.metadata.name ?? '';
  const namespace = route.namespace ?? '';
  const target = { resource: podsOf(deps), namespace, name: route.subresource === null ? name : route.name };
  checkNamespace(binding.metadata, target);
  await admitBody(context, route, deps, {
    object: binding,
    form: bindingKind,
    dryRun: parameters.dryRun,
    fieldManager: parameters.fieldManager,
  });
  if (name !== target.name) throw badRequest('name in URL does not match name in Binding object');
  const findings = validateBinding(binding).map(({ path, message }) => `${path}: ${message}`);
  if (findings.length > 0) throw plainError(500, findings.length === 1 ? (findings[0] ?? '') : `[${findings.join(', ')}]`);
  await deps.registry.update(
    target,
    {
      apply: (current) => bound(current, binding, deps.clearsNomination),
      subresource: 'binding',
      uid: binding.metadata.uid ?? null,
      mayCreate: null,
      // A scheduler does not own the fields that binding changes.
      applies: true,
      admitted: true,
    },
    writeOptions(context, parameters.dryRun, parameters.fieldManager),
  );
  sendDocument(context, representation, created, { code: 201 });
};

function bound(pod: ApiObject | null, binding: ApiObject, clearsNomination: boolean): ApiObject {
  const current: ApiObject = pod ?? { metadata: {} };
  const problem = bindingProblem(current);
  if (problem !== null) throw conflict({ group: '', resource: 'pods/binding' }, current.metadata.name ?? '', problem);
  const wanted = binding.metadata.resourceVersion ?? '';
  const result = bind(current, binding, timestamp(), clearsNomination);
  if (wanted !== '') result.metadata.resourceVersion = wanted;
  return result;
}

function podsOf({ catalogue }: VerbDeps): NonNullable<ReturnType<VerbDeps['catalogue']['resource']>> {
  const pods = catalogue.resource('', 'v1', 'pods');
  if (pods === null) throw plainError(404, 'pods are not served');
  return pods;
}
