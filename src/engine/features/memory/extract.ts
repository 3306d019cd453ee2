import type { Logger } from 'pino';
import { z } from 'zod';
import { beginning } from '../../../common/truncate.ts';
import { type ResolvedLlm, withFallbacks } from '../../../config/resolve.ts';
import { resolveMemory } from '../../../config/resolve-calls.ts';
import type { Config } from '../../../config/types.ts';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import { MEMORY_CATEGORIES } from '../../../db/enums.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { Observer } from '../../api/observer.ts';
import { decodeRow } from '../../live/event-log.ts';
import { tryModels } from '../../model/availability/fallback.ts';
import type { ProviderAvailability } from '../../model/availability/provider-availability.ts';
import type { LlmClient } from '../../model/client.ts';
import { completeOnce } from '../../model/complete-once.ts';
import { describeError } from '../../model/errors.ts';
import type { LlmMessage } from '../../model/request.ts';
import { withoutNativeTools } from '../../model/settings.ts';
import { recordEndedSessionCall } from '../../store/interactions.ts';
import { openBudgets } from '../budgets/run-budgets.ts';
import { LEARN_SYSTEM_PROMPT, learnUserPrompt } from './prompts.ts';
import { type RecalledMemory, recall } from './recall.ts';
import {
  addLessons,
  adjustConfidence,
  hasLearnedFrom,
  type Lesson,
  MEMORY_MAX_LENGTH,
  type MemoryMasking,
  maskMemory,
} from './store.ts';

export interface LearnDeps {
  db: Queryable;
  transaction: Transaction;
  config: Config;
  client: LlmClient;
  masking: MemoryMasking;
  availability: ProviderAvailability;
  observer: Pick<Observer, 'metrics'>;
  logger: Logger;
}

type Ended = AlertSessionRow & { finalAnalysis: string };

/** Maximum number of stored memories in the prompt, among which the model finds those that equal a lesson. */
const MAX_KNOWN = 10;
const MAX_LESSONS = 5;
const EPISODE_UNITS = 600;

/**
 * Extracts lessons from an ended session and stores them as memories, once per session. If a budget is used
 * up or the provider is the offline one, the session's summary is the only lesson.
 * @param last true on the last attempt: if every model fails, the summary becomes the lesson instead of an
 * error
 */
export async function learn(deps: LearnDeps, sessionId: string, last: boolean): Promise<void> {
  const { db, transaction, config, logger } = deps;
  const { enabled, learnFrom } = config.defaults.memory;
  if (!enabled || (await hasLearnedFrom(db, sessionId))) return;
  const session = await readLearnable(db, sessionId, learnFrom);
  if (session === null) return;
  const { client, budgets } = await openBudgets(deps, session);
  const isOver = (await budgets?.read())?.some(({ share }) => share >= 1) ?? false;
  const lessons = isOver ? [episode(session)] : await lessonsOf({ ...deps, client }, session, last);
  const kept = lessons.flatMap((lesson) => {
    try {
      const content = beginning(maskMemory(deps.masking, lesson.content), MEMORY_MAX_LENGTH);
      return content === '' ? [] : [{ ...lesson, content }];
    } catch {
      return []; // drop a lesson that may contain a secret
    }
  });
  await transaction(async (tx) => {
    await tx.query('select 1 from alert_sessions where id = $1 for no key update', [sessionId]);
    const now = await readLearnable(tx, sessionId, learnFrom);
    if (now === null || (await hasLearnedFrom(tx, sessionId))) return;
    await addLessons(tx, session, now.rating ?? null, kept);
    await adjustConfidence(tx, new Map([[sessionId, now.rating ?? null]]), learnFrom);
    await tx.query('update alert_sessions set taught_at = now() where id = $1', [sessionId]);
  });
  logger.info({ sessionId, lessons: kept.length }, 'learned from a session');
}

/** Returns the session; `null` if it is deleted, lacks an analysis or a required rating, or is rated inaccurate. */
async function readLearnable(
  db: Queryable,
  sessionId: string,
  learnFrom: 'reviewed' | 'completed',
): Promise<Ended | null> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(s) - 'alert_data' || jsonb_build_object('alert_data', left(s.alert_data, 2000)) as row from alert_sessions s
     where id = $1 and deleted_at is null and final_analysis is not null and coalesce(rating, $2) in ('ACCURATE', 'PARTIALLY_ACCURATE')`,
    [sessionId, learnFrom === 'completed' ? 'ACCURATE' : ''],
  );
  return rows[0] ? decodeRow<Ended>(rows[0].row) : null;
}

async function lessonsOf(deps: LearnDeps, session: Ended, last: boolean): Promise<Lesson[]> {
  const chain = deps.config.chains[session.chainId];
  if (!chain || (await isByRules(deps, session.id))) return [episode(session)];
  const models = withFallbacks(deps.config, resolveMemory(deps.config, chain));
  const known = await recall(deps.db, {
    text: [session.title, session.alertType, session.finalAnalysis.slice(0, 2_000)].join('\n'),
    visibility: session.team ? [session.team] : [],
    limit: MAX_KNOWN,
    halfLifeDays: deps.config.defaults.memory.halfLifeDays,
  });
  const logger = deps.logger.child({ sessionId: session.id });
  const signal = AbortSignal.timeout(deps.config.defaults.timeouts.executiveSummaryMs);
  const read = await tryModels(
    { ...deps, models, signal, onFallback: ({ content }) => logger.warn(content) },
    async (model) => {
      if (model.backend === 'offline') return { lessons: [episode(session)] };
      try {
        return { lessons: readLessons(await ask(deps, { session, model, known, signal }), known) };
      } catch (error) {
        return { error };
      }
    },
  );
  if ('lessons' in read) return read.lessons;
  if (!last) throw read.error;
  logger.warn({ reason: describeError(read.error) }, 'no model extracted lessons, storing the summary');
  return [episode(session)];
}

/** Returns whether fixed rules alone investigated. A chain that ended without a model then asks no model for lessons. */
async function isByRules({ db, config }: LearnDeps, sessionId: string): Promise<boolean> {
  const { rows } = await db.query<{ provider: string }>(
    'select distinct llm_provider as provider from agent_executions where session_id = $1 and llm_provider is not null',
    [sessionId],
  );
  return rows.every(({ provider }) => config.llmProviders[provider]?.type === 'offline');
}

function episode({ title, alertType, executiveSummary, finalAnalysis, actionTaken }: Ended): Lesson {
  const summary = plain(executiveSummary || finalAnalysis);
  const done = actionTaken ? ` Action taken: ${plain(actionTaken)}` : '';
  const content = `${title ?? alertType}: ${beginning(summary, EPISODE_UNITS)}${beginning(done, 300)}`;
  return { category: 'EPISODIC', content, sameAs: null };
}

function plain(text: string): string {
  return text
    .slice(0, 8_000)
    .replace(/^[\s>#*-]+|\*\*|`+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

interface LessonRequest {
  session: Ended;
  model: ResolvedLlm;
  known: readonly RecalledMemory[];
  signal: AbortSignal;
}

/**
 * Asks a model for the lessons and records the call with the session, although no worker runs the session any
 * more.
 */
async function ask(
  { db, client }: LearnDeps,
  { session, model, known, signal }: LessonRequest,
): Promise<string> {
  const messages: LlmMessage[] = [
    { role: 'SYSTEM', content: LEARN_SYSTEM_PROMPT },
    { role: 'USER', content: learnUserPrompt(session, known) },
  ];
  const { text } = await completeOnce({
    client,
    request: {
      purpose: 'MEMORY',
      sessionId: session.id,
      executionId: `${session.id}:memory`,
      llm: withoutNativeTools(model),
      tools: [],
    },
    messages,
    signal,
    traceRequest: () => ({ messages }),
    record: (record) => recordEndedSessionCall(db, session.id, record),
  });
  return text;
}

const ANSWER = z.object({
  lessons: z.array(
    z.object({
      category: z.enum(MEMORY_CATEGORIES),
      content: z.string().trim().min(1),
      same_as: z.number().int().nullish(),
    }),
  ),
});

function readLessons(text: string, known: readonly Pick<RecalledMemory, 'id'>[]): Lesson[] {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  let answer: z.output<typeof ANSWER>;
  try {
    answer = ANSWER.parse(JSON.parse(json));
  } catch {
    throw new Error('The model’s answer is not the JSON that was asked for.');
  }
  return answer.lessons.slice(0, MAX_LESSONS).map(({ category, content, same_as }) => ({
    category,
    content,
    sameAs: known[(same_as ?? 0) - 1]?.id ?? null,
  }));
}
