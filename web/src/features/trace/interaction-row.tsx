import Box from '@mui/material/Box';
import { memo } from 'react';
import { Disclosure } from '../../components/disclosure.tsx';
import { AnswerIcon, ToolIcon } from '../../components/icons.tsx';
import type { LlmInteractionType } from '../../graphql/gen/documents.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { mono } from '../../theme.ts';
import { LlmDetail } from './llm-detail.tsx';
import { McpDetail } from './mcp-detail.tsx';
import { TimeAxis } from './time-axis.tsx';
import type { Interaction, Span } from './trace-model.ts';
import { type Scale, WaterfallBar } from './waterfall.tsx';
import { TIME_ATTRIBUTE, type Zoom } from './zoom.ts';
import { ZoomControls } from './zoom-controls.tsx';

const types: Record<LlmInteractionType, string> = {
  ITERATION: 'Iteration',
  FORCED_CONCLUSION: 'Forced conclusion',
  SYNTHESIS: 'Synthesis',
  SUMMARIZATION: 'Result summary',
  EXECUTIVE_SUMMARY: 'Executive summary',
  CHAT_RESPONSE: 'Answer',
  REPORT: 'Report',
  SCORING: 'Score',
  MEMORY: 'Memory extraction',
};

/** An interaction with its name, time bar, tokens and duration. The contents are loaded on expansion. */
export const InteractionRow = memo(function InteractionRow({
  interaction,
  scale,
  depth = 0,
}: {
  interaction: Interaction;
  scale: Scale;
  /** Depth in the tree of sub-agents (0 = top-level agent); indents the name but not the bar. */
  depth?: number;
}) {
  const { kind, head } = interaction;
  const failed = head.errorMessage !== null;
  const Icon = kind === 'llm' ? AnswerIcon : ToolIcon;
  return (
    <Box component="li" sx={row} {...{ [TIME_ATTRIBUTE]: (interaction.start + interaction.end) / 2 }}>
      <Disclosure
        stateKey={interaction.key}
        summary={
          <Box component="span" sx={line}>
            <Box component="span" sx={[label, { pl: indent(depth) }]}>
              <Icon
                sx={{ fontSize: 15, flex: 'none', color: kind === 'llm' ? 'primary.main' : 'status.late' }}
              />
              <Box component="span" sx={name}>
                {nameOf(interaction)}
              </Box>
              {failed ? (
                <Box component="span" sx={{ color: 'status.failed', fontWeight: 600, flex: 'none' }}>
                  failed
                </Box>
              ) : null}
            </Box>
            <Box component="span" sx={{ gridArea: 'bar', minWidth: 0 }}>
              <WaterfallBar span={interaction} {...scale} kind={failed ? 'failed' : kind} />
            </Box>
            <Box component="span" sx={{ ...number, gridArea: 'tokens' }}>
              {interaction.kind === 'llm'
                ? `${formatCount(interaction.head.tokenUsage.totalTokens)} tokens`
                : ''}
            </Box>
            <Box component="span" sx={{ ...number, gridArea: 'time' }}>
              {head.durationMs < 1 ? null : formatDuration(head.durationMs)}
            </Box>
          </Box>
        }
      >
        {interaction.kind === 'llm' ? (
          <LlmDetail head={interaction.head} />
        ) : (
          <McpDetail head={interaction.head} />
        )}
      </Disclosure>
    </Box>
  );
});

function nameOf(interaction: Interaction): string {
  if (interaction.kind === 'mcp') {
    const { serverName, toolName } = interaction.head;
    return toolName === null ? `${serverName}: list of tools` : `${serverName}.${toolName}`;
  }
  const { type, iteration, modelName } = interaction.head;
  return `${types[type]}${iteration === null ? '' : ` ${iteration}`} · ${modelName}`;
}

interface AxisProps {
  readonly zoom: Zoom;
  /** The span that the chart shows without zoom. */
  readonly whole: Span;
  readonly origin: number;
}

/** A row with the time axis for the bars below it, and the controls of its zoom. */
export function AxisRow({ zoom, whole, origin }: AxisProps) {
  return (
    <Box sx={{ ...row, pb: 0 }}>
      <Box sx={[line, { pl: '20px' }]}>
        <Box sx={{ gridArea: 'name', minWidth: 0 }}>
          <ZoomControls zoom={zoom} whole={whole} origin={origin} />
        </Box>
        <Box sx={{ gridArea: 'bar', minWidth: 0 }}>
          <TimeAxis span={zoom.view} origin={origin} />
        </Box>
      </Box>
    </Box>
  );
}

/** Returns the indentation of a sub-agent, in the theme's spacing units. */
export const indent = (depth: number): number => 2 * Math.min(depth, 6);

const row = { px: 1.5, py: 0.5, minWidth: 0 } as const;
const line = {
  display: 'grid',
  flex: 1,
  minWidth: 0,
  alignItems: 'center',
  columnGap: 1.5,
  rowGap: 0.5,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: 'minmax(0, 1fr) auto auto', md: 'minmax(0, 5fr) minmax(0, 5fr) 92px 72px' },
  gridTemplateAreas: { xs: '"name tokens time" "bar bar bar"', md: '"name bar tokens time"' },
} as const;
const label = { gridArea: 'name', display: 'flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;
const name = {
  fontFamily: mono,
  fontSize: '0.78rem',
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;
const number = {
  color: 'text.secondary',
  textAlign: 'right',
  whiteSpace: 'nowrap',
  fontVariantNumeric: 'tabular-nums',
} as const;
