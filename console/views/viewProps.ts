import type { ApiClient } from '../api/client.js';
import type { Resource } from '../api/resources.js';
import type { ApiObject } from '../model/objects.js';

export interface ViewProps {
  readonly client: ApiClient;
  readonly rest: string;
}

export interface DetailProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly resources: readonly Resource[];
  readonly namespace: string;
  readonly name: string;
  readonly close: () => void;
}

export interface TabProps extends DetailProps {
  readonly object: ApiObject;
}
