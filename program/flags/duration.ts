/** Options are given in the durations that objects have, too. */
export * from '../../api/duration.js';
