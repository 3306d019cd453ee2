import { describe, expect, it } from 'vitest';
import { controlsIn, problemOfBlocks } from '../../../../test/helpers/slack/blocks.ts';
import type { ApprovalRow } from '../../../db/entities/index.ts';
import { approvalBlocks } from './approval-message.ts';

const SESSION = '019a0000-0000-7000-8000-000000000002';
const LINKS = [
  '<https://tarsy.example/approvals|Open the approvals>',
  `<https://tarsy.example/sessions/${SESSION}|Open the investigation>`,
];

function blocks(more: Partial<Record<keyof ApprovalRow, unknown>> = {}, actors: string[] = []) {
  const approval = {
    ...{
      id: '019a0000-0000-7000-8000-000000000001',
      sessionId: SESSION,
      argumentsHash: 'a'.repeat(64),
      server: 'tools',
      tool: 'note',
    },
    ...{ arguments: { text: 'clean up' }, sealedArguments: null, reason: null, dryRun: null, provenance: [] },
    ...{ status: 'PENDING', requiredApprovals: 1, ...more },
  } as unknown as ApprovalRow;
  const decisions = actors.map((actor) => ({ actor, approved: true }));
  return approvalBlocks({ approval, decisions }, 'https://tarsy.example');
}

const texts = (of: ReturnType<typeof blocks>) =>
  of.flatMap((block) => ('text' in block ? [block.text.text] : []));
const buttons = (of: ReturnType<typeof blocks>) =>
  of.flatMap((block) => ('elements' in block ? block.elements.map(({ action_id: id }) => id) : []));

describe('the message about a call', () => {
  it('has a button to approve only if it shows the complete arguments', () => {
    expect(buttons(blocks())).toEqual(['tarsy_approve', 'tarsy_deny']);
    const masked = blocks({ sealedArguments: 'sealed' });
    expect(buttons(masked)).toEqual(['tarsy_deny']);
    expect(texts(masked).join('\n')).toContain('Some arguments are masked, so approve it on the page.');
    const long = blocks({ arguments: { text: 'x'.repeat(2500) } });
    expect(buttons(long)).toEqual(['tarsy_deny']);
    expect(texts(long).join('\n')).toContain('The arguments are too long to show here');
    // Slack counts escaped characters.
    expect(buttons(blocks({ arguments: { text: '<'.repeat(800) } }))).toEqual(['tarsy_deny']);
  });

  it('has no buttons once it is decided, and names who decided', () => {
    const decided = blocks({ status: 'EXECUTED' }, ['bo@example.com']);
    expect(buttons(decided)).toEqual([]);
    expect(texts(decided)).toContain('Approved by bo@example.com');
    expect(texts(decided).join('\n')).toContain('EXECUTED: The call was made once');
  });

  it('says how many values come from untrusted results only', () => {
    const from = (...untrusted: boolean[]) =>
      texts(blocks({ provenance: untrusted.map((isUntrusted) => ({ isUntrusted })) })).join('\n');
    expect(from(true, false)).toContain('1 value comes from untrusted results only.');
    expect(from(true, true)).toContain('2 values come from untrusted results only.');
    expect(from(false)).not.toContain('untrusted');
  });

  it('shows hidden characters of arguments', () => {
    const shown = texts(blocks({ arguments: { path: '/tmp/\u202egpj.sh' } })).join('\n');
    expect(shown).toContain('"path": "/tmp/\\u202egpj.sh"');
  });

  it.each([
    ['mentions', '<!channel> <https://evil.example|Approve> *bold*'],
    ['much text', 'x'.repeat(100_000)],
    ['hidden characters', '\u202e\u0000\ud83d'],
  ])('of %s is accepted by Slack, with no link but TARSy’s own', (_, text) => {
    const hostile = blocks(
      {
        ...{ server: text.slice(0, 200), tool: text, reason: text, dryRun: text },
        arguments: { [text]: text },
      },
      [text.slice(0, 100)],
    );
    expect(problemOfBlocks(hostile)).toBeNull();
    expect(controlsIn({ blocks: hostile })).toEqual(LINKS);
  });
});
