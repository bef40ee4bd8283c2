import { type Secret, secrets } from '../../api/types/core/v1.js';
import { Informer } from '../client/informer.js';
import type { ManagerEnvironment } from '../environment.js';
import { tokenNamespace, tokenType } from './tokens.js';
import { errorText } from '../../api/errorText.js';

export const tokenSecrets = ({ watchApi, clock, random, log }: ManagerEnvironment): Informer<Secret> =>
  new Informer({
    api: watchApi,
    clock,
    random,
    type: secrets,
    namespace: tokenNamespace,
    fieldSelector: `type=${tokenType}`,
    onError: (error) => log('error', `watch of bootstrap tokens: ${errorText(error)}`),
  });
