import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { memo } from 'react';
import { Ago } from '../../components/time.tsx';
import type { AuditEventItemFragment } from '../../graphql/gen/documents.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { mono } from '../../theme.ts';
import { targetOf } from './audit-target.ts';
import type { ChangeView } from './audit-view.ts';

interface Props {
  readonly event: AuditEventItemFragment;
  /** Title or name of the target; undefined if it has none or no longer exists. */
  readonly name: string | undefined;
  readonly change: ChangeView;
}

/** A row of the audit log. Actor, action and target have links that show only the events with the same value. */
export const AuditRow = memo(function AuditRow({ event, name: targetName, change }: Props) {
  const { at, actor, action, targetId, detail, via, address } = event;
  return (
    <Box component="li" sx={layout}>
      <Box sx={{ gridArea: 'when', color: 'text.secondary' }}>
        <Ago time={at} />
      </Box>
      <Box sx={{ gridArea: 'who', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Link
          component="button"
          onClick={() => change({ actor })}
          sx={name}
          title={`Filter by actor ${actor}`}
        >
          <bdi>{actor}</bdi>
        </Link>
        <Box sx={quiet}>{[via.toLowerCase(), address].filter((text) => text !== null).join(', ')}</Box>
      </Box>
      <Box sx={{ gridArea: 'what', minWidth: 0 }}>
        <Link
          component="button"
          onClick={() => change({ action: [action] })}
          sx={[name, { fontFamily: mono, fontSize: '0.75rem' }]}
          title={`Filter by this action`}
        >
          {action}
        </Link>
        {targetId === null ? null : <Target id={targetId} name={targetName} change={change} />}
        {detail === null ? null : <Box sx={quiet}>{detailText(detail)}</Box>}
      </Box>
    </Box>
  );
});

interface TargetProps {
  readonly id: string;
  readonly name: string | undefined;
  readonly change: ChangeView;
}

function Target({ id, name: targetName, change }: TargetProps) {
  const { type, key, path } = targetOf(id);
  const text = `${type ?? ''} ${targetName ?? key}`.trim();
  return (
    <Box sx={target}>
      {path === null ? (
        <span title={key}>{text}</span>
      ) : (
        <Link component={RouterLink} to={path} color="inherit" title={key}>
          {text}
        </Link>
      )}
      <Link component="button" onClick={() => change({ target: id })} sx={{ lineHeight: 'inherit' }}>
        History
      </Link>
    </Box>
  );
}

/** Formats an event's details as one line, such as `name: ci; scopes: READ, CHAT`. */
function detailText(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return String(detail);
  return Object.entries(detail)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join('; ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? 'none');
}

const layout = {
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.5,
  px: 1.5,
  py: 1,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', sm: '130px 220px minmax(0, 1fr)' },
  gridTemplateAreas: { xs: '"who when" "what what"', sm: '"when who what"' },
} as const;
const name = {
  minHeight: 24,
  fontWeight: 600,
  color: 'text.primary',
  textAlign: 'left',
  verticalAlign: 'baseline',
  overflowWrap: 'anywhere',
} as const;
// Lines are 24 px high, because each contains a link that must be easy to touch.
const target = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 1.5,
  fontFamily: mono,
  fontSize: '0.75rem',
  lineHeight: '24px',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
const quiet = { color: 'text.secondary', overflowWrap: 'anywhere' } as const;
