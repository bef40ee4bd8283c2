/** How an operation answers. `stream`: an object, or a stream of events. `any`: whatever the target of a connection says. */
export type Answer = 'object' | 'stream' | 'text' | 'any';

/** Media types of requests and answers, as documents tell them. */
const objects = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const;

export const answerMediaTypes: Readonly<Record<Answer, readonly string[]>> = {
  object: objects,
  stream: [...objects, ...streams],
  text: ['text/plain'],
  any: ['*/*'],
};

export const strategic = 'application/strategic-merge-patch+json';
export const patchMediaTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  strategic,
  'application/apply-patch+yaml',
] as const;

export const anyMediaType = '*/*';
