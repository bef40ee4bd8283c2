import type { Area } from '../area.js';
import { deployment, replicaSet, replicationController, statefulSet, daemonSet, job, cronJob } from './controllers/workloads.js';
import { endpoints, mirrored } from './controllers/services.js';
import { budget, counted, tainted, autoscaled } from './controllers/pods.js';
import { owners, ending } from './controllers/ownership.js';
import { volumes, claimed } from './controllers/storage.js';
import { accounts, aggregated } from './controllers/accounts.js';

/** The final state after controllers, with a simulated kubelet. */
export const controllers: Area = {
  name: 'controllers',
  about: 'state after quiescence of workloads, endpoints, budgets, claims, quotas, owners and namespaces (needs controllers on both sides)',
  needsControllers: true,
  generate: (random) => random.pick(scenarios)(random),
};

const scenarios = [
  ...[deployment, deployment, replicaSet, replicationController, statefulSet, statefulSet, daemonSet, job, job, cronJob],
  ...[endpoints, endpoints, mirrored, budget, owners, owners, volumes, ending, counted],
  ...[tainted, autoscaled, claimed, accounts, aggregated],
];
