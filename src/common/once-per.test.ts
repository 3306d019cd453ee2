import { expect, it } from 'vitest';
import { oncePer } from './once-per.ts';

it('computes once per object, even for equal objects', () => {
  let made = 0;
  const of = oncePer(({ name }: { name: string }) => {
    made += 1;
    return name === '' ? undefined : name.toUpperCase();
  });
  const [one, same, nameless] = [{ name: 'one' }, { name: 'one' }, { name: '' }];
  for (let times = 0; times < 3; times++)
    expect([one, same, nameless, { name: 'other' }].map(of)).toEqual(['ONE', 'ONE', undefined, 'OTHER']);
  expect(made).toBe(3 + 3);
});
