import { type ApiClient, apiClient } from './api.ts';
import { startTestApp, type TestApp } from './app.ts';
import { openFreezingProxy, type ProxyMode } from './freezing-proxy.ts';
import { type ScriptedLlm, type Step, startScriptedLlm, toolCall } from './scripted-llm/index.ts';

/** An application whose LLM service goes away when the test says so. */
export interface OutageSystem {
  app: TestApp;
  api: ApiClient;
  /** Resolves when so many answers are half said. */
  halfSaid(count: number): Promise<void>;
  /** Takes the service away, in the middle of what it says; resolves when it is gone. @returns how to bring it back */
  strike(way: Way): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export const STRATEGIES = ['langchain', 'react'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** An alert or a question whose first answer stops half-way, once. */
export const slow = (kind: 'alert' | 'question', strategy: Strategy) => `Wait for me: ${kind} ${strategy}`;
/** What is concluded in the end, of one of both. */
export const conclusion = (name: string) => `All of ${name}.`;
/** An alert that is answered at once. */
export const quick = (strategy: Strategy) => `Ask me later: ${strategy}`;

interface State {
  llm: ScriptedLlm;
  proxy: Awaited<ReturnType<typeof openFreezingProxy>>;
  /** Whoever calls is refused. */
  isBusy: boolean;
}

const through =
  (mode: ProxyMode): Strike =>
  async ({ llm, proxy }) => {
    await proxy.set(mode);
    return async () => {
      await proxy.set('pass');
      llm.open('half'); // for calls that lived through it
    };
  };

type Strike = (state: State) => Promise<() => Promise<void>>;

export const WAYS = {
  /** The process is gone, with all that it knew; another one comes. */
  killed: async (state) => {
    const { port } = state.llm;
    await state.llm.close();
    return async () => {
      state.llm = await startScriptedLlm({ port });
      scriptModel(state, new Set());
    };
  },
  /** Connections end, and nobody listens. */
  refused: through('refuse'),
  /** It is there and takes no calls, or its provider fails. */
  busy: async (state) => {
    state.isBusy = true;
    await state.proxy.set('cut');
    return async () => {
      state.isBusy = false;
    };
  },
  /** Nothing moves; in the end all of it arrives. */
  frozen: through('held'),
  /** Nothing arrives, and nobody says that the connection is dead. */
  lost: through('dead'),
} satisfies Record<string, Strike>;
export type Way = keyof typeof WAYS;

/** Two chains, `langchain` and `react`, named for the strategy of all their agents and for their alert type. */
export async function startOutageSystem(
  options: {
    timeouts?: Record<string, string>;
    toolLog?: string;
    /** Takes the place of the application, as one with a browser. */
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
    // What was cut off, the tool, the answer: waiting is none of them.
    defaults: {
      max_iterations: 3,
      timeouts: { llm_first_token: '3s', llm_stall: '3s', ...options.timeouts },
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
    strike: (way) => WAYS[way](state),
    async stop() {
      await state.proxy.set('pass');
      await app.stop();
      await state.proxy.close();
      await state.llm.close();
    },
  };
}

/**
 * Answers by what the conversation holds, for what is sent in an outage may come late or again: with a tool that changes
 * something, then with the end. @param first those whose first answer stops half-way
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
    if (said.includes(`noted: ${name}`)) return end(conclusion(name));
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
