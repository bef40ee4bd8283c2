import type { JsonObject } from '../../../api/object.js';
import { badRequest } from '../../../api/status.js';
import type { NonResourceRule, ResourceRule } from '../../authorization/rules.js';
import { textAt } from '../../../api/json/members.js';
import { admitBody } from '../admitting.js';
import { sendDocument, typeOf } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { VerbHandler } from '../verbs/deps.js';

/** Says when authorizers may allow more than they can list. */
export const selfSubjectRulesReview: VerbHandler = async (context, route, deps) => {
  const { resource } = route;
  const { reader, rules } = deps;
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const body = await reader.object(context, resource, fieldValidation);
  await admitBody(context, route, deps, { object: body, dryRun, fieldManager });
  const namespace = textAt(body, 'spec', 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const { resourceRules, nonResourceRules, incomplete, problems } = rules(context.user, namespace);
  const status = {
    resourceRules: resourceRules.map(resourceRule),
    nonResourceRules: nonResourceRules.map(nonResourceRule),
    incomplete,
    ...(problems.length === 0 ? {} : { evaluationError: problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]` }),
  };
  sendDocument(context, representation, { ...typeOf(resource), metadata: {}, spec: {}, status }, { code: 201 });
};

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: ResourceRule): JsonObject => ({
  verbs: [...verbs],
  apiGroups: [...apiGroups],
  resources: [...resources],
  ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
});
const nonResourceRule = ({ verbs, nonResourceURLs }: NonResourceRule): JsonObject => ({
  verbs: [...verbs],
  nonResourceURLs: [...nonResourceURLs],
});
