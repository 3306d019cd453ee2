import Box from '@mui/material/Box';
import { readGrounding } from './grounding.ts';

interface Props {
  readonly text: string;
  /** Untyped in the API: the search queries and the sources, if the provider reported them. */
  readonly metadata: unknown;
}

/** Lists a provider's web searches and the pages it found. */
export function SourcesItem({ text, metadata }: Props) {
  const { queries, sources } = readGrounding(metadata);
  if (sources.length === 0) return <Box sx={{ overflowWrap: 'anywhere' }}>{text}</Box>;
  return (
    <Box sx={{ fontSize: '0.8125rem' }}>
      {queries.length === 0 ? null : (
        <Box sx={{ mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {queries.map((query) => `“${query}”`).join(', ')}
        </Box>
      )}
      <Box component="ol" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
        {sources.map(({ number, title, uri }) => (
          <li key={number} value={number}>
            <Source title={title} uri={uri} />
          </li>
        ))}
      </Box>
    </Box>
  );
}

function Source({ title, uri }: { title: string; uri: string }) {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return `${title} (${uri})`;
  const { href, host } = new URL(uri);
  return (
    <>
      <Box
        component="a"
        href={href}
        title={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        sx={{ color: 'primary.main' }}
      >
        {title === '' ? href : title}
        <span aria-hidden="true">&nbsp;↗</span>
      </Box>{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {host}
      </Box>
    </>
  );
}
