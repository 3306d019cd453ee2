import { type ApiClient, ENDED } from './api.ts';

/** A replay as tests read it. */
export interface ReplayView {
  id: string;
  status: string;
  passed: boolean | null;
  confidentlyWrong: boolean;
  unrecordedCalls: number;
  costUsd: number | null;
  provider: string;
  configHash: string;
  agreement: { runs: number; agreeing: number; cause: string | null } | null;
  checks: { name: string; passed: boolean; detail: string }[];
  session: {
    id: string;
    report: { verdict: string; confidence: number; claims: { text: string; status: string }[] } | null;
    timeline: { type: string; status: string; content: string; metadata: Record<string, unknown> | null }[];
  };
}

const REPLAY = `id status passed confidentlyWrong unrecordedCalls costUsd provider configHash
  agreement { runs agreeing cause }
  checks { name passed detail }
  session { id report { verdict confidence claims { text status } } timeline { type status content metadata } }`;

interface MutationResult {
  case?: { id: string; recordedCalls: number; expectation: { verdict: string | null; entities: string[] } };
  replays?: { id: string; session: { id: string } }[];
  deletedId?: string;
  code?: string;
  message?: string;
}

/** Returns the operations on cases, over the API. */
export function caseClient(api: ApiClient) {
  const mutate = async (name: string, type: string, input: unknown, fields: string) => {
    const answer = await api.query<Record<string, MutationResult>>(
      `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} ... on Error { code message } } }`,
      { input },
    );
    return answer[name]!;
  };
  const CASE = 'case { id recordedCalls expectation { verdict entities } }';
  return {
    create: (input: Record<string, unknown>) =>
      mutate('createCase', 'CreateCaseInput', input, `... on CreateCaseSuccess { ${CASE} }`),
    import: (document: string) =>
      mutate('importCase', 'ImportCaseInput', { document }, `... on ImportCaseSuccess { ${CASE} }`),
    start: (input: Record<string, unknown>) =>
      mutate(
        'replayCase',
        'ReplayCaseInput',
        input,
        '... on ReplayCaseSuccess { replays { id session { id } } }',
      ),
    async delete(id: string): Promise<MutationResult> {
      const { deleteCase } = await api.query<{ deleteCase: MutationResult }>(
        `mutation ($id: ID!) { deleteCase(id: $id) {
           ... on DeleteCaseSuccess { deletedId } ... on Error { code message } } }`,
        { id },
      );
      return deleteCase;
    },
    async document(id: string): Promise<string> {
      const { node } = await api.query<{ node: { document: string } }>(
        'query ($id: ID!) { node(id: $id) { ... on Case { document } } }',
        { id },
      );
      return node.document;
    },
    async replay(id: string): Promise<ReplayView> {
      const { replay } = await api.query<{ replay: ReplayView }>(
        `query ($id: ID!) { replay(id: $id) { ${REPLAY} } }`,
        { id },
      );
      return replay;
    },
    /** Replays a case once and returns the replay when it has ended. */
    async run(input: Record<string, unknown>): Promise<ReplayView> {
      const { replays, message } = await this.start(input);
      if (!replays) throw new Error(message);
      await api.waitFor(replays[0]!.session.id, ({ status }) => ENDED.has(status));
      return this.replay(replays[0]!.id);
    },
  };
}
