import { type ApiClient, apiClient } from './api.ts';
import { startTestApp, type TestApp } from './app.ts';
import { openFreezingProxy, type ProxyMode } from './freezing-proxy.ts';
import { type ScriptedLlm, type Step, startScriptedLlm, toolCall } from './scripted-llm/index.ts';

/** An application whose LLM service fails on the test's command. */
export interface OutageSystem {
  app: TestApp;
  api: ApiClient;
  /** Resolves once the model has streamed half of `count` answers. */
  halfSaid(count: number): Promise<void>;
  /**
   * Makes the service fail while it streams. Resolves once the service is unavailable. @returns a function
   * that restores the service
   */
  strike(way: LlmOutage): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export const STRATEGIES = ['langchain', 'react'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The text of an alert or a question whose first answer stops half-way once. */
export const slowText = (kind: 'alert' | 'question', strategy: Strategy) =>
  `Wait for me: ${kind} ${strategy}`;
/** The final answer to the alert or question. */
export const conclusionOf = (name: string) => `All of ${name}.`;
/** An alert that the model answers at once. */
export const quickAlert = (strategy: Strategy) => `Ask me later: ${strategy}`;

interface State {
  llm: ScriptedLlm;
  proxy: Awaited<ReturnType<typeof openFreezingProxy>>;
  /** True if the service refuses calls. */
  isBusy: boolean;
}

const through =
  (mode: ProxyMode): Strike =>
  async ({ llm, proxy }) => {
    await proxy.set(mode);
    return async () => {
      await proxy.set('pass');
      llm.open('half'); // for calls that survived the outage and still wait at this gate
    };
  };

type Strike = (state: State) => Promise<() => Promise<void>>;

export const LLM_OUTAGES = {
  /** The process is killed with its state, and a new one starts. */
  killed: async (state) => {
    const { port } = state.llm;
    await state.llm.close();
    return async () => {
      state.llm = await startScriptedLlm({ port });
      scriptModel(state, new Set());
    };
  },
  /** Connections end and new ones are refused. */
  refused: through('refuse'),
  /** The service runs and refuses calls, or its provider fails. */
  busy: async (state) => {
    state.isBusy = true;
    await state.proxy.set('cut');
    return async () => {
      state.isBusy = false;
    };
  },
  /** Traffic stops, and all of it arrives when the outage ends. */
  frozen: through('held'),
  /** Traffic is lost, and neither side learns that the connection is dead. */
  lost: through('dead'),
} satisfies Record<string, Strike>;
export type LlmOutage = keyof typeof LLM_OUTAGES;

/**
 * Starts an application with two chains, `langchain` and `react`. A chain's name is also its alert type and
 * its agents' strategy.
 */
export async function startOutageSystem(
  options: {
    timeouts?: Record<string, string>;
    toolLog?: string;
    /** Starts the application; for tests that start it with a browser. */
    start?: (options: NonNullable<Parameters<typeof startTestApp>[0]>) => Promise<TestApp>;
  } = {},
): Promise<OutageSystem> {
  const llm = await startScriptedLlm();
  const state: State = { llm, proxy: await openFreezingProxy(`tcp://${llm.address}`), isBusy: false };
  scriptModel(
    state,
    new Set(STRATEGIES.flatMap((strategy) => [`alert ${strategy}`, `question ${strategy}`])),
  );
  const { start = startTestApp, toolLog } = options;
  const app = await start({
    llmAddress: new URL(state.proxy.url).host,
    ...(toolLog === undefined ? {} : { toolLog }),
    // Enough for the interrupted call, the tool call and the answer. Waiting does not count as an iteration.
    defaults: {
      max_iterations: 3,
      timeouts: { llm_first_token: '6s', llm_stall: '6s', ...options.timeouts },
    },
    chain: { iteration_strategy: 'langchain' },
    chains: {
      react: {
        alert_types: ['react'],
        iteration_strategy: 'react',
        stages: [{ name: 'investigation', agents: [{ name: 'TestAgent' }] }],
      },
    },
  });
  return {
    app,
    api: apiClient(app.url),
    halfSaid: (count) => state.llm.reached('half', count),
    strike: (way) => LLM_OUTAGES[way](state),
    async stop() {
      await state.proxy.set('pass');
      await app.stop();
      await state.proxy.close();
      await state.llm.close();
    },
  };
}

/**
 * Makes the model answer from the conversation alone, because requests in an outage may arrive late or twice.
 * The model first calls a tool that changes something, then concludes.
 * @param first texts whose first answer stops half-way
 */
function scriptModel(state: State, first: Set<string>): void {
  const busy = ['rate_limited', 'provider_unavailable'];
  let refusals = 0;
  state.llm.otherwise(({ messages }) => {
    const said = messages.map(({ content }) => content).join('\n');
    const asked = /Wait for me: (\w+ (\w+))/.exec(said);
    const strategy = (asked?.[2] ?? /Ask me later: (\w+)/.exec(said)?.[1]) as Strategy | undefined;
    if (strategy === undefined) return { text: 'In short.' }; // the executive summary
    const { call, end } = WORDS[strategy];
    if (state.isBusy) return { error: { code: busy[refusals++ % busy.length]!, retryable: true } };
    const name = asked?.[1];
    if (name === undefined) return end('The disk is full.');
    if (said.includes(`noted: ${name}`)) return end(conclusionOf(name));
    return first.delete(name)
      ? [{ thinking: 'Well' }, { gate: 'half', mutterMs: 200 }, ...call(name)]
      : call(name);
  });
}

const WORDS: Record<Strategy, { call: (text: string) => Step[]; end: (text: string) => Step }> = {
  langchain: {
    call: (text) => [{ text: 'Looking.' }, toolCall('tools.note', { text })],
    end: (text) => ({ text }),
  },
  react: {
    call: (text) => [
      { text: `Thought: look\nAction: tools.note\nAction Input: ${JSON.stringify({ text })}` },
    ],
    end: (text) => ({ text: `Thought: done\nFinal Answer: ${text}` }),
  },
};
