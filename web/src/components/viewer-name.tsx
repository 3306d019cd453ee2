import Box from '@mui/material/Box';
import { visuallyHidden } from '../lib/visually-hidden.ts';
import { UserIcon } from './icons.tsx';
import { roleName } from './use-rights.ts';
import { useViewer } from './use-viewer.ts';

export function ViewerName() {
  const viewer = useViewer();
  if (viewer === null) return null;
  const { name, email, role, groups, teams } = viewer;
  const more = [
    email === name ? null : email,
    `Role: ${roleName(role)}`,
    groups.length === 0 ? null : `Groups: ${groups.join(', ')}`,
    teams === null ? null : `Teams: ${teams.join(', ') || 'none'}`,
  ];
  return (
    <Box sx={line} title={['Signed in as', name, ...more].filter((text) => text !== null).join('\n')}>
      <UserIcon sx={{ fontSize: 16, flex: 'none' }} />
      <Box component="span" sx={visuallyHidden}>
        Signed in as
      </Box>
      <Box component="bdi" sx={text}>
        {name}
      </Box>
    </Box>
  );
}

// Hidden on narrow screens, whose header has no room. There, the view menu shows the name.
const line = {
  display: { xs: 'none', md: 'inline-flex' },
  alignItems: 'center',
  gap: 0.75,
  minWidth: 0,
  maxWidth: 240,
  fontSize: '0.75rem',
  fontWeight: 600,
  color: 'text.secondary',
} as const;
const text = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
