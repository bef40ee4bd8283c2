import { internalError } from '../../../api/status.js';
import type { Attributes, Authorizer } from '../../authorization/authorizer.js';
import { forbidden } from '../../authorization/forbidden.js';
import type { CreationCheck } from '../../registry/contract.js';
import type { RequestContext } from '../context.js';
import type { Route } from '../routing.js';

/** PUT and server-side apply also need the right to create the path's name. Attributes and message are the reference's. */
export const creationCheck =
  ({ user }: RequestContext, { resource: served, subresource, namespace, name }: Route, authorize: Authorizer): CreationCheck =>
  async () => {
    const { group, version, resource } = served;
    const attributes: Attributes = {
      isResource: true,
      user,
      verb: 'create',
      group,
      version,
      resource,
      subresource: subresource?.name ?? '',
      namespace: namespace ?? '',
      name,
    };
    const { decision, reason, error } = await authorize(attributes);
    if (decision === 'allow') return;
    throw error === undefined ? forbidden(attributes, reason) : internalError(error);
  };
