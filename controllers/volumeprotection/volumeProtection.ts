import { type PersistentVolume, persistentVolumes } from '../../api/types/core/v1.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { guard } from './finalizers.js';

const isBound = ({ status }: PersistentVolume): boolean => status?.phase === 'Bound';

/** Removes the finalizer of deleted volumes without a claim. */
export const volumeProtectionController = (environment: ManagerEnvironment): Controller =>
  guard(environment, { name: 'pvprotection', type: persistentVolumes, finalizer: 'kubernetes.io/pv-protection', isUsed: isBound });
