import { expect, it } from 'vitest';
import { parseFieldPath } from './field-path.ts';

it.each([
  ['$', []],
  ['$.a.b-c', ['a', 'b-c']],
  ['$[0][12]', [0, 12]],
  [`$["k8s.io/x"]['it\\'s']`, ['k8s.io/x', "it's"]],
  ['$.items[*].alerts[*]', ['items', '*', 'alerts', '*']],
])('%s is a path', (written, path) => {
  expect(parseFieldPath(written)).toEqual(path);
});

it.each(['', 'a', '.a', '$a', '$.', '$..a', '$[', '$[-1]', '$[a]', '$.a b', '$[?(@.x)]', '$["a'])(
  '%s is none',
  (written) => {
    expect(parseFieldPath(written)).toBeNull();
  },
);
