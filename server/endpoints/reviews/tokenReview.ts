import type { JsonObject } from '../../../api/object.js';
import { badRequest } from '../../../api/status.js';
import { bearerToken, invalidToken, type TokenAuthentication } from '../../authentication/tokens/token.js';
import { managerOf } from '../../patch/apply/managers.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { admitBody } from '../admitting.js';
import { sendDocument, typeOf } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { VerbHandler } from '../verbs/deps.js';
import { own } from './owned.js';

export const tokenReview: VerbHandler = async (context, route, deps) => {
  const { resource } = route;
  const { reader, tokens } = deps;
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const body = await reader.object(context, resource, fieldValidation);
  await own(body, resource, managerOf(fieldManager, context.request.headers['user-agent']));
  await admitBody(context, route, deps, { object: body, dryRun, fieldManager });
  const spec = membersOf(body['spec']);
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = itemsOf(spec['audiences']).map(String);
  const bearer = bearerToken(`Bearer ${token}`);
  const result =
    bearer === null || tokens === null ? null : await tokens.authenticate(bearer, asked.length === 0 ? tokens.audiences : asked);
  // Sent members stay where the review has no result, except `authenticated`.
  const { authenticated: _, ...sent } = membersOf(body['status']);
  const status = { user: {}, ...sent, ...statusOf(result) };
  sendDocument(context, representation, { ...typeOf(resource), metadata: body.metadata, spec, status }, { code: 201 });
};

function statusOf(result: TokenAuthentication | null): JsonObject {
  // Blanks are no token, which is no error (bearertoken.go).
  if (result === null) return {};
  if (result.outcome === 'absent') return { error: invalidToken };
  if (result.outcome === 'invalid') return { error: result.reason === invalidToken ? invalidToken : `[${invalidToken}, ${result.reason}]` };
  const {
    user: { name, uid, groups, extra },
    audiences,
  } = result;
  const user = {
    username: name,
    ...(uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
  return { authenticated: true, user, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) };
}
