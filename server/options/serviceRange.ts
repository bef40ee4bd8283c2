export const defaultServiceRange = '10.0.0.0/24';
