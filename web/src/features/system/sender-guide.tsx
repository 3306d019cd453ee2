import Box from '@mui/material/Box';
import { CodeBlock } from '../../components/code-block.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { type SenderPart, senders } from './gen/senders.ts';

interface Props {
  readonly type: string;
  /** Name of the source in the configuration. */
  readonly name: string;
  /** Webhook address of the source. */
  readonly address: string;
}

/** Shows the setup steps of a sender with this server's address, ready to paste; secrets stay placeholders. */
export default function SenderGuide({ type, name, address }: Props) {
  const parts = senders[type]?.parts ?? [];
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.8125rem' }}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
        <Part key={index} part={part} filled={fillPlaceholders(part.text, name, address)} />
      ))}
    </Box>
  );
}

function Part({ part, filled }: { part: SenderPart; filled: string }) {
  if (part.kind === 'prose') return <Markdown text={filled} />;
  return (
    <Box sx={{ maxWidth: '110ch', minWidth: 0 }}>
      <Box sx={{ mb: 0.25, fontSize: '0.75rem', color: 'text.secondary' }}>{part.label}</Box>
      <CodeBlock label={part.label} text={filled} maxHeight={420} />
    </Box>
  );
}

/** Inserts the source's address and name in place of the examples in docs/how-to/alert-sources. */
function fillPlaceholders(text: string, name: string, address: string): string {
  return text
    .replaceAll('https://tarsy.example.com/webhooks/prod', () => address)
    .replace(/^( {4})prod:$/gm, (_, indent: string) => `${indent}${name}:`);
}
