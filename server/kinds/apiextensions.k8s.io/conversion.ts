import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { client } from '../admissionregistration.k8s.io/clients.js';
import {
  all,
  completed,
  dns1035LabelName,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  keepable,
  members,
  missing,
  oneOf,
  optional,
  repeats,
  required,
  requiredPointerAs,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../language.js';

/** Paths are those of an older form, without `webhook`. */

const reviewVersions = ['v1', 'v1beta1'];
const misplaced = 'should not be set when strategy is not set to Webhook';

const configuration = requiredPointerAs('required when strategy is set to Webhook', client);

export const conversionDefaults = all<Writable<v1.CustomResourceConversion>>(
  members<v1.CustomResourceConversion>({ webhook: members<v1.WebhookConversion>({ clientConfig: client }) }),
  completed(dropNothing),
);

/** The internal form has the webhook's members alone, so a webhook without any is absent (apiextensions/v1/conversion.go). */
function dropNothing(conversion: Writable<v1.CustomResourceConversion>): void {
  const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
  if (!isSet(clientConfig) && !isSet(conversionReviewVersions)) delete conversion.webhook;
}

const strategyRule = members<v1.CustomResourceConversion>({ strategy: required(oneOf('None', 'Webhook')) });

export const conversion = optional((conversion: Writable<v1.CustomResourceConversion>, path: Path): Found => {
  const { strategy, webhook } = conversion;
  const config = webhook?.clientConfig;
  const versions = itemsOf(webhook?.conversionReviewVersions);
  const [clientPath, versionsPath] = [path.child('webhookClientConfig'), path.child('conversionReviewVersions')];
  return inOrder(
    strategyRule(conversion, path, null),
    ...(strategy === 'Webhook'
      ? [configuration(config, clientPath, webhook), validateReviewVersions(versions, versionsPath)]
      : [isSet(config) ? [forbidden(clientPath, misplaced)] : [], versions.length === 0 ? [] : [forbidden(versionsPath, misplaced)]]),
  );
});

function validateReviewVersions(versions: readonly string[], path: Path): FieldError[] {
  if (versions.length === 0) return [missing(path, '')];
  const isRepeated = repeats(versions);
  return [
    ...versions.flatMap((version, position) =>
      isRepeated(position)
        ? [invalid(path.index(position), version, 'duplicate version')]
        : dns1035LabelName(version, false).map((text) => invalid(path.index(position), version, text)),
    ),
    ...(versions.some((version) => reviewVersions.includes(version))
      ? []
      : keepable('versions of reviews', [invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)])),
  ];
}
