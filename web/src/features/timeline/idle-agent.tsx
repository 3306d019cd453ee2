import Box from '@mui/material/Box';
import { SystemWarningsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

/** What an agent does of which nothing has come yet. */
export function IdleAgent() {
  // The page's frame keeps them up to date.
  const [{ data }] = useQuery({ query: SystemWarningsDocument, requestPolicy: 'cache-only' });
  const isAway = data?.systemWarnings.some(({ category }) => category === 'llm_service');
  return (
    <Box sx={{ px: 1.5, py: 1, fontSize: '0.8125rem', color: isAway ? 'status.late' : 'text.secondary' }}>
      {isAway
        ? 'Waiting for the model: the LLM service does not answer.'
        : 'Its tools are connected, then the model is asked.'}
    </Box>
  );
}
