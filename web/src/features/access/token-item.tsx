import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago, TimeLeft } from '../../components/time.tsx';
import type { TokenItemFragment } from '../../graphql/gen/documents.ts';
import { useNow } from '../../lib/use-now.ts';
import { mono, type StatusTone } from '../../theme.ts';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { SCOPES } from './token-draft.ts';

type TokenState = 'valid' | 'expired' | 'revoked' | 'suspended';

const STATES: Readonly<Record<TokenState, { tone: StatusTone; label: string }>> = {
  valid: { tone: 'done', label: 'Valid' },
  expired: { tone: 'queued', label: 'Expired' },
  revoked: { tone: 'stopped', label: 'Revoked' },
  suspended: { tone: 'stopped', label: 'Suspended' },
};

/** Returns a token's state at `now` (ms). */
export function tokenStateOf(
  { revokedAt, expiresAt, suspendedAt }: TokenItemFragment,
  now: number,
): TokenState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired';
  return suspendedAt === null ? 'valid' : 'suspended';
}

export function TokenItem({ token, changed }: { token: TokenItemFragment; changed: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  const now = useNow(true);
  const state = tokenStateOf(token, now);
  const { tone, label } = STATES[state];
  return (
    <Box component="li" sx={layout}>
      <Box sx={{ gridArea: 'state', display: 'flex', alignItems: 'center', gap: 0.75, fontWeight: 600 }}>
        <StatusDot tone={tone} />
        {label}
      </Box>
      <Box sx={{ gridArea: 'what', minWidth: 0 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, alignItems: 'baseline' }}>
          <Box component="bdi" sx={{ fontWeight: 650, overflowWrap: 'anywhere' }}>
            {token.name}
          </Box>
          <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem', color: 'text.secondary' }}>
            {token.prefix}…
          </Box>
        </Box>
        <Box component="ul" aria-label="Permissions" sx={scopes}>
          {token.scopes.map((scope) => (
            <li key={scope}>{SCOPES[scope].name}</li>
          ))}
          {token.team === null ? null : <li>team {token.team}</li>}
        </Box>
        <Box sx={quiet}>
          {token.owner === null ? (
            'service token'
          ) : (
            <>
              belongs to <bdi>{token.owner}</bdi>
            </>
          )}
          , by <bdi>{token.createdBy}</bdi>, <Ago time={token.createdAt} />;{' '}
          {token.lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Ago time={token.lastUsedAt} />
            </>
          )}
        </Box>
      </Box>
      <Box sx={{ gridArea: 'when', textAlign: { sm: 'right' } }}>
        <Expiry token={token} state={state} />
      </Box>
      <Box sx={{ gridArea: 'action', justifySelf: 'end' }}>
        {state === 'valid' || state === 'suspended' ? (
          <Button
            color="error"
            variant="outlined"
            aria-label={`Revoke ${token.name}`}
            onClick={() => setConfirming(true)}
          >
            Revoke
          </Button>
        ) : null}
      </Box>
      {isConfirming ? (
        <RevokeTokenDialog
          token={token}
          close={() => setConfirming(false)}
          revoked={() => {
            setConfirming(false);
            changed();
          }}
        />
      ) : null}
    </Box>
  );
}

function Expiry({ token: { expiresAt, revokedAt }, state }: { token: TokenItemFragment; state: TokenState }) {
  if (state === 'revoked') return <Ago time={revokedAt!} />;
  if (state === 'suspended') return 'its owner has no access';
  if (expiresAt === null) return 'No expiry';
  if (state === 'expired') return <Ago time={expiresAt} />;
  return (
    <>
      expires in <TimeLeft until={expiresAt} />
    </>
  );
}

const layout = {
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.75,
  px: 1.5,
  py: 1.25,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: '1fr auto', sm: '84px minmax(0, 1fr) 140px 84px' },
  gridTemplateAreas: { xs: '"state when" "what what" "action action"', sm: '"state what when action"' },
} as const;
const scopes = {
  display: 'flex',
  flexWrap: 'wrap',
  gap: 0.5,
  m: 0,
  mt: 0.5,
  p: 0,
  listStyle: 'none',
  fontSize: '0.75rem',
  '& > li': { px: 0.75, lineHeight: '20px', borderRadius: 0.5, bgcolor: 'well', overflowWrap: 'anywhere' },
} as const;
const quiet = { mt: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
