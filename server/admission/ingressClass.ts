import { ensureObject } from '../../api/json/defaulting.js';
import { memberAt } from '../../api/json/members.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import { latestDefault } from './defaultClass.js';
import type { Lookup } from '../registry/lookup.js';

const classes = { group: 'networking.k8s.io', resource: 'ingressclasses' };
const olderAnnotation = 'kubernetes.io/ingress.class';

export const defaultIngressClass = (lookup: Lookup): AdmissionPlugin => ({
  name: 'DefaultIngressClass',
  resources: ['ingresses.networking.k8s.io'],
  async admit({ operation, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null) return;
    if (memberAt(object, 'spec', 'ingressClassName') != null || object.metadata.annotations?.[olderAnnotation] !== undefined) return;
    const found = latestDefault(await lookup.list(classes, null), ['ingressclass.kubernetes.io/is-default-class']);
    if (found !== null) ensureObject(object, 'spec')['ingressClassName'] = found.metadata.name ?? '';
  },
});
