import { StatusError } from '../../api/status.js';
import { qualifiedName } from '../../api/resource.js';
import type { Attributes } from './authorizer.js';

export function forbidden(attributes: Attributes, reason: string): StatusError {
  const why = reason === '' ? '' : `: ${reason}`;
  if (!attributes.isResource) {
    return new StatusError(
      403,
      'Forbidden',
      `forbidden: User ${quote(attributes.user.name)} cannot ${attributes.verb} path ${quote(attributes.path)}${why}`,
      {},
    );
  }
  const { group, resource, subresource, name, namespace, user, verb } = attributes;
  const subject = name === '' ? qualifiedName({ group, resource }) : `${qualifiedName({ group, resource })} ${quote(name)}`;
  const what = quote(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  const message = `${subject} is forbidden: User ${quote(user.name)} cannot ${verb} resource ${what} in API group ${quote(group)} ${where}${why}`;
  return new StatusError(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

const quote = (text: string): string => JSON.stringify(text);
