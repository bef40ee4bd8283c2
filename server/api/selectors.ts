export type { FieldRequirement, FieldSelector, LabelRequirement, LabelSelector } from './selectors/selector.js';
export type { Parsed } from './selectors/parsed.js';
export { matchesFields, matchesLabels } from './selectors/match.js';
export { formatLabelSelector, parseLabelSelector } from './selectors/labels.js';
export { formatFieldSelector, parseFieldSelector } from './selectors/fields.js';
export { labelSelectorOf, matchesNothing, type LabelSelectorObject } from './selectors/labelSelectorObject.js';
