export type Wellness = 'well' | 'unwell' | '';

const goodWords = /^(?:Running|Active|Ready|Bound|Complete|Completed|Succeeded|Available|Established|True)$/;
const badWords = /(?:Error|Err[A-Z]|BackOff|Failed|Evicted|Unknown|NotReady|Lost|OOMKilled)/;

export const wellnessOf = (text: string): Wellness => (goodWords.test(text) ? 'well' : badWords.test(text) ? 'unwell' : '');
