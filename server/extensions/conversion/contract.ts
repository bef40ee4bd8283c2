import type { ApiObject, JsonObject } from '../../../api/object.js';

/** Converts objects of a custom resource between versions. Each definition has one, replaced when its conversion changes. */
export interface Converter {
  /**
   * Returns the objects in another version, in order. They name their `apiVersion` and `kind`, may be of several versions, and belong to the converter; those
   * already in `apiVersion` are returned unchanged. Results keep their metadata except labels and annotations. Rejects with StatusError (500 in the
   * reference's words for an unreachable webhook or an invalid response).
   */
  convert(objects: ApiObject[], apiVersion: string, signal?: AbortSignal): Promise<ApiObject[]>;
  /** Releases connections. Conversions in progress may finish. */
  close(): void;
}

/** `spec.conversion.webhook` of a definition, as stored (validated, with defaults). */
export interface ConversionWebhook {
  /** `metadata.name`, for messages and metrics. */
  readonly definition: string;
  readonly group: string;
  readonly kind: string;
  /** Url or service, and caBundle in base64. */
  readonly clientConfig: JsonObject;
  /** Supported ConversionReview versions, the preferred one first. */
  readonly conversionReviewVersions: readonly string[];
}

export type WebhookConverters = (webhook: ConversionWebhook) => Converter;
