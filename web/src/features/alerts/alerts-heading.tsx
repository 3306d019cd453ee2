import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { NavLink } from 'react-router';

/** Heading of the pages about alerts, and the ways between them. */
export function AlertsHeading({ title }: { title: string }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 3, rowGap: 0.5, mb: 2 }}>
      <Typography variant="h1" id="alerts-top" sx={{ scrollMarginTop: 64 }}>
        {title}
      </Typography>
      <Box component="nav" aria-label="Alerts" sx={ways}>
        <NavLink to="/alerts" end>
          Groups
        </NavLink>
        <NavLink to="/alerts/silences">Silences</NavLink>
      </Box>
    </Box>
  );
}

const ways = {
  display: 'flex',
  gap: 2,
  fontSize: '0.875rem',
  '& a': { color: 'text.secondary', lineHeight: '24px', textDecoration: 'none' },
  '& a:hover': { color: 'text.primary', textDecoration: 'underline' },
  '& a.active': {
    color: 'text.primary',
    fontWeight: 600,
    boxShadow: '0 2px 0 var(--mui-palette-primary-main)',
  },
} as const;
