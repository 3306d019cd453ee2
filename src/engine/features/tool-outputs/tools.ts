import { UNITS_PER_TOKEN } from '../../../common/truncate.ts';
import type { Config } from '../../../config/types.ts';
import { TERMINAL_SESSION_STATUSES } from '../../../db/enums.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { BuiltinTool } from '../../common/builtin-tools.ts';
import { promptUnits } from '../../model/context-window/window.ts';
import type { LlmSettings } from '../../model/request.ts';
import {
  MODEL_RESULT_MAX_UNITS,
  READ_OUTPUT,
  type ResultLimits,
  SEARCH_OUTPUT,
} from '../../prompt-text/tool-results.ts';
import type { ToolOutput } from '../report/verify/types.ts';
import { MAX_PATTERN_UNITS, OutputError, readPassage, searchOutput } from './search.ts';

/** Maximum size of a result that the model gets whole: a share of the prompt, and a minimum (UTF-16 code units). */
const WHOLE_RESULT_SHARE = 1 / 8;
const WHOLE_RESULT_MIN_UNITS = 2000;

/** Size of the shortened form of a longer result: a share of the prompt, within bounds (UTF-16 code units). */
const PART_SHARE = 1 / 36;
const PART_MIN_UNITS = 1000;
const PART_MAX_UNITS = 8000;

export interface OutputReader {
  db: Queryable;
  sessionId: string;
  executionId: string;
  /** Maximum length of a tool's answer (UTF-16 code units). */
  maxUnits: number;
}

const SENTENCES_UNITS = 500;

const NUMBER = { type: 'integer', minimum: 1, description: 'Number of the result: 12 for [T12]' };
const lineNumber = (description: string) => ({ type: 'integer', minimum: 1, description });

/**
 * Returns tools that search and read stored results. The agent has them from its start, because a later
 * change of its tools would invalidate the provider's prompt cache.
 */
export function outputTools(reader: OutputReader): BuiltinTool[] {
  const maxUnits = reader.maxUnits - SENTENCES_UNITS;
  return [
    {
      name: SEARCH_OUTPUT,
      description:
        'Finds the lines of an earlier tool result that match a pattern. Searches the whole stored result, even if you saw only a part or a summary.',
      inputSchema: {
        type: 'object',
        properties: {
          number: NUMBER,
          pattern: {
            type: 'string',
            minLength: 1,
            maxLength: MAX_PATTERN_UNITS,
            description:
              'Regular expression (RE2), matched against each line; (?i) at the start ignores case, \\Q…\\E is plain text',
          },
          from: lineNumber('First line to search; default 1'),
        },
        required: ['number', 'pattern'],
      },
      async run({ number, pattern, from = 1 }) {
        const about = `T${number}`;
        const text = await storedText(reader, Number(number));
        const asked = { from: Number(from), maxUnits };
        const { lines, matching, shown } = await searchOutput(text, String(pattern), asked);
        const after = asked.from === 1 ? '' : ` from line ${asked.from} on`;
        if (matching === 0) return `No line of ${about} matches${after}. The result has ${lines} lines.`;
        const next =
          shown.length < matching
            ? ` The first ${shown.length} are below; for more, search from line ${shown.at(-1)!.number + 1}, or with a narrower pattern.`
            : '';
        const found = shown.map((line) => `${line.number}: ${line.text}`).join('\n');
        return `${matching} of the ${lines} lines of ${about} match${after}.${next} Each line begins with its number; cite ${about}.\n\n${found}`;
      },
    },
    {
      name: READ_OUTPUT,
      description:
        'Reads lines of an earlier tool result. Reads the whole stored result, even if you saw only a part or a summary.',
      inputSchema: {
        type: 'object',
        properties: {
          number: NUMBER,
          from: lineNumber('First line; default 1'),
          to: lineNumber('Last line; default: as many as fit'),
        },
        required: ['number'],
      },
      async run({ number, from = 1, to }) {
        const about = `T${number}`;
        const text = await storedText(reader, Number(number));
        const range = { from: Number(from), to: to == null ? undefined : Number(to), maxUnits };
        const passage = readPassage(text, range);
        const isAll = passage.to >= Math.min(range.to ?? passage.lines, passage.lines);
        const next = isAll ? '' : ` More does not fit; continue from line ${passage.to + 1}.`;
        return `Lines ${passage.from} to ${passage.to} of ${passage.lines} of ${about}; cite ${about}.${next}\n\n${passage.text}`;
      },
    },
  ];
}

export async function hasOutputs({
  db,
  sessionId,
}: Pick<OutputReader, 'db' | 'sessionId'>): Promise<boolean> {
  const { rows } = await db.query(
    prepared(`select 1 from timeline_events where session_id = $1 and type = 'LLM_TOOL_CALL' limit 1`),
    [sessionId],
  );
  return rows.length > 0;
}

/** Returns a stored, masked result of the agent or of an ended agent of its session. @throws OutputError */
async function storedText({ db, sessionId, executionId }: OutputReader, number: number): Promise<string> {
  const { rows } = await db.query(
    prepared(`select 1 from timeline_events t join agent_executions e on e.id = t.execution_id
     where t.session_id = $1 and t.sequence_number = $2 and t.type = 'LLM_TOOL_CALL'
       and (e.id = $3 or e.status = any($4))`),
    [sessionId, number, executionId, TERMINAL_SESSION_STATUSES],
  );
  const [output] = rows.length === 0 ? [] : await readOutputs(db, sessionId, [number]);
  if (output === undefined)
    throw new OutputError(`you have no result T${number}; each result begins with its number, such as [T12]`);
  if (output.text === '') throw new OutputError(`the result T${number} is empty`);
  return output.text;
}

type ResultContext = { llm: LlmSettings; config: Pick<Config, 'defaults'> };

/** Returns how much of a tool's result the model gets. */
export function resultLimits({ llm, config }: ResultContext): ResultLimits {
  // The offline provider works by rules, reads long results at no cost and never asks for the rest.
  if (llm.provider === 'offline') return { whole: MODEL_RESULT_MAX_UNITS, part: MODEL_RESULT_MAX_UNITS };
  const window = promptUnits(llm);
  const configured = config.defaults.toolResults.wholeMaxTokens * UNITS_PER_TOKEN;
  const whole = Math.max(WHOLE_RESULT_MIN_UNITS, Math.min(configured, window * WHOLE_RESULT_SHARE));
  const part = Math.max(PART_MIN_UNITS, Math.min(PART_MAX_UNITS, window * PART_SHARE));
  return { whole: Math.floor(whole), part: Math.floor(Math.min(part, whole)) };
}

/** Server name of TARSy's own tools. Their results are no evidence, because they only repeat stored texts. */
export const BUILTIN_SERVER = 'tarsy';

interface Row extends Pick<ToolOutput, 'number' | 'arguments'> {
  server: string | null;
  tool: string | null;
  text: string | null;
  failed: boolean | null;
}

/** Returns tool calls by sequence number, with their whole stored results. A call without a result counts as failed. */
export async function readOutputs(
  db: Queryable,
  sessionId: string,
  numbers: readonly number[],
  isUntrusted: (server: string, tool: string) => boolean = () => false,
): Promise<ToolOutput[]> {
  const { rows } = await db.query<Row>(
    prepared(`select t.sequence_number as number, coalesce(m.server_name, t.metadata->>'server_name') as server,
       coalesce(m.tool_name, t.metadata->>'tool_name') as tool, m.arguments, m.result->>'content' as text,
       (m.result->>'isError')::boolean as failed
     from timeline_events t left join lateral (
       select * from mcp_interactions m where m.session_id = $1 and m.execution_id = t.execution_id and m.type = 'TOOL_CALL'
         and m.tool_call_id = t.metadata->>'tool_call_id' order by m.id desc limit 1) m on true
     where t.session_id = $1 and t.type = 'LLM_TOOL_CALL' and t.sequence_number = any($2)
     order by t.sequence_number`),
    [sessionId, numbers],
  );
  return rows.map(({ number, server, tool, arguments: args, text, failed }) => ({
    number,
    server: server ?? '',
    tool: tool ?? '',
    arguments: args,
    text: text ?? '',
    succeeded: failed === false && server !== BUILTIN_SERVER,
    notFound:
      failed === true && server !== BUILTIN_SERVER && NOT_FOUND.test((text ?? '').slice(0, REASON_UNITS)),
    untrusted: isUntrusted(server ?? '', tool ?? ''),
  }));
}

const NOT_FOUND = /\(NotFound\)|"reason" ?: ?"NotFound"|\bNXDOMAIN\b|\bENOENT\b|\b404 Not Found\b/;

const REASON_UNITS = 2000;
