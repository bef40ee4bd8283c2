import { turns } from '../../../workers/turns/turns.js';
import { timeText } from '../../../api/time.js';
import type { ApiObject } from '../../../api/object.js';
import { ownCreated } from '../../registry/ownership.js';
import type { ServedResource } from '../../registry/resources.js';

/** Reviews record their manager, as every created object does. */
export async function own(body: ApiObject, resource: ServedResource, manager: string): Promise<void> {
  const owners = await turns.run(ownCreated(resource, body, { manager, subresource: '', now: timeText(Date.now()) }));
  if (owners !== undefined) body.metadata.managedFields = owners;
}
