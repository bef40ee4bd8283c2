import { badRequest } from '../../api/status.js';
import { textAt } from '../../registry/members.js';
import { sendDocument, typeOf } from '../answers.js';
import { negotiate } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { VerbHandler } from '../verbs/deps.js';

/** Lists what the caller may do in a namespace. Authorizers can answer questions but not list rules yet, so the list says that it is incomplete. */
export const selfSubjectRulesReview: VerbHandler = async (context, { resource }, { reader }) => {
  const representation = negotiate(context, { collection: false, stream: false });
  const { fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const body = await reader.object(context, resource, fieldValidation);
  if (textAt(body, 'spec', 'namespace') === '') throw badRequest('no namespace on request');
  const status = { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError: 'the authorizers of this server cannot list rules' };
  sendDocument(context, representation, { ...typeOf(resource), metadata: {}, spec: {}, status }, 201);
};
