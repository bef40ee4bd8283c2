import { mutatingAdmissionPolicyBindings, validatingAdmissionPolicyBindings } from '../kinds/admissionregistration.k8s.io/bindings.js';
import { mutatingAdmissionPolicies, validatingAdmissionPolicies } from '../kinds/admissionregistration.k8s.io/policies.js';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../kinds/admissionregistration.k8s.io/webhookConfigurations.js';
import { customResourceDefinitions } from '../kinds/apiextensions.k8s.io/definitions.js';
import { apiServices } from '../kinds/apiregistration.k8s.io/apiServices.js';
import { clusterTrustBundles } from '../kinds/certificates.k8s.io/clusterTrustBundles.js';
import { certificateSigningRequests } from '../kinds/certificates.k8s.io/requests.js';
import { leases } from '../kinds/coordination.k8s.io/leases.js';
import { flowSchemas } from '../kinds/flowcontrol.apiserver.k8s.io/flowSchemas.js';
import { priorityLevels } from '../kinds/flowcontrol.apiserver.k8s.io/priorityLevels.js';
import { ingressClasses } from '../kinds/networking.k8s.io/ingressClasses.js';
import { ingresses } from '../kinds/networking.k8s.io/ingresses.js';
import { ipAddresses } from '../kinds/networking.k8s.io/ipAddresses.js';
import { networkPolicies } from '../kinds/networking.k8s.io/networkPolicies.js';
import { serviceCidrs } from '../kinds/networking.k8s.io/serviceCidrs.js';
import { runtimeClasses } from '../kinds/node.k8s.io/runtimeClasses.js';
import { clusterRoleBindings, roleBindings } from '../kinds/rbac.authorization.k8s.io/bindings.js';
import { clusterRoles, roles } from '../kinds/rbac.authorization.k8s.io/roles.js';
import { resourceClaims } from '../kinds/resource.k8s.io/claims.js';
import { resourceClaimTemplates } from '../kinds/resource.k8s.io/claimTemplates.js';
import { deviceClasses } from '../kinds/resource.k8s.io/deviceClasses.js';
import { resourceSlices } from '../kinds/resource.k8s.io/resourceSlices.js';
import { priorityClasses } from '../kinds/scheduling.k8s.io/priorityClasses.js';
import { csiDrivers } from '../kinds/storage.k8s.io/csiDrivers.js';
import { csiNodes } from '../kinds/storage.k8s.io/csiNodes.js';
import { csiStorageCapacities } from '../kinds/storage.k8s.io/csiStorageCapacities.js';
import { storageClasses } from '../kinds/storage.k8s.io/storageClasses.js';
import { volumeAttachments } from '../kinds/storage.k8s.io/volumeAttachments.js';
import { volumeAttributesClasses } from '../kinds/storage.k8s.io/volumeAttributesClasses.js';
import type { Strategy } from './strategy.js';

/** Strategies of the kinds that say how the cluster behaves rather than what runs in it. Keys as in `strategies.ts`, whose table they are part of. */
export const configurationStrategies: Readonly<Record<string, Strategy>> = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingAdmissionPolicies,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': mutatingAdmissionPolicyBindings,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingWebhookConfigurations,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingAdmissionPolicies,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingAdmissionPolicyBindings,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingWebhookConfigurations,
  'customresourcedefinitions.apiextensions.k8s.io': customResourceDefinitions,
  'apiservices.apiregistration.k8s.io': apiServices,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequests,
  'clustertrustbundles.certificates.k8s.io': clusterTrustBundles,
  'leases.coordination.k8s.io': leases,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemas,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevels,
  'ingressclasses.networking.k8s.io': ingressClasses,
  'ingresses.networking.k8s.io': ingresses,
  'ipaddresses.networking.k8s.io': ipAddresses,
  'networkpolicies.networking.k8s.io': networkPolicies,
  'servicecidrs.networking.k8s.io': serviceCidrs,
  'runtimeclasses.node.k8s.io': runtimeClasses,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindings,
  'clusterroles.rbac.authorization.k8s.io': clusterRoles,
  'rolebindings.rbac.authorization.k8s.io': roleBindings,
  'roles.rbac.authorization.k8s.io': roles,
  'deviceclasses.resource.k8s.io': deviceClasses,
  'resourceclaims.resource.k8s.io': resourceClaims,
  'resourceclaimtemplates.resource.k8s.io': resourceClaimTemplates,
  'resourceslices.resource.k8s.io': resourceSlices,
  'priorityclasses.scheduling.k8s.io': priorityClasses,
  'csidrivers.storage.k8s.io': csiDrivers,
  'csinodes.storage.k8s.io': csiNodes,
  'csistoragecapacities.storage.k8s.io': csiStorageCapacities,
  'storageclasses.storage.k8s.io': storageClasses,
  'volumeattachments.storage.k8s.io': volumeAttachments,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClasses,
};
