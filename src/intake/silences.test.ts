import { expect, test } from 'vitest';
import { checkMatchers } from './silences.ts';

test.each(['a=""', 'a=~".*"', 'a=~"x*"', 'a=~"(.*)"', 'a=~"|x"', 'a=~""', 'a!="x"', 'a!~"x"', 'a!=""'])(
  'a silence of %s alone would cover nearly everything',
  (matcher) => {
    expect(() => checkMatchers([matcher])).toThrow(/nearly everything/);
    expect(() => checkMatchers([matcher, 'host="db-1"'])).not.toThrow();
  },
);

test.each(['a="x"', 'a=~".+"', 'a=~"x|y"'])('a silence of %s is accepted', (matcher) => {
  expect(() => checkMatchers([matcher])).not.toThrow();
});
