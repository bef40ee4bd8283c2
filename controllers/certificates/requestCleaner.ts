import { certificateSigningRequests } from '../../api/types/certificates/v1.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { cleaner } from './cleaner.js';
import { staleness } from './requestState.js';

const lookEveryMs = 3_600_000;

export const requestCleaner = (environment: ManagerEnvironment): Controller =>
  cleaner(environment, {
    name: 'csrcleaner',
    type: certificateSigningRequests,
    lookEveryMs,
    isOver: (request, now) => staleness(request, now) !== null,
  });
