import { forbidden } from '../../api/status.js';
import type { AdmissionPlugin } from '../registry/admission.js';

export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', resources: null };

/** Refuses every request, for tests. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  resources: null,
  connects: true,
  admit: refuse,
  validate: refuse,
};

function refuse({ resource, name }: Parameters<NonNullable<AdmissionPlugin['admit']>>[0]): never {
  throw forbidden(resource.storage, name, 'admission control is denying all modifications');
}
