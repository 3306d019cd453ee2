import Link from '@mui/material/Link';
import { memoriesPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';

/** Links to the memories that an agent received; renders nothing if the metadata names none. */
export function RecalledMemoriesLink({ metadata }: { metadata: unknown }) {
  const { memories } = (metadata ?? {}) as { memories?: unknown };
  const uuids = (Array.isArray(memories) ? memories : []).flatMap((memory: { id?: unknown } | null) =>
    typeof memory?.id === 'string' ? [memory.id] : [],
  );
  if (uuids.length === 0) return null;
  return (
    <Link component={RouterLink} to={memoriesPath(uuids)}>
      {uuids.length === 1 ? 'Show this memory' : `Show these ${uuids.length} memories`}
    </Link>
  );
}
