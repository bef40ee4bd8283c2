import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { andThen, invalid, members, nonZero, optional, required, type Rule } from '../language.js';
import { simplePath } from './columns.js';

const below = (place: string, ...prefixes: readonly string[]): Rule<string> =>
  andThen<string>(simplePath, (text, path) =>
    prefixes.some((prefix) => text.startsWith(prefix)) ? [] : [invalid(path, text, `should be a json path under ${place}`)],
  );

export const subresources = members<v1.CustomResourceSubresources>({
  scale: optional(
    members<v1.CustomResourceSubresourceScale>({
      specReplicasPath: required(below('.spec', '.spec.')),
      statusReplicasPath: required(below('.status', '.status.')),
      labelSelectorPath: nonZero(below('either .spec or .status', '.spec.', '.status.')),
    }),
  ),
});
