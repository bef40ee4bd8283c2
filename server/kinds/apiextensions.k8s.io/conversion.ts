import type { JsonObject } from '../../../api/object.js';
import { validateClient } from '../admissionregistration.k8s.io/clients.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, keepable, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { dns1035LabelName } from '../../registry/validation/names.js';
import { oneOf } from '../../registry/validation/values.js';
import { repeats } from '../../registry/validation/repeats.js';

/** Paths are those of an older form, without `webhook`. */

const reviewVersions = ['v1', 'v1beta1'];
const misplaced = 'should not be set when strategy is not set to Webhook';

export function validateConversion(conversion: JsonObject, path: Path): FieldError[] {
  const strategy = textAt(conversion, 'strategy');
  const webhook = objectAt(conversion, 'webhook') ?? {};
  const client = objectAt(webhook, 'clientConfig');
  const versions = itemsOf(webhook['conversionReviewVersions']).map(String);
  const [clientPath, versionsPath] = [path.child('webhookClientConfig'), path.child('conversionReviewVersions')];
  const findings = oneOf(strategy, ['None', 'Webhook'], path.child('strategy'));
  if (strategy === 'Webhook') {
    return [
      ...findings,
      ...(client === null ? [required(clientPath, 'required when strategy is set to Webhook')] : validateClient(client, clientPath)),
      ...validateReviewVersions(versions, versionsPath),
    ];
  }
  return [
    ...findings,
    ...(client === null ? [] : [forbidden(clientPath, misplaced)]),
    ...(versions.length === 0 ? [] : [forbidden(versionsPath, misplaced)]),
  ];
}

function validateReviewVersions(versions: readonly string[], path: Path): FieldError[] {
  if (versions.length === 0) return [required(path, '')];
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
