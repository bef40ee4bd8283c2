export { CommandOperator, type CommandTerms } from './operator.js';
export { readPlan, writePlan } from './planFile.js';
export { reportText, summaryOf, titleOf } from './report.js';
export { readScenario } from './scenario.js';
