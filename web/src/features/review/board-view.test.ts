import { expect, test } from 'vitest';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import {
  boardVariables,
  countFilters,
  formatBoard,
  groupCards,
  parseBoard,
  withoutFilters,
} from './board-view.ts';

const of = (address: string) => parseBoard(new URLSearchParams(address));
const SIZES = { running: 25, waiting: 50, begun: 25, done: 100 };

test('a view round-trips through the URL', () => {
  const address =
    'q=disk&severity=critical&type=a&type=b&verdict=no_action&reviewer=ana&rating=inaccurate&within=7d&group=type&column=done';
  expect(formatBoard(of(address)).toString()).toBe(address);
  expect(formatBoard(of('')).toString()).toBe('');
});

test('invalid values in the URL are ignored', () => {
  expect(
    formatBoard(of('severity=dreadful&rating=10&within=ever&group=toString&column=__proto__')).toString(),
  ).toBe('');
});

test('filters are counted and removed; the grouping stays', () => {
  const view = of('q=di&severity=critical&reviewer=ana&within=7d&group=severity&column=begun');
  expect(countFilters(view)).toBe(3); // a search text of two letters is too short
  expect(formatBoard(withoutFilters(view)).toString()).toBe('group=severity&column=begun');
});

test('reviewer and rating filter only the columns that have them', () => {
  const asked = boardVariables(
    of('q=full&reviewer=ana&rating=accurate&within=1h'),
    SIZES,
    Date.UTC(2026, 0, 1),
  );
  const common = { search: 'full', createdAfter: '2025-12-31T23:00:00.000Z' };
  expect(asked.waiting).toMatchObject({ ...common, reviewStatus: ['NEEDS_REVIEW'] });
  expect(asked.waiting).not.toHaveProperty('assignee');
  expect(asked.begun).toMatchObject({ ...common, reviewStatus: ['IN_PROGRESS'], assignee: ['ana'] });
  expect(asked.begun).not.toHaveProperty('rating');
  expect(asked.done).toMatchObject({ reviewStatus: ['REVIEWED'], assignee: ['ana'], rating: ['ACCURATE'] });
  expect(asked).toMatchObject({ firstRunning: 25, firstWaiting: 50, firstBegun: 25, firstDone: 100 });
});

test('cards are grouped in their order, severities worst first', () => {
  const card = (id: string, alertType: string, severity: string) =>
    ({ id, alertType, severity }) as BoardCardFragment;
  const cards = [card('1', 'b', 'INFO'), card('2', 'a', 'CRITICAL'), card('3', 'b', 'CRITICAL')];
  const shape = (by: 'type' | 'severity') =>
    groupCards(cards, by).map(({ name, cards: own }) => `${name}: ${own.map(({ id }) => id).join(' ')}`);
  expect(shape('type')).toEqual(['b: 1 3', 'a: 2']);
  expect(shape('severity')).toEqual(['CRITICAL: 2 3', 'INFO: 1']);
});
