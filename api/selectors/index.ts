export type { FieldRequirement, FieldSelector, LabelRequirement, LabelSelector } from './selector.js';
export { matchesFields, matchesLabels } from './match.js';
export { formatLabelSelector, parseLabelSelector } from './labels.js';
export { formatFieldSelector, parseFieldSelector } from './fields.js';
export { labelSelectorOf, matchesNothing, type LabelSelectorObject } from './labelSelectorObject.js';
