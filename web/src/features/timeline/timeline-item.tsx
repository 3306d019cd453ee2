import Box from '@mui/material/Box';
import { memo, type ReactNode, useState } from 'react';
import { AiMark } from '../../components/ai-mark.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Clock } from '../../components/time.tsx';
import type { TimelineEventType, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { Citation } from '../../lib/citations.ts';
import { plainPreview } from '../../lib/data-text.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { statusLook } from '../../theme.ts';
import { ApprovalOfCall } from '../approvals/approval-of-call.tsx';
import { SHORTENED, useDensity } from './density.ts';
import { useCitations } from './grounding.ts';
import { HintItem } from './hint-item.tsx';
import { labelOf, lookOf, WRITTEN_BY_MODEL } from './item-look.ts';
import { RecalledMemoriesLink } from './recalled-memories-link.tsx';
import { SourcesItem } from './sources-item.tsx';
import { useItemText } from './timeline-store.ts';
import { toolCallFacts } from './tool-call.ts';
import { ToolCallItem } from './tool-call-item.tsx';

interface Props {
  readonly item: TimelineItemFragment;
  /**
   * True if the page already shows this text; the item then starts collapsed. Read only when the item is
   * first rendered.
   */
  readonly repeated: boolean;
  /** The item with the web sources of this answer; `null` if there is none. */
  readonly grounding?: TimelineItemFragment | null;
}

/** One entry of the timeline: icon, label, time and text. */
export const TimelineItem = memo(function TimelineItem({ item, repeated, grounding = null }: Props) {
  const { Icon, color } = lookOf(item);
  const [startsCollapsed] = useState(repeated);
  return (
    <Box sx={[row, CONCLUSIONS.has(item.type) && !startsCollapsed && card]}>
      <Icon sx={[icon, { color }]} />
      <Box sx={body}>
        <Body item={item} repeated={startsCollapsed} grounding={grounding} />
      </Box>
      <Box component="a" href={`#event-${item.sequenceNumber}`} sx={link}>
        <Box component="span" sx={visuallyHidden}>
          Link to this entry of{' '}
        </Box>
        <Clock stacked time={item.createdAt} />
      </Box>
    </Box>
  );
});

const CONCLUSIONS: ReadonlySet<TimelineEventType> = new Set(['FINAL_ANALYSIS', 'EXECUTIVE_SUMMARY']);

function Body({ item, repeated, grounding }: Props) {
  const text = useItemText(item);
  const [density] = useDensity();
  const citations = useCitations(item.status === 'STREAMING' ? null : text, grounding?.metadata);
  if (density === 'compact' && SHORTENED.has(item.type))
    return <Aside key="compact" item={item} text={text} citations={citations} isCompact />;
  switch (item.type) {
    case 'LLM_TOOL_CALL':
      return <ToolCallItem item={item} text={text} />;
    case 'LLM_THINKING':
    case 'MCP_TOOL_SUMMARY':
    case 'SKILL_LOADED':
      return <Aside item={item} text={text} />;
    case 'MEMORY_RECALLED':
      return <Aside item={item} text={text} footer={<RecalledMemoriesLink metadata={item.metadata} />} />;
    case 'GOOGLE_SEARCH_RESULT':
    case 'URL_CONTEXT_RESULT':
      return (
        <LabelledItem item={item}>
          <SourcesItem text={text} metadata={item.metadata} />
        </LabelledItem>
      );
    case 'APPROVAL_REQUESTED':
      return (
        <LabelledItem item={item}>
          <ApprovalOfCall item={item} text={text} />
        </LabelledItem>
      );
    case 'HINT':
      return (
        <LabelledItem item={item}>
          <HintItem item={item} text={text} />
        </LabelledItem>
      );
    case 'ERROR':
      return repeated ? <Aside item={item} text={text} alreadyShown /> : <Plain item={item} text={text} />;
    case 'APPROVAL_DECIDED':
    case 'USER_QUESTION':
    case 'BUDGET_REACHED':
    case 'PROVIDER_FALLBACK':
    case 'SUBAGENT_TASK':
    case 'ALERT_JOINED':
    case 'ALERT_RESOLVED':
    case 'HINT_READ':
    case 'CONCLUSION_REQUESTED':
      return <Plain item={item} text={text} />;
    default:
      return repeated ? (
        <Aside item={item} text={text} citations={citations} alreadyShown />
      ) : (
        <Prose item={item} text={text} citations={citations} />
      );
  }
}

function Plain({ item, text }: Pick<ProseProps, 'item' | 'text'>) {
  return (
    <LabelledItem item={item}>
      <Box sx={[plain, item.type === 'ERROR' && { color: lookOf(item).color }]}>{text}</Box>
    </LabelledItem>
  );
}

interface ProseProps {
  readonly item: TimelineItemFragment;
  readonly text: string;
  readonly citations: readonly Citation[];
}

function Prose({ item, text, citations }: ProseProps) {
  const growing = item.status === 'STREAMING';
  return (
    <LabelledItem item={item} copy={CONCLUSIONS.has(item.type) ? text : undefined}>
      <Markdown text={text} growing={growing} citations={citations} />
    </LabelledItem>
  );
}

interface AsideProps {
  readonly item: TimelineItemFragment;
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** True if the page already shows this text, so that a preview is unnecessary. */
  readonly alreadyShown?: boolean;
  /** True if the entry starts collapsed even while its text is streaming. */
  readonly isCompact?: boolean;
  /** Rendered below the text. */
  readonly footer?: ReactNode;
}

/** A dimmed entry of minor importance, collapsed at first unless its text is still streaming. */
function Aside({ item, text, citations, alreadyShown = false, isCompact = false, footer }: AsideProps) {
  const [watched] = useState(item.status === 'STREAMING' && !isCompact);
  const preview = alreadyShown ? (
    <Box sx={inset}>Same as above.</Box>
  ) : (
    <Box sx={[inset, { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }]}>
      {plainPreview(text)}
    </Box>
  );
  return (
    <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
      <Disclosure stateKey={item.id} defaultOpen={watched} summary={<Label item={item} />} preview={preview}>
        <Box data-find="content" sx={inset}>
          <Markdown text={text} growing={item.status === 'STREAMING'} citations={citations} />
          {footer}
        </Box>
      </Disclosure>
    </Box>
  );
}

interface LabelledItemProps {
  readonly item: TimelineItemFragment;
  /** Text that the button beside the label copies; without a text there is no button. */
  readonly copy?: string | undefined;
  readonly children: ReactNode;
}

function LabelledItem({ item, copy, children }: LabelledItemProps) {
  return (
    <Box sx={{ fontSize: '0.875rem' }}>
      <Box
        className="label"
        sx={{ mb: 0.5, fontSize: '0.8125rem', display: 'flex', alignItems: 'center', gap: 0.5 }}
      >
        <Label item={item} />
        {copy === undefined || copy === '' ? null : (
          // The negative margin keeps the button from making the line taller.
          <Box sx={{ my: -0.75 }}>
            <CopyButton label={`Copy ${labelOf(item.type).toLowerCase()}`} text={() => copy} />
          </Box>
        )}
      </Box>
      <div data-find="content">{children}</div>
    </Box>
  );
}

function Label({ item }: { item: TimelineItemFragment }) {
  const { label, color } = lookOf(item);
  const { tone, label: state } = statusLook[item.status];
  const showStatus = item.status !== 'COMPLETED' && item.status !== 'STREAMING';
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, fontWeight: 600, color }}
    >
      <span>{label}</span>
      {WRITTEN_BY_MODEL.has(item.type) ? <AiMark /> : null}
      {showStatus ? (
        <Box component="span" sx={{ color: `status.${tone}` }}>
          {toolCallFacts(item.metadata).isInterrupted && item.status === 'FAILED'
            ? 'interrupted'
            : state.toLowerCase()}
        </Box>
      ) : null}
    </Box>
  );
}

// On a phone, the icon and the time share the first line with the label, and the text has the whole width.
const row = {
  position: 'relative',
  display: { xs: 'block', sm: 'grid' },
  gridTemplateColumns: '16px minmax(0, 1fr) auto',
  columnGap: 1.25,
  px: 1.5,
  py: 0.875,
} as const;

const icon = { position: { xs: 'absolute', sm: 'static' }, fontSize: 16, mt: '2px' } as const;
const body = {
  minWidth: 0,
  '& > * > .label, & > * > * > button[aria-expanded]': { pl: { xs: '26px', sm: 0 }, pr: { xs: 9, sm: 0 } },
} as const;
const inset = { ml: { xs: 0, sm: 2.5 } } as const;

// A shadow in place of a border takes no space, so an item does not move when it turns out to be the
// conclusion.
const card = { boxShadow: 'inset 3px 0 0 var(--mui-palette-status-done)' } as const;
const plain = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const link = {
  position: { xs: 'absolute', sm: 'static' },
  top: 5,
  right: 12,
  fontSize: '0.75rem',
  lineHeight: { xs: '24px', sm: '20px' },
  color: 'text.secondary',
  textAlign: 'right',
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
} as const;
