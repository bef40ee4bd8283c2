import { timeText } from '../../../api/time.js';
import { admitBody } from '../admitting.js';
import { sendDocument } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { VerbHandler } from '../verbs/deps.js';
import { typeOf } from '../answers.js';

/** The body is ignored. */
export const selfSubjectReview: VerbHandler = async (context, route, deps) => {
  const { resource } = route;
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const body = await deps.reader.object(context, resource, fieldValidation);
  await admitBody(context, route, deps, { object: body, dryRun, fieldManager });
  const { name, uid, groups, extra } = context.user;
  const userInfo = {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  const creationTimestamp = timeText(Date.now());
  sendDocument(context, representation, { ...typeOf(resource), metadata: { creationTimestamp }, status: { userInfo } }, { code: 201 });
};
