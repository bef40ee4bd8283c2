import { groupMasters } from '../../program/authentication/authenticator.js';
import type { Authorizer, Decision } from './authorizer.js';

const allow: Decision = { decision: 'allow', reason: '' };
const silence: Decision = { decision: 'noOpinion', reason: '' };

export const alwaysAllow: Authorizer = () => allow;
export const alwaysDeny: Authorizer = () => ({ decision: 'noOpinion', reason: 'Everything is forbidden.' });
/** Independent of all rules, so that a broken rule set can be repaired. */
export const masters: Authorizer = ({ user }) => (user.groups.includes(groupMasters) ? allow : silence);
