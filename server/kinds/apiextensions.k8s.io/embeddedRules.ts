import type { Cause, EmbeddedRules } from '../../../workers/schema/custom/contract.js';
import { dns1035LabelName, inOneGo, outcomeOf, pathSegmentName, type ObjectMeta } from '../language.js';
import { validateMetadata } from '../../registry/validation/metadata.js';

/** Their metadata is checked like any object's, without a name. */
export const embeddedRules: EmbeddedRules = {
  kind(kind) {
    const problems = dns1035LabelName(kind.toLowerCase(), false);
    return problems.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
  },
  metadata(metadata, path) {
    const meta = metadata as ObjectMeta;
    const named = { ...meta, name: (meta.name ?? '') === '' ? 'any' : meta.name } as ObjectMeta;
    const findings = inOneGo(outcomeOf(validateMetadata(named, { namespaced: (meta.namespace ?? '') !== '', nameRule: pathSegmentName })));
    return findings.map(({ type, path: at, message }) => ({ type, path: at.replace(/^metadata/, () => path), message }) as Cause);
  },
};
