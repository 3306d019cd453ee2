import Box from '@mui/material/Box';

/** Says that fixed rules investigate, and how to set a language model. */
export function RulesNote() {
  return (
    <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
      No language model is set: offline rules investigate. They call real tools and quote the answers, but
      draw no conclusions. To set a model, start TARSy with <code>GOOGLE_API_KEY</code>,{' '}
      <code>ANTHROPIC_API_KEY</code>, <code>OPENAI_API_KEY</code> or <code>XAI_API_KEY</code>. Other models:{' '}
      <code>docs/how-to/configure/models.md</code>.
    </Box>
  );
}
