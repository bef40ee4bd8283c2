import { printedAs, printedMetadata, specOf, type JsonObject, type Writable } from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { differenceOf } from '../../../registry/validation/difference.js';

type PodSpec = Writable<v1.PodSpec>;
type Ephemeral = Writable<v1.EphemeralContainer>;

/** The reference's format of pods, for the difference of an update. Host namespaces are internally part of the security context. */
export function printedPodSpec(spec: PodSpec): JsonObject {
  const { securityContext, hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } = spec;
  return printedAs('core.v1.PodSpec', {
    ...spec,
    securityContext: { ...securityContext, hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace },
  });
}

const printedEphemeral = (container: Ephemeral): JsonObject => printedAs('core.v1.EphemeralContainer', container);

/** Metadata is not a member of its own here. */
export const printedPodTemplate = (template: Writable<v1.PodTemplateSpec>): JsonObject => ({
  ...printedMetadata(template.metadata ?? {}),
  Spec: printedPodSpec(specOf(template)),
});

export const specDifference = (old: PodSpec, now: PodSpec): string => differenceOf(printedPodSpec(old), printedPodSpec(now));
export const ephemeralDifference = (old: Ephemeral, now: Ephemeral): string => differenceOf(printedEphemeral(old), printedEphemeral(now));
