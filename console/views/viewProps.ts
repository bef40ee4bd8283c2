import type { ApiClient } from '../api/client.js';
import type { Resource } from '../api/resources.js';
import type { ApiObject } from '../model/objects.js';

/** What a view gets: whom it may ask, and the rest of the address, which it may change. */
export interface ViewProps {
  readonly client: ApiClient;
  readonly rest: string;
}

/** What the view of one object gets. */
export interface DetailProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly resources: readonly Resource[];
  readonly namespace: string;
  readonly name: string;
  readonly close: () => void;
}

/** What each tab of it gets. */
export interface TabProps extends DetailProps {
  readonly object: ApiObject;
}
