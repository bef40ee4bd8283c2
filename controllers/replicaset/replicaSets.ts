import type { Controller } from '../client/controller.js';
import { selects, selectsAll } from '../../api/selectors.js';
import { replicaSets } from '../../api/types/apps/v1.js';
import { replicationControllers } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { ReplicaController } from './replicaController.js';

export function replicaSetController(environment: ManagerEnvironment): Controller {
  return new ReplicaController(environment, {
    type: replicaSets,
    queue: 'replicaset',
    workers: environment.options['concurrent-replicaset-syncs'],
    countsTerminating: true,
    selects: ({ spec }, pod) => selects(spec?.selector, pod.metadata.labels),
  });
}

export function replicationControllerController(environment: ManagerEnvironment): Controller {
  return new ReplicaController(environment, {
    type: replicationControllers,
    queue: 'replicationmanager',
    workers: environment.options['concurrent-rc-syncs'],
    countsTerminating: false,
    // An empty selector selects nothing; the server fills it from the template.
    selects: ({ spec }, pod) => Object.keys(spec?.selector ?? {}).length > 0 && selectsAll(spec?.selector, pod.metadata.labels),
  });
}
