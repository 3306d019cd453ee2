import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { NavLink } from '../lib/router.tsx';

interface Props {
  readonly title: string;
  readonly id?: string;
  readonly label: string;
  readonly links: readonly { readonly to: string; readonly name: string }[];
}

/** Heading of a page and links to its sibling pages. */
export function PageHeading({ title, id, label, links }: Props) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 3, rowGap: 0.5, mb: 2 }}>
      <Typography variant="h1" id={id} sx={{ scrollMarginTop: 64 }}>
        {title}
      </Typography>
      {links.length < 2 ? null : (
        <Box component="nav" aria-label={label} sx={row}>
          {links.map(({ to, name }) => (
            <NavLink key={to} to={to} end>
              {name}
            </NavLink>
          ))}
        </Box>
      )}
    </Box>
  );
}

const row = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 2,
  fontSize: '0.875rem',
  '& a': { color: 'text.secondary', lineHeight: '24px', textDecoration: 'none' },
  '& a:hover': { color: 'text.primary', textDecoration: 'underline' },
  '& a.active': {
    color: 'text.primary',
    fontWeight: 600,
    boxShadow: '0 2px 0 var(--mui-palette-primary-main)',
  },
} as const;
