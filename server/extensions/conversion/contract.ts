import type { ApiObject, JsonObject } from '../../../api/object.js';

/**
 * How objects of one custom resource get from one of its versions to another. There is one converter for a definition, made anew when the
 * definition's conversion changes.
 */
export interface Converter {
  /**
   * The objects in another version, in the same order. Each object names its `apiVersion` and `kind`; they may be of several versions, and those that are of
   * `apiVersion` already come back as they are. The objects belong to the converter, which may change and reuse them. What comes back names
   * `apiVersion` and `kind`, and has the metadata that it had except for labels and annotations. Rejects with StatusError for what the client is to see
   * (a webhook that cannot be reached or answers nonsense: 500, as the reference words it).
   */
  convert(objects: ApiObject[], apiVersion: string, signal?: AbortSignal): Promise<ApiObject[]>;
  /** Lets go of connections. Conversions under way may still finish. */
  close(): void;
}

/** What a definition says of the program that converts its objects: `spec.conversion.webhook`, as stored (validated, with defaults). */
export interface ConversionWebhook {
  /** `metadata.name` of the definition, for messages and metrics. */
  readonly definition: string;
  readonly group: string;
  readonly kind: string;
  /** `spec.conversion.webhook.clientConfig`: url or service, caBundle in base64. */
  readonly clientConfig: JsonObject;
  /** Versions of ConversionReview that the program understands, the one it likes best first. */
  readonly conversionReviewVersions: readonly string[];
}

/** Makes converters that ask a webhook. */
export type WebhookConverters = (webhook: ConversionWebhook) => Converter;
