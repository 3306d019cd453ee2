import { useRef, useState } from 'react';
import { useClient } from 'urql';
import { errorText } from '../../components/notice.tsx';
import { useViewer } from '../../components/use-viewer.ts';
import { type BoardCardFragment, ReviewOnBoardDocument } from '../../graphql/gen/documents.ts';
import { type BoardAct, changeOf, standing, wayBack } from './board-action.ts';
import { RATINGS } from './review-labels.ts';
import type { ReviewChange } from './use-review.ts';

/** Maximum number of sessions per request, as in the API. */
const MOST_AT_ONCE = 50;

/** The result of the last action. */
export interface Outcome {
  readonly text: string;
  /** Distinct reasons for refusals. */
  readonly refusals: readonly string[];
  /** `null` if nothing can be undone. */
  readonly undo: (() => Promise<void>) | null;
}

/** Ids of the changed sessions, and the reasons for refusing the others. */
interface Acted {
  readonly done: ReadonlySet<string>;
  readonly refusals: readonly string[];
}

interface Step {
  readonly ids: readonly string[];
  readonly change: ReviewChange;
}
type Answer = { readonly review: BoardCardFragment['review'] } | { readonly refusal: string };

/** Provides actions on the reviews of several sessions, and an undo of the last one. */
export function useBoardChanges(cards: readonly BoardCardFragment[], reread: () => Promise<void>) {
  const client = useClient();
  const viewer = useViewer();
  // Without sign-in, all viewers are the same person.
  const isMe = (name: string | null): boolean => viewer === null || viewer.name === name;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const now = useRef(cards);
  now.current = cards;

  const send = async ({ ids, change }: Step): Promise<Map<string, Answer>> => {
    const answers = new Map<string, Answer>();
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
      const sessionIds = ids.slice(from, from + MOST_AT_ONCE);
      const { data, error } = await client
        .mutation(ReviewOnBoardDocument, { input: { sessionIds, ...change } })
        .toPromise();
      for (const [index, id] of sessionIds.entries()) {
        const result = data?.reviewSessions[index];
        if (result?.__typename === 'ReviewSessionSuccess') answers.set(id, { review: result.session.review });
        else
          answers.set(id, {
            refusal: result?.message ?? (error === undefined ? 'It was not done.' : errorText(error)),
          });
      }
    }
    return answers;
  };
  const sendAll = async (steps: readonly Step[]): Promise<Map<string, Answer>> => {
    const all = new Map<string, Answer>();
    for (const step of steps) {
      // A session that refused one step gets no further ones.
      const ids = step.ids.filter((id) => !isRefused(all.get(id)));
      for (const [id, answer] of await send({ ...step, ids })) all.set(id, answer);
    }
    return all;
  };
  const during = async (work: () => Promise<Outcome>): Promise<void> => {
    setBusy(true);
    try {
      const next = await work();
      await reread();
      setOutcome(next);
    } finally {
      setBusy(false);
    }
  };

  const act = async (chosen: readonly BoardCardFragment[], what: BoardAct): Promise<Acted> => {
    let acted: Acted = { done: new Set(), refusals: [] };
    await during(async () => {
      const answers = await sendAll(
        together(chosen.map((card) => ({ id: card.id, change: changeOf(card, what) }))),
      );
      const done = chosen.filter(({ id }) => !isRefused(answers.get(id)));
      const refusals = refusalsOf(answers);
      acted = { done: new Set(done.map(({ id }) => id)), refusals };
      const left = new Map(done.map(({ id }) => [id, standing(reviewIn(answers.get(id)))]));
      const ways = done.flatMap((card) => {
        const way = wayBack(card, what, isMe);
        return way === null ? [] : [{ id: card.id, way }];
      });
      const undo = (): Promise<void> =>
        during(async () => {
          const same = ways.filter(({ id }) => {
            const card = now.current.find((each) => each.id === id);
            return card === undefined || standing(card.review) === left.get(id);
          });
          const back = await sendAll([
            ...together(same.map(({ id, way }) => ({ id, change: way[0]! }))),
            ...together(
              same.flatMap(({ id, way }) => (way[1] === undefined ? [] : [{ id, change: way[1] }])),
            ),
          ]);
          const undone = same.filter(({ id }) => !isRefused(back.get(id))).length;
          const changed = ways.length - same.length;
          return {
            text: `${reviews(undone)} as before.`,
            refusals: [
              ...refusalsOf(back),
              ...(changed === 0 ? [] : [`${reviews(changed)} left as somebody changed it since.`]),
            ],
            undo: null,
          };
        });
      return {
        text: `${reviews(done.length)} ${said(what)}.`,
        refusals,
        undo: ways.length === 0 ? null : undo,
      };
    });
    return acted;
  };
  return { act, outcome, busy, dismiss: () => setOutcome(null) };
}

const isRefused = (answer: Answer | undefined): boolean => answer !== undefined && 'refusal' in answer;
const reviewIn = (answer: Answer | undefined): BoardCardFragment['review'] =>
  answer !== undefined && 'review' in answer ? answer.review : null;
const refusalsOf = (answers: ReadonlyMap<string, Answer>): readonly string[] => [
  ...new Set([...answers.values()].flatMap((answer) => ('refusal' in answer ? [answer.refusal] : []))),
];

/** Groups equal changes into one step. */
function together(asked: readonly { id: string; change: ReviewChange }[]): readonly Step[] {
  const groups = Map.groupBy(asked, ({ change }) => JSON.stringify(change));
  return [...groups.values()].map((group) => ({ ids: group.map(({ id }) => id), change: group[0]!.change }));
}

const reviews = (count: number): string => (count === 1 ? '1 review' : `${count} reviews`);

function said(what: BoardAct): string {
  switch (what.kind) {
    case 'CLAIM':
      return 'taken';
    case 'UNCLAIM':
      return 'released';
    case 'ACKNOWLEDGE':
      return 'closed without a rating';
    case 'REOPEN':
      return 'reopened';
    case 'RATE':
      return `rated: ${RATINGS[what.rating].label}`;
  }
}
