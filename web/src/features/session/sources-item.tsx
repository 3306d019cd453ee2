import Box from '@mui/material/Box';

interface Props {
  readonly text: string;
  /** What the contract leaves open: queries and sources, where the provider told them. */
  readonly metadata: unknown;
}

/** What a provider searched the web for, and what it found there. */
export function SourcesItem({ text, metadata }: Props) {
  const { queries, sources } = grounding(metadata);
  if (sources.length === 0) return <Box sx={{ overflowWrap: 'anywhere' }}>{text}</Box>;
  return (
    <Box sx={{ fontSize: '0.8125rem' }}>
      {queries.length === 0 ? null : (
        <Box sx={{ mb: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {queries.map((query) => `“${query}”`).join(', ')}
        </Box>
      )}
      <Box component="ul" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
        {sources.map(({ title, uri }) => (
          <li key={uri}>
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

interface Grounding {
  readonly queries: readonly string[];
  readonly sources: readonly { readonly title: string; readonly uri: string }[];
}

function grounding(metadata: unknown): Grounding {
  const { queries, sources } = (metadata ?? {}) as { queries?: unknown; sources?: unknown };
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return {
    queries: list(queries).filter((query) => typeof query === 'string'),
    sources: list(sources).flatMap((source) => {
      const { title, uri } = (source ?? {}) as { title?: unknown; uri?: unknown };
      return typeof uri === 'string' ? [{ title: typeof title === 'string' ? title : '', uri }] : [];
    }),
  };
}
